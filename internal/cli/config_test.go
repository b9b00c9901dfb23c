package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/hub"
)

func TestTheDocumentedConfigurationLoads(t *testing.T) {
	env := quietEnv(t)
	dir := filepath.Join(env.Home, ".config", "turnpost")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(configExample), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := (&app{env: env}).loadConfig()
	if err != nil {
		t.Fatal(err)
	}
	want := hub.Config{
		Human:     "@anna",
		Escalate:  5 * time.Minute,
		Retention: 14 * 24 * time.Hour,
		Handles:   map[string]string{filepath.Join(env.Home, "src/shop/api"): "@api"},
		Interrupt: map[string]turnpost.InterruptLevel{"@api": turnpost.InterruptNeedsAction},
		Act:       map[string]bool{},
		Failures:  map[turnpost.FailureClass]hub.FailurePolicy{turnpost.FailureRateLimit: {Presence: turnpost.Away, Loud: turnpost.LoudSilent}},
	}
	if diff := cmp.Diff(want, got.hub); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.listen != "127.0.0.1:21584" || got.fresh != 24*time.Hour {
		t.Errorf("listen is %q, notes are fresh for %s", got.listen, got.fresh)
	}
}

func TestHowLongNotesAreFresh(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 24 * time.Hour, "[keep]\nfresh = \"12h\"": 12 * time.Hour, "[keep]\nfresh = \"7d\"": 7 * 24 * time.Hour,
		"[keep]\noff = true": 0, "[keep]\noff = true\nfresh = \"12h\"": 0, "[keep]\nfresh = \"30s\"": -1,
	} {
		env := quietEnv(t)
		dir := filepath.Join(env.Home, ".config", "turnpost")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := (&app{env: env}).loadConfig()
		if (err != nil) != (want < 0) || err == nil && got.fresh != want {
			t.Errorf("%q: %s, %v", text, got.fresh, err)
		}
	}
}

func TestTheUserHasAHandle(t *testing.T) {
	for login, want := range map[string]string{
		"anna": "@anna", "Anna": "@anna", "anna.b_c-d": "@anna.b_c-d", "anna berg": "@anna-berg",
		"": "@me", "田中": "@me", "root": "@root", "a/b/c": "@a-b-c", "x@corp": "@x-corp",
	} {
		env := quietEnv(t)
		env.Login = login
		if got := (&app{env: env}).human(); got != want {
			t.Errorf("%q is %s, want %s", login, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "5m": 5 * time.Minute, "1h30m": 90 * time.Minute, "14d": 14 * 24 * time.Hour, "0s": 0,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "d", "-5m", "-1d", "1.5d", "five minutes", "99999999d"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
