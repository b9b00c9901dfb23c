package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"turnpost"
)

// TestMain makes the test binary a process that grants, too.
func TestMain(m *testing.M) {
	if record := os.Getenv("TRUST_TEST_RECORD"); record != "" {
		for _, file := range os.Args[1:] {
			if err := grantAsIs(Open(record), file); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func grantAsIs(s Store, file string) error {
	look, err := s.Look(file)
	if err != nil {
		return err
	}
	return s.Grant(file, look.Hash, noon)
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// dir is a temporary directory without links in its path.
func dir(t *testing.T) string {
	t.Helper()
	full, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func look(t *testing.T, s Store, file string) Look {
	t.Helper()
	l, err := s.Look(file)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTrustIsByPathAndContent(t *testing.T) {
	at := dir(t)
	s := Open(filepath.Join(at, "trusted.json"))
	file := write(t, filepath.Join(at, "a.toml"), "one")
	twin := write(t, filepath.Join(at, "b.toml"), "one")

	want := Look{Path: file, Hash: hashOf("one"), Data: []byte("one"), State: Unknown}
	if diff := cmp.Diff(want, look(t, s, file)); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if err := s.Grant(file, hashOf("one"), noon); err != nil {
		t.Fatal(err)
	}
	want.State, want.At = Trusted, noon
	if diff := cmp.Diff(want, look(t, s, file)); diff != "" {
		t.Errorf("granted (-want +got):\n%s", diff)
	}
	if got := look(t, s, twin).State; got != Unknown {
		t.Errorf("a copy elsewhere is %s", got)
	}

	write(t, file, "two")
	want = Look{Path: file, Hash: hashOf("two"), Data: []byte("two"), State: Changed, At: noon}
	if diff := cmp.Diff(want, look(t, s, file)); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	later := noon.Add(time.Hour)
	if err := s.Grant(file, hashOf("two"), later); err != nil {
		t.Fatal(err)
	}
	write(t, file, "one")
	if got := look(t, s, file).State; got != Changed {
		t.Errorf("what was trusted before is %s: the newest grant alone counts", got)
	}
	write(t, file, "two")
	if got := look(t, s, file); got.State != Trusted || !got.At.Equal(later) {
		t.Errorf("trusted anew: %s at %s", got.State, got.At)
	}
	if err := s.Revoke(file); err != nil {
		t.Fatal(err)
	}
	if got := look(t, s, file).State; got != Unknown {
		t.Errorf("revoked: %s", got)
	}
	info, err := os.Stat(filepath.Join(at, "trusted.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the record's mode is %v", info.Mode())
	}
}

func TestGrantOnlyWhatWasSeen(t *testing.T) {
	at := dir(t)
	s := Open(filepath.Join(at, "trusted.json"))
	file := write(t, filepath.Join(at, "a.toml"), "one")
	seen := look(t, s, file)
	write(t, file, "two")
	if err := s.Grant(file, seen.Hash, noon); turnpost.CodeOf(err) != turnpost.Conflict {
		t.Errorf("granting what is there no more: %v", err)
	}
	if err := s.Grant(file, "", noon); turnpost.CodeOf(err) != turnpost.Conflict {
		t.Errorf("granting without a hash: %v", err)
	}
	if entries, err := s.List(); err != nil || len(entries) != 0 {
		t.Errorf("the record has %v, %v", entries, err)
	}
}

// A link is judged by what is at its end, so one that leads out of its
// repository is trusted with that file, and not with the repository's path.
func TestLinks(t *testing.T) {
	at := dir(t)
	s := Open(filepath.Join(at, "trusted.json"))
	outside := write(t, filepath.Join(at, "outside.toml"), "one")
	other := write(t, filepath.Join(at, "other.toml"), "one")
	link := filepath.Join(at, "repo", "link.toml")
	if err := os.Mkdir(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := grantAsIs(s, link); err != nil {
		t.Fatal(err)
	}
	if got := look(t, s, outside); got.State != Trusted || got.Path != outside {
		t.Errorf("the file at its end: %s, %s", got.Path, got.State)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if got := look(t, s, link); got.State != Unknown || got.Path != other {
		t.Errorf("the link that leads elsewhere now: %s, %s", got.Path, got.State)
	}
	if err := s.Revoke(filepath.Join(filepath.Dir(link), "..", "outside.toml")); err != nil {
		t.Error(err)
	}

	// A trusted path that became a link is gone, whatever is at the link's end.
	if err := grantAsIs(s, outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, outside); err != nil {
		t.Fatal(err)
	}
	entries, err := s.List()
	if err != nil || len(entries) != 1 || entries[0].State != Gone {
		t.Errorf("list: %v, %v", entries, err)
	}
	if err := s.Revoke(outside); err != nil {
		t.Errorf("revoke what is a link now: %v", err)
	}
}

func TestRefusedFiles(t *testing.T) {
	at := dir(t)
	s := Open(filepath.Join(at, "trusted.json"))
	dangling := filepath.Join(at, "dangling")
	if err := os.Symlink(filepath.Join(at, "nowhere"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		code       turnpost.Code
		missing    bool
	}{
		{"directory", at, turnpost.Invalid, false},
		{"device", os.DevNull, turnpost.Invalid, false},
		{"missing", filepath.Join(at, "missing"), turnpost.NotFound, true},
		{"dangling link", dangling, turnpost.NotFound, true},
		{"too large", write(t, filepath.Join(at, "large"), strings.Repeat("x", MaxFile+1)), turnpost.TooLarge, false},
	} {
		for verb, err := range map[string]error{
			"look":  func() error { _, err := s.Look(c.path); return err }(),
			"grant": s.Grant(c.path, strings.Repeat("0", 64), noon),
		} {
			if turnpost.CodeOf(err) != c.code || errors.Is(err, fs.ErrNotExist) != c.missing {
				t.Errorf("%s a %s: %v", verb, c.name, err)
			}
		}
	}
	if got := look(t, s, write(t, filepath.Join(at, "just"), strings.Repeat("x", MaxFile))); len(got.Data) != MaxFile {
		t.Errorf("read %d bytes of the largest file", len(got.Data))
	}
	if err := s.Revoke(filepath.Join(at, "missing")); turnpost.CodeOf(err) != turnpost.NotFound {
		t.Errorf("revoke what is not trusted: %v", err)
	}
}

func TestList(t *testing.T) {
	at := dir(t)
	s := Open(filepath.Join(at, "trusted.json"))
	if entries, err := s.List(); err != nil || len(entries) != 0 {
		t.Errorf("without a record: %v, %v", entries, err)
	}
	var want []Entry
	for _, name := range []string{"c", "a", "b"} {
		file := write(t, filepath.Join(at, name), name)
		if err := grantAsIs(s, file); err != nil {
			t.Fatal(err)
		}
		want = append(want, Entry{Path: file, Hash: hashOf(name), At: noon})
	}
	write(t, want[1].Path, "else")
	if err := os.Remove(want[2].Path); err != nil {
		t.Fatal(err)
	}
	want[0].State, want[1].State, want[2].State = Trusted, Changed, Gone
	got, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	byPath := cmpopts.SortSlices(func(a, b Entry) bool { return a.Path < b.Path })
	if diff := cmp.Diff(want, got, byPath); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got[0].Path > got[1].Path || got[1].Path > got[2].Path {
		t.Errorf("not sorted: %v", got)
	}
	if err := s.Revoke(want[2].Path); err != nil {
		t.Errorf("revoke what is gone: %v", err)
	}
}

func TestDamagedRecord(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for name, text := range map[string]string{
		"empty":         "",
		"half":          `{"version":1,"files":[{"path":"/a","sha256":"`,
		"another thing": `[]`,
		"newer":         `{"version":2,"files":[]}`,
		"unknown key":   `{"version":1,"files":[],"all":true}`,
		"two documents": `{"version":1,"files":[]} {}`,
		"relative path": `{"version":1,"files":[{"path":"a","sha256":"` + hash + `","at":"2026-03-04T12:00:00Z"}]}`,
		"open path":     `{"version":1,"files":[{"path":"/a/../b","sha256":"` + hash + `","at":"2026-03-04T12:00:00Z"}]}`,
		"no hash":       `{"version":1,"files":[{"path":"/a","sha256":"","at":"2026-03-04T12:00:00Z"}]}`,
		"twice": `{"version":1,"files":[{"path":"/a","sha256":"` + hash + `","at":"2026-03-04T12:00:00Z"},` +
			`{"path":"/a","sha256":"` + hash + `","at":"2026-03-04T12:00:00Z"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			at := dir(t)
			record := write(t, filepath.Join(at, "trusted.json"), text)
			s := Open(record)
			file := write(t, filepath.Join(at, "a"), "one")
			_, lookErr := s.Look(file)
			_, listErr := s.List()
			for verb, err := range map[string]error{
				"look": lookErr, "list": listErr, "grant": s.Grant(file, hashOf("one"), noon), "revoke": s.Revoke(file),
			} {
				var coded *turnpost.Error
				if !errors.As(err, &coded) || coded.Field != record || coded.Hint == "" {
					t.Errorf("%s: %v", verb, err)
				}
			}
			if after, err := os.ReadFile(record); err != nil || string(after) != text {
				t.Errorf("the record is %q now, %v", after, err)
			}
		})
	}
}

// TestManyProcesses lets processes grant at the same time: none loses what
// another one wrote.
func TestManyProcesses(t *testing.T) {
	const processes, each = 6, 10
	at := dir(t)
	record := filepath.Join(at, "trusted.json")
	running := make([]*exec.Cmd, processes)
	for p := range processes {
		var files []string
		for n := range each {
			files = append(files, write(t, filepath.Join(at, fmt.Sprintf("%d-%d", p, n)), "one"))
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], files...)
		cmd.Env = append(os.Environ(), "TRUST_TEST_RECORD="+record)
		cmd.Stderr = t.Output()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running[p] = cmd
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	entries, err := Open(record).List()
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != processes*each {
		t.Errorf("%d files are trusted, want %d", len(entries), processes*each)
	}
	for _, e := range entries {
		if e.State != Trusted {
			t.Errorf("%s is %s", e.Path, e.State)
		}
	}
}
