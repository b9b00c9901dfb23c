package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// web is the hub's port, with the user's token.
type tcp struct {
	t     *testing.T
	base  string
	token string
}

func (p *place) tcp() tcp {
	p.t.Helper()
	hub, err := p.state().ReadHub()
	if err != nil {
		p.t.Fatal(err)
	}
	token, err := os.ReadFile(p.state().Token())
	if err != nil {
		p.t.Fatal(err)
	}
	return tcp{p.t, "http://" + hub.TCP, strings.TrimSpace(string(token))}
}

func (w tcp) ask(method, path, body, session string) (status int, answer string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Turnpost-Session", session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// TestHooksOverHTTP: a harness in http mode reports its status, and what is
// wrong is 4xx.
func TestHooksOverHTTP(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	w := p.tcp()
	h := harness.All()[0]
	moment, ok := h.(harness.Standin).Moment(turnpost.Prompt, harness.StandinSession{Native: "over-http", Cwd: p.home})
	if !ok {
		t.Fatal("cannot play a prompt")
	}
	if status, answer := w.ask(http.MethodPost, "/hooks/"+h.Name(), string(moment.Stdin), ""); status != http.StatusOK || answer != "" {
		t.Errorf("a prompt: %d %q", status, answer)
	}
	var board turnpost.Board
	if err := json.Unmarshal([]byte(p.run("", "status", "--json")), &board); err != nil {
		t.Fatal(err)
	}
	if len(board.Sessions) != 1 || board.Sessions[0].Native != "over-http" || board.Sessions[0].Status.State != turnpost.StateWorking {
		t.Errorf("the board shows %+v", board.Sessions)
	}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodPost, "/hooks/nobody", "{}", http.StatusNotFound},
		{http.MethodPost, "/hooks/", "{}", http.StatusNotFound},
		{http.MethodGet, "/hooks/" + h.Name(), "", http.StatusMethodNotAllowed},
		{http.MethodPost, "/hooks/" + h.Name(), "{", http.StatusBadRequest},
		{http.MethodPost, "/hooks/" + h.Name(), `{"session_id":"../x","hook_event_name":"Stop"}`, http.StatusBadRequest},
	} {
		if status, answer := w.ask(c.method, c.path, c.body, ""); status != c.want {
			t.Errorf("%s %s %q: %d %s, want %d", c.method, c.path, c.body, status, answer, c.want)
		}
	}
	w.token = "wrong"
	if status, _ := w.ask(http.MethodPost, "/hooks/"+h.Name(), string(moment.Stdin), ""); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", status)
	}
}

// TestToolsOverHTTPSpeakForNobody: the token alone is nobody there; a hook
// session is its agent.
func TestToolsOverHTTPSpeakForNobody(t *testing.T) {
	p := newPlace(t)
	p.install()
	p.run("", "up", "-d")
	w := p.tcp()
	whoami := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inbox","arguments":{}}}`
	status, answer := w.ask(http.MethodPost, "/mcp", whoami, "")
	if status != http.StatusOK || !strings.Contains(answer, "hook_session") || !strings.Contains(answer, `"isError":true`) {
		t.Errorf("without a session: %d %s", status, answer)
	}
	if status, answer := w.ask(http.MethodPost, "/mcp", whoami, "0123"); status != http.StatusOK || !strings.Contains(answer, "hook_session is not known") {
		t.Errorf("with a made-up session: %d %s", status, answer)
	}
	if status, _ := w.ask(http.MethodGet, "/mcp", "", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("GET /mcp: %d", status)
	}
	if status, page := w.ask(http.MethodGet, "/", "", ""); status != http.StatusOK || !strings.Contains(page, "<html") {
		t.Errorf("GET /: %d", status)
	}
	if status, page := w.ask(http.MethodGet, "/integrations", "", ""); status != http.StatusOK || !strings.Contains(page, "Not on this machine: "+harness.All()[0].Profile().Title) {
		t.Errorf("GET /integrations: %d %s", status, page)
	}
}

// TestTheSpoolReachesTheHub: what hooks left while no hub answered is applied
// at the start, also what an earlier hub did not finish.
func TestTheSpoolReachesTheHub(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	p.run("", "down")
	event := func(native string, kind turnpost.Kind) []byte {
		data, err := json.Marshal(turnpost.Spooled{At: time.Now().UTC(), Event: turnpost.Event{
			Kind: kind, Harness: harness.All()[0].Name(), Native: native, Attended: true,
			Place: turnpost.Place{Root: filepath.Join(p.home, native), Main: filepath.Join(p.home, native)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return append(data, '\n')
	}
	spool := append(event("one", turnpost.SessionStart), []byte("\n{cut off\n")...)
	spool = append(spool, event("two", turnpost.Prompt)...)
	if err := os.WriteFile(p.state().Spool(), spool, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.state().Spool()+".taken", event("three", turnpost.Prompt), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("", "up", "-d")
	var board turnpost.Board
	for limit := time.Now().Add(2 * drainEvery); time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
		board = turnpost.Board{}
		if err := json.Unmarshal([]byte(p.run("", "status", "--json")), &board); err != nil {
			t.Fatal(err)
		}
		if len(board.Sessions) == 3 {
			break
		}
	}
	if len(board.Sessions) != 3 || board.Dropped != 2 {
		t.Errorf("%d sessions, %d events lost, want 3 and 2", len(board.Sessions), board.Dropped)
	}
	for _, left := range []string{p.state().Spool(), p.state().Spool() + ".taken"} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is left", left)
		}
	}
}

func TestSpoolLines(t *testing.T) {
	good := `{"at":"2026-01-01T00:00:00Z","event":{"kind":"turn.end","harness":"h","native":"n","attended":true}}`
	spooled, dropped := parseSpool([]byte(good + "\n\n" + good[:40] + "\n" + good + "\n{}\n"))
	if len(spooled) != 2 || dropped != 3 {
		t.Errorf("%d events, %d dropped", len(spooled), dropped)
	}
}

// TestLongSocketPaths holds where the socket goes.
func TestLongSocketPaths(t *testing.T) {
	long := statedir.Dir("/" + strings.Repeat("directory/", 12) + "state")
	for _, c := range []struct{ dir, run, temp, want string }{
		{"/home/anna/.local/state/turnpost", "/run/user/1", "/tmp", "/home/anna/.local/state/turnpost/hub.sock"},
		{string(long), "/run/user/1", "/tmp", "/run/user/1/turnpost/"},
		{string(long), "", "/tmp", "/tmp/turnpost-7/"},
		{string(long), "relative", "/" + strings.Repeat("t/", 60), "/tmp/turnpost-7/"},
	} {
		env := Env{UID: 7, TempDir: c.temp, Getenv: func(name string) string {
			if name == "XDG_RUNTIME_DIR" {
				return c.run
			}
			return ""
		}}
		got := (&app{env: env}).socketPath(statedir.Dir(c.dir))
		if !strings.HasPrefix(got, c.want) || len(got) > maxSocket {
			t.Errorf("%s: %s, want %s...", c.dir, got, c.want)
		}
	}
}

func TestForeignStateDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	a := &app{env: Env{UID: os.Getuid() + 1, Getenv: func(string) string { return dir }, Stderr: &bytes.Buffer{}}}
	_, err := a.privateState()
	if turnpost.CodeOf(err) != turnpost.Forbidden || !strings.Contains(err.Error(), "belongs to user") {
		t.Errorf("%v", err)
	}
}

func TestResumeIsOneSafeLine(t *testing.T) {
	h := harness.All()[0]
	got := resume(turnpost.Session{Harness: h.Name(), Native: "3f0c", Cwd: "/src/it's; rm -rf x"})
	if !strings.HasPrefix(got, `cd '/src/it'\''s; rm -rf x' && `) || !strings.HasSuffix(got, "'3f0c'") {
		t.Errorf("%s", got)
	}
	for _, s := range []turnpost.Session{{Harness: "nobody", Native: "x"}, {Harness: h.Name()}} {
		if got := resume(s); got != "" {
			t.Errorf("%+v is reopened by %s", s, got)
		}
	}
}
