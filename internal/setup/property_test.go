package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

// settingsGenerator writes settings files as people and programs leave them.
type settingsGenerator struct {
	*rand.Rand
	eol, indent, colon, comma string
	lines                     bool
	comments                  bool // JSONC: comments and trailing commas
}

func newSettingsGenerator(seed uint64) *settingsGenerator {
	return &settingsGenerator{Rand: rand.New(rand.NewPCG(seed, 1))}
}

func pick[T any](g *settingsGenerator, from ...T) T { return from[g.IntN(len(from))] }

func (g *settingsGenerator) chance(percent int) bool { return g.IntN(100) < percent }

// file returns one settings file.
func (g *settingsGenerator) file() string {
	if g.chance(4) {
		return pick(g, "", "\n", "  \r\n\t", byteOrderMark)
	}
	g.eol = pick(g, "\n", "\n", "\r\n")
	g.indent = pick(g, "  ", "    ", "\t", " ", "")
	g.colon = pick(g, ": ", ": ", ":", " : ")
	g.comma = pick(g, ", ", ",")
	g.lines = g.chance(80)
	var out strings.Builder
	if g.chance(10) {
		out.WriteString(byteOrderMark)
	}
	if g.chance(5) {
		out.WriteString(g.eol)
	}
	members := g.members()
	out.WriteString(g.container("{", "}", members, "", g.lines))
	out.WriteString(pick(g, g.eol, g.eol, "", g.eol+g.eol, " "))
	return out.String()
}

func (g *settingsGenerator) members() []func(indent string, lines bool) string {
	var out []func(string, bool) string
	add := func(key string, value func(string, bool) string) {
		out = append(out, func(indent string, lines bool) string { return key + g.colon + value(indent, lines) })
	}
	for range g.IntN(6) {
		add(g.key(), g.value(2))
	}
	if g.chance(60) {
		add(pick(g, `"hooks"`, `"hooks"`, `"h\u006foks"`), g.hooks)
	}
	if g.chance(60) {
		add(`"permissions"`, g.permissions)
	}
	g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (g *settingsGenerator) hooks(indent string, lines bool) string {
	var events []func(string, bool) string
	for _, event := range []string{"Stop", "SessionStart", "PreToolUse", "FileChanged"} {
		if g.chance(50) {
			continue
		}
		events = append(events, func(indent string, lines bool) string {
			var groups []func(string, bool) string
			for range g.IntN(3) {
				groups = append(groups, g.group)
			}
			return `"` + event + `"` + g.colon + g.container("[", "]", groups, indent, lines && g.chance(90))
		})
	}
	return g.container("{", "}", events, indent, lines)
}

func (g *settingsGenerator) group(indent string, lines bool) string {
	var members []func(string, bool) string
	if g.chance(40) {
		members = append(members, func(string, bool) string { return `"matcher"` + g.colon + pick(g, `"Bash"`, `"*"`, `""`) })
	}
	members = append(members, func(indent string, lines bool) string {
		var handlers []func(string, bool) string
		for range 1 + g.IntN(2) {
			command := pick(g, `"say done"`, `"node /home/u/turnpost-notes/x.js"`, `"/x/turnpost-hook claude-code"`,
				`"'\/y\/turnpost-hook' claude-code || exit 0"`, `"echo <ü> && true"`)
			handlers = append(handlers, func(indent string, lines bool) string {
				return g.container("{", "}", []func(string, bool) string{
					func(string, bool) string { return `"type"` + g.colon + `"command"` },
					func(string, bool) string { return `"command"` + g.colon + command },
					func(string, bool) string { return `"timeout"` + g.colon + pick(g, "5", "10.0", "5000") },
				}, indent, lines)
			})
		}
		return `"hooks"` + g.colon + g.container("[", "]", handlers, indent, lines)
	})
	return g.container("{", "}", members, indent, lines)
}

func (g *settingsGenerator) permissions(indent string, lines bool) string {
	var members []func(string, bool) string
	for _, list := range []string{"allow", "deny"} {
		if g.chance(30) {
			continue
		}
		members = append(members, func(indent string, lines bool) string {
			var rules []func(string, bool) string
			for range g.IntN(4) {
				rules = append(rules, func(string, bool) string {
					return pick(g, `"Bash(ls:*)"`, `"Read(.\/.env)"`, `"mcp__turnpost__post"`, `"ünïcödé"`)
				})
			}
			return `"` + list + `"` + g.colon + g.container("[", "]", rules, indent, lines && g.chance(50))
		})
	}
	return g.container("{", "}", members, indent, lines)
}

// container lays out its parts; empty ones take several forms.
func (g *settingsGenerator) container(open, end string, parts []func(string, bool) string, indent string, lines bool) string {
	if len(parts) == 0 {
		return open + g.comment(false) + end
	}
	var out strings.Builder
	out.WriteString(open)
	pad := ""
	if !lines && g.chance(10) {
		pad = " "
	}
	for i, part := range parts {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString(g.comment(lines))
		switch {
		case lines:
			if g.chance(3) {
				out.WriteString(g.eol)
			}
			out.WriteString(g.eol + indent + g.indent)
		case i > 0:
			out.WriteString(strings.TrimPrefix(g.comma, ","))
		default:
			out.WriteString(pad)
		}
		out.WriteString(part(indent+g.indent, lines))
		out.WriteString(g.comment(false))
	}
	if g.comments && g.chance(30) {
		out.WriteString(pick(g, ",", " ,"))
	}
	out.WriteString(g.comment(lines))
	if lines {
		out.WriteString(g.eol + indent)
	} else {
		out.WriteString(pad)
	}
	return out.String() + end
}

// comment returns blanks and comments; one to the end of its line only where a
// line break follows.
func (g *settingsGenerator) comment(lineBreak bool) string {
	switch {
	case !g.comments || g.chance(70):
		return ""
	case lineBreak && g.chance(60):
		return pick(g, " // mine, {[ \"", "//", g.eol+g.indent+"// ünï */")
	}
	return pick(g, " /* a, b */", "/**/ ", " /* over"+g.eol+"lines */ ")
}

func (g *settingsGenerator) key() string {
	return pick(g, `"model"`, `"env"`, `"a.b"`, `"ünï 名"`, `"\u0065scaped"`, `"k\"q"`, `"`+strings.Repeat("x", 1+g.IntN(20))+`"`, `""`, `"twice"`)
}

func (g *settingsGenerator) value(depth int) func(string, bool) string {
	return func(indent string, lines bool) string {
		if depth > 0 && g.chance(40) {
			open, end := "[", "]"
			object := g.chance(50)
			if object {
				open, end = "{", "}"
			}
			var parts []func(string, bool) string
			for range g.IntN(4) {
				parts = append(parts, func(indent string, lines bool) string {
					value := g.value(depth-1)(indent, lines)
					if object {
						return g.key() + g.colon + value
					}
					return value
				})
			}
			return g.container(open, end, parts, indent, lines && g.chance(80))
		}
		return pick(g, "true", "null", "0", "-0", "1.0", "1E+2", "1e400", "123456789012345678901234567890", "0.10",
			`"<a> & 'b'"`, `"tab\t\u00e9\ud83d\ude00"`, "\"\u2028\"", `"\ud800"`, "\"\xff\"", `"//not a comment"`, `"{[,]}"`, `"名"`)
	}
}

func TestGeneratedFilesComeBackByteForByte(t *testing.T) {
	const count = 250
	const shards = 25
	for shard := range shards {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			for seed := shard; seed < count; seed += shards {
				roundTrip(t, uint64(seed))
			}
		})
	}
}

func roundTrip(t *testing.T, seed uint64) {
	t.Helper()
	g := newSettingsGenerator(seed)
	before := g.file()
	f := newFixture(t)
	mode := pick(g, fs.FileMode(0o600), 0o644, 0o640, 0o664)
	real := f.settings
	if g.chance(30) {
		real = filepath.Join(f.home, "dotfiles", "claude settings.json")
	}
	for _, dir := range []string{filepath.Dir(f.settings), filepath.Dir(real)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(real, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, mode); err != nil {
		t.Fatal(err)
	}
	if real != f.settings {
		if err := os.Symlink(real, f.settings); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string) {
		t.Helper()
		if info, err := os.Stat(f.settings); err != nil || info.Mode() != mode {
			t.Errorf("seed %d, %s: mode %v, %v; want %v", seed, when, info.Mode(), err, mode)
		}
		info, err := os.Lstat(f.settings)
		if err != nil || (info.Mode()&fs.ModeSymlink != 0) != (real != f.settings) {
			t.Errorf("seed %d, %s: the link changed: %v, %v", seed, when, info.Mode(), err)
		}
	}

	f.apply(f.setup.PlanInstall(f.place()))
	check("installed")
	installed := f.read()
	if !json.Valid(bytes.TrimPrefix([]byte(installed), []byte(byteOrderMark))) {
		t.Fatalf("seed %d: not JSON:\n%s", seed, installed)
	}
	if !isSubsequence(before, installed) && !blank([]byte(before)) {
		t.Errorf("seed %d: more than additions:\n%s", seed, cmp.Diff(before, installed))
	}
	if plan := f.plan(f.setup.PlanInstall(f.place())); !plan.Empty() {
		t.Errorf("seed %d: not at rest:\n%s", seed, plan.Diff())
	}
	f.apply(f.setup.PlanRemove(f.place()))
	check("removed")
	if got := f.read(); got != before {
		t.Fatalf("seed %d: not the old bytes:\n%s", seed, cmp.Diff(before, got))
	}

	// Splicing out, without the backup, is the inverse of splicing in.
	values, containers := valuesOf(t, f.place()), []string(nil)
	spliced, created, err := jsonEditor{}.Insert([]byte(before), values)
	if err != nil || string(spliced) != installed {
		t.Fatalf("seed %d: insert: %v\n%s", seed, err, cmp.Diff(installed, string(spliced)))
	}
	containers = append(containers, created...)
	out, taken, err := jsonEditor{}.Remove(spliced, values)
	if err != nil || !cmp.Equal(taken, []bool{true, true, true, true}) {
		t.Fatalf("seed %d: remove: %v, %v", seed, taken, err)
	}
	if out, err = (jsonEditor{}).Prune(out, containers); err != nil {
		t.Fatal(err)
	}
	if out == nil && blank([]byte(before)) {
		return // the plan knows the old bytes
	}
	if string(out) != before {
		t.Errorf("seed %d: splicing is no inverse:\n%s", seed, cmp.Diff(before, string(out)))
	}
}

func valuesOf(t *testing.T, place Place) []Value {
	t.Helper()
	var out []Value
	for _, entry := range place.Entries {
		data, err := encodeValue(entry.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Value{Pointer: entry.Pointer, JSON: data})
	}
	return out
}

// isSubsequence tells whether b is a with bytes added.
func isSubsequence(a, b string) bool {
	for i := 0; i < len(b) && a != ""; i++ {
		if a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}

func TestInvalidFilesAreRefusedUntouched(t *testing.T) {
	const count = 50
	refused := 0
	for seed := uint64(0); refused < count; seed++ {
		g := newSettingsGenerator(seed + 10_000)
		content := g.broken()
		if blank([]byte(content)) || json.Valid(bytes.TrimPrefix([]byte(content), []byte(byteOrderMark))) {
			continue
		}
		refused++
		f := newFixture(t).withSettings(content)
		_, err := f.setup.PlanInstall(f.place())
		wantCode(t, err, turnpost.Invalid)
		if err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("seed %d: %v does not say where", seed, err)
		}
		if _, err := f.setup.PlanRemove(f.place()); turnpost.CodeOf(err) != turnpost.Invalid {
			t.Errorf("seed %d: remove: %v", seed, err)
		}
		if f.read() != content {
			t.Errorf("seed %d: the file changed", seed)
		}
		f.wantClean()
		f.wantNoFile(f.state)
	}
}

// broken returns a settings file with one or more faults.
func (g *settingsGenerator) broken() string {
	content := g.file()
	for blank([]byte(content)) {
		content = g.file()
	}
	for range 1 + g.IntN(3) {
		at := g.IntN(len(content))
		content = pick(g,
			content[:at],
			content[:at]+pick(g, ",", "}", "]", "\"", ":", "//x\n", "/* x */", "\x00", "'", "NaN", "\x01")+content[at:],
			strings.TrimRight(content, " \r\n}")+",}",
			content+"{}",
			"// comment\n"+content,
		)
		if content == "" {
			return "{"
		}
	}
	return content
}

func TestApplyNeedsNoHash(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if _, err := f.setup.Apply(context.Background(), plan, ""); err != nil {
		t.Fatal(err)
	}
}
