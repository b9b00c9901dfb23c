package wake

import (
	"os"
	"path/filepath"
	"testing"

	"turnpost"
	"turnpost/internal/statedir"
)

func TestBellWritesInPlace(t *testing.T) {
	dir := statedir.Dir(t.TempDir())
	if err := os.Mkdir(dir.Bells(), 0o700); err != nil {
		t.Fatal(err)
	}
	wakers := All(dir, nil)
	ring := turnpost.Wake{Method: "bell", Key: "4711-9f"}
	if err := wakers.Ring("", ring); err != nil {
		t.Fatal(err)
	}
	if !wakers.Announced(ring) || wakers.Announced(turnpost.Wake{Method: "bell", Key: "4712-9f"}) ||
		wakers.Announced(turnpost.Wake{Method: "bell"}) || wakers.Announced(turnpost.Wake{Method: "smoke signals", Key: "4711-9f"}) {
		t.Error("announced is not what has a file")
	}
	before, err := os.Stat(dir.Bell(ring.Key))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(dir.Bell(ring.Key))
	if err := wakers.Ring("", ring); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(dir.Bell(ring.Key))
	if err != nil {
		t.Fatal(err)
	}
	second, _ := os.ReadFile(dir.Bell(ring.Key))
	if !os.SameFile(before, after) || string(first) == string(second) {
		t.Errorf("the second ring made another file or no change: %q then %q", first, second)
	}
	if err := wakers.Forget(ring); err != nil || wakers.Announced(ring) || wakers.Forget(ring) != nil {
		t.Errorf("forgotten, it is still there: %v", err)
	}
	if after.Mode().Perm() != 0o600 {
		t.Errorf("bell is %v, want 0600", after.Mode().Perm())
	}
}

func TestKeysStayInTheBellsDirectory(t *testing.T) {
	dir := statedir.Dir(t.TempDir())
	if err := os.Mkdir(dir.Bells(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"../../etc/x", "a/b", "..", "x\x00y", "$(touch x)"} {
		if err := All(dir, nil).Ring("", turnpost.Wake{Method: "bell", Key: key}); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		if got := filepath.Dir(dir.Bell(key)); got != dir.Bells() {
			t.Errorf("%q rings in %s", key, got)
		}
	}
}

func TestUnknownMethodIsRefused(t *testing.T) {
	wakers := All(statedir.Dir(t.TempDir()), nil)
	if wakers.Knows("smoke signals") {
		t.Error("knows smoke signals")
	}
	if err := wakers.Ring("", turnpost.Wake{Method: "smoke signals", Key: "k"}); err == nil {
		t.Error("rang by smoke signals")
	}
	if err := wakers.Ring("", turnpost.Wake{Method: "bell"}); err == nil {
		t.Error("rang a bell without a key")
	}
}
