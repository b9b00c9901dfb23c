package keep_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"turnpost/internal/keep"
	"turnpost/internal/keep/recall"
	"turnpost/internal/statedir"
)

// kills is how often a process is killed while it writes.
const kills = 200

// TestMain is two programs: the tests, and one that writes notes until it is
// killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("TURNPOST_TEST_WRITES"); dir != "" {
		writeForEver(statedir.Dir(dir))
	}
	os.Exit(m.Run())
}

// version is the n-th text of the notes. It is large, and says where it ends.
func version(n int) string {
	return fmt.Sprintf("version %d\n%send %d\n", n, strings.Repeat(fmt.Sprintf("%d is what stands here\n", n), 1000), n)
}

// place changes now and then: sessions of one handle work in two.
func place(n int) string { return fmt.Sprintf("/src/%d", n/5%2) }

// writeForEver says which version it begins to write, and which is written.
func writeForEver(dir statedir.Dir) {
	notes := keep.Open(dir, time.Hour, time.Now)
	first, err := strconv.Atoi(os.Getenv("TURNPOST_TEST_FIRST"))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	for n := first; ; n++ {
		fmt.Println("begin", n)
		if err := notes.Write("@api", at(place(n)), version(n)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("wrote", n)
	}
}

// A process that is killed while it writes leaves the old notes or the new ones,
// whole; what it said is written is there; and notes of one place are never
// given to a session in the other.
func TestKilledWhileWriting(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := statedir.Dir(t.TempDir())
	folder := dir.Context("@api")
	ends, next, takes := map[string]int{}, 1, 10*time.Millisecond
	for range kills {
		child := exec.Command(self)
		child.Env = []string{"TURNPOST_TEST_WRITES=" + string(dir), fmt.Sprint("TURNPOST_TEST_FIRST=", next)}
		out, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		// It is killed somewhere in its second write or right after it; the first
		// says how long that takes.
		lines := bufio.NewScanner(out)
		stop := fmt.Sprintf("begin %d", next+1)
		begun, wrote := next-1, next-1
		var started time.Time
		count := func() {
			var n int
			line := lines.Text()
			if strings.HasPrefix(line, "error") {
				t.Fatal(line)
			}
			if _, err := fmt.Sscanf(line, "begin %d", &n); err == nil {
				if begun = n; n == next {
					started = time.Now()
				}
			}
			if _, err := fmt.Sscanf(line, "wrote %d", &n); err == nil {
				wrote = n
			}
		}
		for lines.Scan() {
			count()
			if lines.Text() == stop {
				takes = time.Since(started)
				break
			}
		}
		for end := time.Now().Add(rand.N(takes * 5 / 4)); time.Now().Before(end); {
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it still said
			count()
		}
		if err := child.Wait(); err == nil {
			t.Fatal("it ended by itself")
		}

		now := readText(t, filepath.Join(folder, recall.NowFile))
		previous := readText(t, filepath.Join(folder, recall.PreviousFile))
		found := 0
		if now == "" { // put away, and the next not there yet
			_, err = fmt.Sscanf(previous, "version %d", &found)
		} else {
			_, err = fmt.Sscanf(now, "version %d", &found)
		}
		if err != nil || now != "" && now != version(found) || previous != "" && !whole(previous) {
			t.Fatalf("torn: now %d bytes, previous %d bytes, %v", len(now), len(previous), err)
		}
		if found < wrote || found > begun {
			t.Fatalf("version %d is there, %d was written, %d begun", found, wrote, begun)
		}
		notes := keep.Open(dir, time.Hour, time.Now)
		given := ""
		for _, root := range []string{"/src/0", "/src/1"} {
			text := notes.Recall("@api", session(root), false)
			if text != "" && (root != place(found) || !strings.Contains(text, fmt.Sprintf("\nversion %d\n", found))) {
				t.Fatalf("a session in %s was given %.200q", root, text)
			}
			given += text
		}
		switch {
		case given == "":
			ends["nothing is given back"]++
		case found == begun:
			ends["new"]++
		default:
			ends["old"]++
		}
		next = begun + 1
	}
	if err := keep.Open(dir, time.Hour, time.Now).Write("@api", at("/src/0"), "after the crashes"); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".now.md.*")); len(left) > 0 {
		t.Fatalf("%q are left, %v", left, err)
	}
	t.Logf("%d kills: %v", kills, ends)
	if ends["old"] == 0 || ends["new"] == 0 {
		t.Errorf("%v: the kills hit no write", ends)
	}
}

func whole(text string) bool {
	var n int
	_, err := fmt.Sscanf(text, "version %d", &n)
	return err == nil && text == version(n)
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}
