package keep_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/keep"
	"turnpost/internal/keep/recall"
	"turnpost/internal/statedir"
)

var _ hub.Keeper = (*keep.Store)(nil)

// rig is the notes of @api in an empty state directory, and a clock.
type rig struct {
	*keep.Store
	t      *testing.T
	dir    statedir.Dir
	folder string
	now    time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: statedir.Dir(t.TempDir()), now: time.Date(2026, 7, 30, 12, 0, 0, 0, time.UTC)}
	r.folder = r.dir.Context("@api")
	r.Store = keep.Open(r.dir, 24*time.Hour, func() time.Time { return r.now })
	return r
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) write(text string) {
	r.t.Helper()
	r.must(r.Write("@api", at("/src/api"), text))
}

func (r *rig) read() turnpost.Notes {
	r.t.Helper()
	notes, err := r.Read("@api")
	r.must(err)
	return notes
}

// recall is what a session in a place is given.
func (r *rig) recall(root string) string {
	return r.Recall("@api", session(root), false)
}

// file is the content of a file of the folder, "" when there is none.
func (r *rig) file(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.folder, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(data)
}

// put writes a file of the folder as a person would.
func (r *rig) put(name, text string) {
	r.t.Helper()
	r.must(os.MkdirAll(r.folder, 0o700))
	path := filepath.Join(r.folder, name)
	r.must(os.WriteFile(path, []byte(text), 0o600))
	r.must(os.Chtimes(path, r.now, r.now))
}

func at(root string) turnpost.Place { return turnpost.Place{Root: root, Main: root} }

// want checks that an error is one that the caller can mend.
func want(t *testing.T, err error, code turnpost.Code, field string) {
	t.Helper()
	var coded *turnpost.Error
	if !errors.As(err, &coded) || coded.Code != code || coded.Field != field || coded.Hint == "" {
		t.Errorf("%#v, want %s of %q with a hint", err, code, field)
	}
}

func TestNotesAreFiles(t *testing.T) {
	r := newRig(t)
	if got := r.read(); got.Now != "" || !got.At.IsZero() || got.Dir != r.folder || !r.At("@api").IsZero() {
		t.Errorf("there are notes before any were written: %+v", got)
	}
	r.must(r.Clear("@api"))
	r.must(r.Append("@api", at("/src/api"), "# Rename the flag"))
	r.now = r.now.Add(time.Minute)
	r.must(r.Append("@api", at("/src/api"), "the docs are left\n"))
	want := turnpost.Notes{
		Handle: "@api", Dir: r.folder, Place: "/src/api", Now: "# Rename the flag\nthe docs are left\n", At: r.now,
		Decisions: []turnpost.NotedDecision{},
	}
	if diff := cmp.Diff(want, r.read()); diff != "" || r.file("now.md") != want.Now || !r.At("@api").Equal(r.now) {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.write("all is done")
	if r.file("now.md") != "all is done\n" || r.file("now.previous.md") != "" {
		t.Errorf("now %q, previous %q", r.file("now.md"), r.file("now.previous.md"))
	}
	r.must(r.Clear("@api"))
	if got := r.read(); got.Now != "" || r.file("now.md") != "" || r.file("now.previous.md") != "all is done\n" {
		t.Errorf("after it was cleared: %+v", got)
	}
	r.put("now.md", " \n")
	r.must(r.Clear("@api"))
	if r.file("now.previous.md") != "all is done\n" {
		t.Error("nothing took the place of what was put away")
	}
	r.write("secret work")
	r.must(r.Log("@api", at("/src/api"), turnpost.NotedDecision{At: r.now, Author: "@api", Text: "x"}))
	r.must(filepath.WalkDir(r.dir.Contexts(), func(path string, entry fs.DirEntry, err error) error {
		info, infoErr := entry.Info()
		mode := map[bool]fs.FileMode{true: 0o700, false: 0o600}[entry.IsDir()]
		if err == nil && infoErr == nil && info.Mode().Perm() != mode {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return errors.Join(err, infoErr)
	}))
}

func TestSizesAndEmptyTexts(t *testing.T) {
	r := newRig(t)
	api := at("/src/api")
	for _, blank := range []string{"", " \n\t", "\u200b\u200e\n"} {
		want(t, r.Write("@api", api, blank), turnpost.Invalid, "text")
		want(t, r.Append("@api", api, blank), turnpost.Invalid, "text")
		want(t, r.Log("@api", api, turnpost.NotedDecision{Text: blank}), turnpost.Invalid, "text")
	}
	r.must(r.Write("@api", api, strings.Repeat("x", turnpost.MaxNotes)))
	want(t, r.Write("@api", api, strings.Repeat("x", turnpost.MaxNotes+1)), turnpost.TooLarge, "text")
	want(t, r.Append("@api", api, "x"), turnpost.TooLarge, "text")
	d := turnpost.NotedDecision{Text: strings.Repeat("x", turnpost.MaxNoteDecision-1), Why: "yy"}
	want(t, r.Log("@api", api, d), turnpost.TooLarge, "text")
	d.Why = "y"
	r.must(r.Log("@api", api, d))
	if len(r.read().Now) != turnpost.MaxNotes {
		t.Errorf("%d bytes", len(r.read().Now))
	}
}

// What is no plain file, or lies behind a link, is neither read nor written.
func TestNothingIsWrittenThroughLinks(t *testing.T) {
	r := newRig(t)
	target := filepath.Join(t.TempDir(), "target")
	r.must(os.WriteFile(target, []byte("not yours\n"), 0o600))
	r.must(os.MkdirAll(r.folder, 0o700))
	r.must(os.Symlink(target, filepath.Join(r.folder, "now.md")))
	want(t, r.Write("@api", at("/src/api"), "mine"), turnpost.Conflict, "")
	want(t, r.Append("@api", at("/src/api"), "mine"), turnpost.Conflict, "")
	if r.Stub("@api", at("/src/api"), "stub") == nil {
		t.Error("a stub was written through a link")
	}
	_, err := r.Read("@api")
	want(t, err, turnpost.Conflict, "")
	if data, err := os.ReadFile(target); string(data) != "not yours\n" {
		t.Errorf("%q, %v", data, err)
	}
	r.must(os.RemoveAll(r.folder))
	r.must(os.Symlink(t.TempDir(), r.folder))
	want(t, r.Write("@api", at("/src/api"), "mine"), turnpost.Conflict, "")
	r.must(os.Remove(r.folder))
	r.put("now.md", "caf\xe9")
	want(t, r.Append("@api", at("/src/api"), "mine"), turnpost.Conflict, "")
	if r.file("now.md") != "caf\xe9" {
		t.Errorf("%q", r.file("now.md"))
	}
}

// Two sessions of one handle: no line is lost, no file is torn, nothing mixes.
func TestManyWriters(t *testing.T) {
	r := newRig(t)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for n := range 10 {
				if err := r.Append("@api", at("/src/api"), fmt.Sprintf("line %d.%d", w, n)); err != nil {
					t.Error(err)
				}
				if err := r.Log("@api", at("/src/api"), turnpost.NotedDecision{At: r.now, Author: "@api", Text: fmt.Sprintf("decision %d.%d", w, n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines := map[string]bool{}
	for line := range strings.Lines(r.file("now.md")) {
		lines[line] = true
	}
	notes := r.read()
	if len(lines) != 80 || len(notes.Decisions)+notes.More != 80 {
		t.Errorf("%d lines, %d decisions", len(lines), len(notes.Decisions)+notes.More)
	}
}

// Two sessions of one handle in two places: a reader finds one's notes or the
// other's, whole, and never those of the other place.
func TestWritersOfTwoPlaces(t *testing.T) {
	r := newRig(t)
	page := map[string]string{"": ""}
	for _, who := range []string{"one", "two"} {
		page["/src/"+who] = strings.Repeat(who+" works here\n", 500)
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	for _, who := range []string{"one", "two"} {
		all.Go(func() {
			for range 25 {
				if err := r.Write("@api", at("/src/"+who), page["/src/"+who]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	given := 0
	for {
		for who, other := range map[string]string{"one": "two", "two": "one"} {
			text := r.recall("/src/" + who)
			if strings.Contains(text, other+" works") {
				t.Fatalf("a session in %s was given notes about %s", who, other)
			}
			given += len(text)
		}
		notes, err := recall.Load(r.folder)
		if err == nil && notes.Place != "" && notes.Now != "" && notes.Now != page[notes.Place] {
			t.Fatalf("%d bytes about %s", len(notes.Now), notes.Place)
		}
		select {
		case <-done:
			if given == 0 {
				t.Error("nobody was ever given notes")
			}
			return
		default:
		}
	}
}

func TestNotesOfAnotherPlace(t *testing.T) {
	r := newRig(t)
	r.write("about api")
	want(t, r.Append("@api", at("/src/api-fix"), "about the fix"), turnpost.Conflict, "")
	if r.file("now.md") != "about api\n" {
		t.Errorf("it was mixed: %q", r.file("now.md"))
	}
	r.must(r.Write("@api", at("/src/api-fix"), "about the fix"))
	if r.file("now.md") != "about the fix\n" || r.file("now.previous.md") != "about api\n" || r.read().Place != "/src/api-fix" {
		t.Errorf("now %q, previous %q", r.file("now.md"), r.file("now.previous.md"))
	}
	r.must(r.Clear("@api"))
	r.must(r.Append("@api", at("/src/api"), "api again"))
	if got := r.read(); got.Place != "/src/api" || got.Now != "api again\n" {
		t.Errorf("%+v", got)
	}
}

func TestDecisions(t *testing.T) {
	r := newRig(t)
	texts := []struct{ text, why string }{
		{"Use SQLite, not files", "one writer, and it is there\neverywhere"},
		{"First line\n\nmore of it\n## Why\nnot the reason", ""},
		{"日本語だけ", "## Why\nbecause"},
		{"---\nat: never\n---\nodd", "odd"},
	}
	var want []turnpost.NotedDecision
	for i, d := range texts {
		noted := turnpost.NotedDecision{At: r.now.Add(time.Duration(i) * time.Minute), Author: "@api", Text: d.text, Why: d.why}
		r.must(r.Log("@api", at("/src/with\nline"), noted))
		noted.Text = strings.ReplaceAll(noted.Text, "## Why", "### Why")
		noted.Why = strings.ReplaceAll(noted.Why, "## Why", "### Why")
		want = append([]turnpost.NotedDecision{noted}, want...)
	}
	got := r.read().Decisions
	for i := range got {
		if i < len(want) {
			want[i].File = got[i].File
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got[3].File != "20260730T120000.000Z-use-sqlite-not-files.md" || got[1].File != "20260730T120200.000Z-decision.md" {
		t.Errorf("files %q, %q", got[3].File, got[1].File)
	}
	list, _, err := recall.Decisions(r.folder, 1)
	if err != nil || list[0].Place != "/src/with\nline" {
		t.Errorf("%+v, %v", list, err)
	}
	for range 30 { // of one moment
		r.must(r.Log("@api", at("/src/api"), turnpost.NotedDecision{At: r.now, Author: "@api", Text: "again"}))
	}
	if n := r.read(); len(n.Decisions) != 20 || n.More != 14 || n.Decisions[0].Text != texts[3].text {
		t.Errorf("%d decisions and %d more, the newest is %q", len(n.Decisions), n.More, n.Decisions[0].Text)
	}
	r.put("decisions/zz-mine.md", "a person's own file")
	r.must(os.Symlink("/etc/passwd", filepath.Join(r.folder, "decisions", "zzz.md")))
	if n := r.read(); n.Decisions[0].Text != "a person's own file" || !n.Decisions[0].At.Equal(r.now) {
		t.Errorf("%+v", n.Decisions[0])
	}
}

func TestRenameTakesNotesAlong(t *testing.T) {
	r := newRig(t)
	r.write("work")
	s := turnpost.Session{Harness: "standin", Native: "n/1", Place: at("/src/api")}
	other := turnpost.Session{Harness: "standin", Native: "n_1", Place: at("/src/api")}
	r.must(r.Remember("@api", s))
	if _, err := r.dir.ReadPointer("standin", "n_1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another session's pointer: %v", err)
	}
	r.must(r.Forget(other))
	old := r.dir.Context("@pay/fix")
	r.must(os.MkdirAll(old, 0o700))
	r.must(r.Rename("@api", "@pay/fix"))
	if notes, err := r.Read("@pay/fix"); err != nil || notes.Now != "work\n" || filepath.Base(notes.Dir) != "pay+fix" {
		t.Errorf("%+v, %v", notes, err)
	}
	if p, err := r.dir.ReadPointer("standin", "n/1"); err != nil || p.Handle != "@pay/fix" {
		t.Errorf("%+v, %v", p, err)
	}
	if aside, err := filepath.Glob(old + "~*"); len(aside) != 1 {
		t.Errorf("what lay there is in %q, %v", aside, err)
	}
	if r.read().Now != "" {
		t.Error("the old name has notes")
	}
	r.must(r.Rename("@nobody", "@api"))
	r.must(r.Forget(s))
	if _, err := r.dir.ReadPointer("standin", "n/1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("forgotten: %v", err)
	}
	r.must(r.Remember("@api", s))
	r.must(r.Tidy())
	if _, err := r.dir.ReadPointer("standin", "n/1"); err != nil {
		t.Errorf("tidied: %v", err)
	}
	r.now = time.Now().Add(100 * 24 * time.Hour)
	r.must(r.Tidy())
	if _, err := r.dir.ReadPointer("standin", "n/1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after a long time: %v", err)
	}
}

func session(root string) turnpost.Session { return turnpost.Session{Place: at(root)} }
