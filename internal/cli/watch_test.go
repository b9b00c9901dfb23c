package cli

import (
	"bufio"
	"os"
	"regexp"
	"testing"
)

// lines reads what a command prints, line by line.
type lines struct {
	t    *testing.T
	scan *bufio.Scanner
}

// until reads on to a line that matches.
func (l lines) until(pattern string) {
	l.t.Helper()
	want := regexp.MustCompile(pattern)
	var read []string
	for l.scan.Scan() {
		read = append(read, l.scan.Text())
		if want.MatchString(l.scan.Text()) {
			return
		}
	}
	l.t.Fatalf("no line matches %q in %q", pattern, read)
}

// TestPeopleWatch: a line for each thing that happens, also across a restart of
// the hub, and a summary when it is interrupted.
func TestPeopleWatch(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	cmd := p.command("watch")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := lines{t, bufio.NewScanner(out)}
	l.until(`^No session is open\. Ctrl-C ends\.$`)
	p.run("", "post", "-c", "general", "deploy at five", "--kind", "decision")
	l.until(`^[0-9:]+  @.* \(person\) +decision +d-1 → #general: deploy at five$`)
	p.run("", "ask", "-c", "general", "Who is on call?")
	l.until(`^[0-9:]+  @.* question +q-2 → #general: Who is on call\?$`)
	p.run("", "up", "-d", "--restart")
	p.run("", "post", "-c", "general", "after the restart")
	l.until(`n-3 → #general: after the restart$`)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	l.until(`^Watched for [0-9a-z]+: 0 changes of state, 3 items, 0 wakes\.$`)
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
