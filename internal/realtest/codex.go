package realtest

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Codex is OpenAI's Codex CLI.
type Codex struct {
	// Daemon lets its terminals live in the daemon that it starts in the
	// background, as they do for a person. It copies 430 MB into the home first.
	Daemon bool
}

// codexProfile is a layer on the person's own config.toml, to which Codex and
// tests write, in a file of its own.
const codexProfile = "realtest"

func (Codex) Pin() string     { return "codex" }
func (Codex) Command() string { return "codex" }

func (Codex) Executable() string {
	arch, system := "x86_64", "unknown-linux-musl"
	if runtime.GOARCH == "arm64" {
		arch = "aarch64"
	}
	if runtime.GOOS == "darwin" {
		system = "apple-darwin"
	}
	return "@openai/codex-" + npmPlatform() + "/vendor/" + arch + "-" + system + "/bin/codex"
}

func (c Codex) Furnish(h *Home) {
	h.Write(codexFile("config.toml"), []byte("[analytics]\nenabled = false\n\n[tui]\nshow_tooltips = false\n"))
	if c.Daemon {
		h.t.Cleanup(func() { c.removeSockets(h) })
	}
}

// removeSockets takes away what the daemon keeps in /tmp, whatever TMPDIR says;
// links in the home lead there.
func (Codex) removeSockets(h *Home) {
	links, _ := filepath.Glob(filepath.Join(h.Dir, codexFile("app-server-*"), "*.sock")) // a good pattern
	for _, link := range links {
		socket, err := os.Readlink(link)
		if err == nil {
			err = errors.Join(os.RemoveAll(socket), os.RemoveAll(socket+".lock"))
		}
		if err != nil {
			h.t.Errorf("remove a socket of the daemon: %v", err)
		}
	}
}

func (Codex) Trust(h *Home, dir string) {
	table := "\n[projects." + strconv.Quote(dir) + "]\ntrust_level = \"trusted\"\n"
	h.Write(codexFile("config.toml"), append(codexRead(h, codexFile("config.toml")), table...))
}

// Env writes the address down: Codex takes that of a provider from a file only.
// It asks once, so that a failure ends its turn at once. The daemon takes over
// no session that was started with a profile; and what a person allows in such a
// session, Codex keeps in the profile.
func (c Codex) Env(h *Home, url string) []string {
	file := codexFile("config.toml")
	if !c.Daemon {
		file = codexFile(codexProfile + ".config.toml")
	}
	address := `base_url = "` + url + `/v1"`
	old := regexp.MustCompile(`base_url = "[^"]*"`)
	config := codexRead(h, file)
	if old.Match(config) {
		h.Write(file, old.ReplaceAllLiteral(config, []byte(address)))
		return nil
	}
	h.Write(file, append([]byte(`model = "`+Model+`"
model_provider = "realtest"
check_for_update_on_startup = false

[model_providers.realtest]
name = "realtest"
`+address+`
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

`), config...))
	return nil
}

// codexRead reads a file of the home, which need not be there.
func codexRead(h *Home, name string) []byte {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.Dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatalf("read the settings: %v", err)
	}
	return raw
}

func codexFile(name string) string { return filepath.Join(".codex", name) }

// OneShot: it wants a repository, or to be told that none is needed.
func (c Codex) OneShot(prompt string) []string {
	return append(c.layer("exec"), "--skip-git-repo-check", prompt)
}

func (c Codex) Interactive() []string {
	if c.Daemon {
		return nil
	}
	return c.layer("--no-daemon")
}

// layer adds the profile to a command line.
func (c Codex) layer(args ...string) []string {
	if c.Daemon {
		return args
	}
	return append(args, "--profile", codexProfile)
}

func (Codex) Interrupt() []string { return []string{keyEsc} }
func (Codex) Quit() string        { return "/quit" }

// Look knows the screen of 0.171.0. Hooks that are new or changed are trusted,
// as the person who installed them would.
func (Codex) Look(screen string) View {
	const trust = "2. Trust all and continue"
	var v View
	switch {
	case strings.Contains(screen, "› "+trust):
		v.Answer = keyEnter
	case strings.Contains(screen, trust):
		v.Answer = "2"
	default:
		v.Input, v.Ready = codexInput(screen)
	}
	v.Busy = strings.Contains(screen, "esc to interrupt") || codexAnswering(screen)
	return v
}

// codexAnswering tells whether an answer stands there that does not say yet how
// long it took: its Stop hooks run, of which nothing is shown at first.
func codexAnswering(screen string) bool {
	last := strings.LastIndex(screen, "\n• ")
	return last >= 0 && !strings.Contains(screen[last:], "Worked for ") && !strings.Contains(screen[last:], "■ Conversation interrupted")
}

// codexHint stands in an empty input line.
const codexHint = "Ask Codex to do anything"

// codexInput finds the text behind the last prompt sign at the left edge, up to
// the empty line below it. It takes input once the line below names the model:
// before that, a dialog may still come. A list of commands stands in its place
// while one is typed.
func codexInput(screen string) (string, bool) {
	const sign = "\n› "
	start := strings.LastIndex(screen, sign)
	if start < 0 {
		return "", false
	}
	text, below, _ := strings.Cut(screen[start+len(sign):], "\n\n")
	if text = strings.TrimSpace(text); text == codexHint {
		text = ""
	}
	return text, strings.HasPrefix(text, "/") || strings.Contains(below, Model)
}
