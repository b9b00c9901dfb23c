package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json`; `go doc test2json` has the fields.
type event struct {
	Action     string
	Package    string
	Test       string
	Elapsed    float64 // seconds
	Output     string
	ImportPath string // of build output
}

// report gathers events until each package ends.
type report struct {
	out      io.Writer
	packages map[string]*running
	builds   map[string]string // output of builds, by import path

	passed, failed, skipped int
	skips                   []string
}

// running is a package whose tests run.
type running struct {
	output  map[string]*strings.Builder // by test; "" is the package itself
	parents map[string]*tally           // tests that have subtests
	tally
}

// tally counts tests that have no subtests.
type tally struct{ passed, failed, skipped int }

func newReport(out io.Writer) *report {
	return &report{out: out, packages: map[string]*running{}, builds: map[string]string{}}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read test events: %w", err)
		}
	}
}

func (r *report) line(line string) {
	var e event
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		fmt.Fprint(r.out, line)
		return
	}
	switch e.Action {
	case "build-output":
		r.builds[e.ImportPath] += e.Output
	case "build-fail":
		fmt.Fprint(r.out, r.builds[e.ImportPath])
		delete(r.builds, e.ImportPath)
	default:
		r.event(e)
	}
}

func (r *report) event(e event) {
	p := r.packages[e.Package]
	if p == nil {
		p = &running{output: map[string]*strings.Builder{}, parents: map[string]*tally{}}
		r.packages[e.Package] = p
	}
	switch e.Action {
	case "run":
		p.run(e.Test)
	case "output":
		if p.output[e.Test] == nil {
			p.output[e.Test] = &strings.Builder{}
		}
		p.output[e.Test].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(p, e)
			return
		}
		r.endTest(p, e)
	}
}

// run notes that everything above a subtest is a parent.
func (p *running) run(test string) {
	for i := strings.LastIndexByte(test, '/'); i > 0; i = strings.LastIndexByte(test[:i], '/') {
		if p.parents[test[:i]] == nil {
			p.parents[test[:i]] = &tally{}
		}
	}
}

func (r *report) endTest(p *running, e event) {
	output := p.output[e.Test]
	delete(p.output, e.Test)
	under := p.parents[e.Test]
	switch {
	case e.Action == "pass" && under == nil:
		p.count(e.Test, tally{passed: 1})
	case e.Action == "skip":
		p.count(e.Test, tally{skipped: 1})
		r.skips = append(r.skips, e.Package+" "+e.Test)
		fmt.Fprintf(r.out, "SKIPPED %s %s\n%s", e.Package, e.Test, text(output))
	case e.Action == "fail":
		// A parent that fails because of its subtests is not one more.
		if under == nil || under.failed == 0 {
			p.count(e.Test, tally{failed: 1})
		}
		fmt.Fprintf(r.out, "FAILED  %s %s (%.1f s)\n%s", e.Package, e.Test, e.Elapsed, text(output))
	}
}

// count adds to the package and to every test above this one.
func (p *running) count(test string, t tally) {
	p.add(t)
	for i := strings.LastIndexByte(test, '/'); i > 0; i = strings.LastIndexByte(test[:i], '/') {
		p.parents[test[:i]].add(t)
	}
}

func (t *tally) add(o tally) {
	t.passed += o.passed
	t.failed += o.failed
	t.skipped += o.skipped
}

func (r *report) endPackage(p *running, e event) {
	delete(r.packages, e.Package)
	if e.Action == "fail" {
		// What did not end is what broke the package: a panic, a time limit.
		for test, output := range p.output {
			fmt.Fprintf(r.out, "FAILED  %s\n%s", strings.TrimSpace(e.Package+" "+test), text(output))
		}
		if p.failed == 0 {
			p.failed = 1
		}
	}
	r.passed += p.passed
	r.failed += p.failed
	r.skipped += p.skipped
	if p.tally == (tally{}) {
		return // no test files
	}
	word := "ok  "
	if p.failed+p.skipped > 0 {
		word = "FAIL"
	}
	fmt.Fprintf(r.out, "%s %-32s %4d passed %6.1f s\n", word, strings.TrimPrefix(e.Package, "turnpost/"), p.passed, e.Elapsed)
}

func text(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	return b.String()
}

// finish prints the sums and tells whether they are good.
func (r *report) finish() bool {
	for name := range r.packages {
		fmt.Fprintf(r.out, "FAILED  %s: its tests did not end\n", name)
		r.failed++
	}
	for _, name := range r.skips {
		fmt.Fprintf(r.out, "skipped: %s\n", name)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	return r.failed == 0 && r.skipped == 0 && r.passed > 0
}
