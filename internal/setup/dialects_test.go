package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

// others is a place with a file of each dialect, as other harnesses have them.
func (f *fixture) others() Place {
	server := map[string]any{"command": "/x/turnpost", "args": []string{"mcp"}}
	return Place{Owner: "others user " + f.home, Entries: []harness.Entry{
		{File: f.path("config.toml"), Dialect: "toml", Pointer: "/mcp_servers", Key: "turnpost", Value: server, Why: "tools"},
		{File: f.path("config.toml"), Dialect: "toml", Pointer: "/hooks/state", Key: f.path("hooks.json") + ":stop:0:0", Value: map[string]any{"trusted_hash": "sha256:00"}},
		{File: f.path("settings.jsonc"), Dialect: "jsonc", Pointer: "/hooks/Stop", Value: map[string]any{"hooks": []any{handler{"command", "x", 10, false}}}},
		{File: f.path("settings.jsonc"), Dialect: "jsonc", Pointer: "/mcp", Key: "turnpost", Value: server},
		{File: f.path("mcp.json"), Dialect: "json", Pointer: "/mcpServers", Key: "turnpost", Value: server},
		{File: f.path("plugin.js"), Dialect: "file", Value: "// ours\nlet a = 1\n"},
	}}
}

func (f *fixture) path(name string) string { return filepath.Join(f.home, ".other", name) }

// foreign is what these files hold without us.
func foreign() map[string]string {
	return map[string]string{
		"config.toml":    "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = 'x' # keep",
		"settings.jsonc": "{\n  // mine\n  \"theme\": \"dark\", // as ever\n  \"mcp\": { /* none */ },\n}\n",
		"mcp.json":       "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}",
	}
}

func (f *fixture) withForeign() {
	f.t.Helper()
	if err := os.MkdirAll(f.path(""), 0o755); err != nil {
		f.t.Fatal(err)
	}
	for name, content := range foreign() {
		if err := os.WriteFile(f.path(name), []byte(content), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
}

// wantForeign holds the files to what they were.
func (f *fixture) wantForeign() {
	f.t.Helper()
	for name, want := range foreign() {
		got, err := os.ReadFile(f.path(name))
		if err != nil || string(got) != want {
			f.t.Errorf("%s: %v (-want +got):\n%s", name, err, cmp.Diff(want, string(got)))
		}
	}
	f.wantNoFile(f.path("plugin.js"))
}

func TestOnePlanOverDialects(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.withForeign()
	places := []Place{f.place(), f.others()}
	plan := f.plan(f.setup.PlanInstall(places...))
	if len(plan.Files) != 5 {
		t.Fatalf("plan of %d files:\n%s", len(plan.Files), plan.Diff())
	}
	f.apply(plan, nil)
	if plan := f.plan(f.setup.PlanInstall(places...)); !plan.Empty() {
		t.Errorf("not at rest:\n%s", plan.Diff())
	}
	f.apply(f.setup.PlanRemove(places[1]))
	f.wantForeign()
	f.apply(f.setup.PlanRemove(places[0]))
	f.wantSettings(plainSettings)

	// Without the record too, and where somebody changed the files since.
	f.apply(f.setup.PlanInstall(places...))
	if err := os.Remove(filepath.Join(f.state, "setup.json")); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanRemove(places...))
	f.wantForeign()
	f.wantSettings(plainSettings)
}

// A member with another value under our key is somebody else's.
func TestSomebodyElsesValueStays(t *testing.T) {
	f := newFixture(t)
	f.withForeign()
	content := map[string]string{
		"config.toml":    "[mcp_servers.turnpost]\ncommand = \"mine\"\n",
		"settings.jsonc": "{\"mcp\": {\"turnpost\": {\"command\": \"mine\"}}}",
		"mcp.json":       "{\"mcpServers\": {\"turnpost\": null}}",
	}
	for name, text := range content {
		if err := os.WriteFile(f.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plan := f.plan(f.setup.PlanInstall(f.others()))
	warned := slices.DeleteFunc(slices.Clone(plan.Warnings), func(w string) bool { return !strings.Contains(w, "exists with another value and stays so") })
	if len(warned) != 3 {
		t.Errorf("warnings %q", plan.Warnings)
	}
	f.apply(plan, nil)
	f.apply(f.setup.PlanRemove(f.others()))
	for name, want := range content {
		if got, err := os.ReadFile(f.path(name)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// What somebody made of our value stays when the rest goes, and is named.
func TestAChangedMemberStaysAndIsNamed(t *testing.T) {
	f := newFixture(t)
	f.withForeign()
	f.apply(f.setup.PlanInstall(f.others()))
	data, err := os.ReadFile(f.path("config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), "/x/turnpost", "/mine/turnpost", 1)
	if err := os.WriteFile(f.path("config.toml"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := f.plan(f.setup.PlanRemove(f.others()))
	if len(plan.Left) != 1 || !strings.Contains(plan.Left[0], "config.toml") || !strings.Contains(plan.Left[0], "turnpost") {
		t.Errorf("left %q", plan.Left)
	}
	f.apply(plan, nil)
	got, err := os.ReadFile(f.path("config.toml"))
	if err != nil || !strings.Contains(string(got), "/mine/turnpost") || strings.Contains(string(got), "trusted_hash") {
		t.Errorf("%s, %v", got, err)
	}
}

// A record of before entries had keys is read as it is.
func TestOldRecordsStillWork(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	data, err := os.ReadFile(filepath.Join(f.state, "setup.json"))
	if err != nil || strings.Contains(string(data), `"key"`) {
		t.Fatalf("%v: entries without a key name one:\n%s", err, data)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
}

// dialectValues are what the property tests put into a document.
func dialectValues() map[string][]Value {
	json := []Value{
		hookValue("Stop", "/x"), hookValue("SessionStart", "/y"), allowValue(),
		memberValue("", "turnpost", `{"a":[1,{}]}`), memberValue("/mcpServers", "turnpost", `{"command":"/x"}`), memberValue("/permissions", "ask", `"x"`),
	}
	return map[string][]Value{
		"json": json, "jsonc": json,
		"toml": {tomlServer(), memberValue("/hooks/state", "/h:stop:0:0", `{"trusted_hash":"sha256:00"}`), memberValue("", "turnpost", `{}`)},
	}
}

// Insert then remove gives the old bytes, for random documents of each dialect,
// in whatever order the values are taken out.
func TestSplicesAreReversible(t *testing.T) {
	const count = 600
	for dialect, values := range dialectValues() {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(count) {
				reversible(t, dialect, values, seed)
			}
		})
	}
}

func reversible(t *testing.T, dialect string, values []Value, seed uint64) {
	t.Helper()
	g := newSettingsGenerator(seed + 50_000)
	g.comments = dialect == "jsonc"
	before := ""
	if dialect == "toml" {
		before = g.toml()
	} else {
		before = g.file()
	}
	editor := editors()[dialect]
	spliced, created, err := editor.Insert([]byte(before), values)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, before)
	}
	if !isSubsequence(before, string(spliced)) && !blank([]byte(before)) {
		t.Errorf("seed %d: more than additions:\n%s", seed, cmp.Diff(before, string(spliced)))
	}
	present, err := editor.Find(spliced, values)
	if err != nil || slices.ContainsFunc(present, func(p Presence) bool { return p != Exact }) {
		t.Fatalf("seed %d: found %v, %v in\n%s", seed, present, err, spliced)
	}
	// Arrays and objects know no order among ours; text behind one of ours is not moved.
	order := slices.Clone(values)
	if dialect == "toml" {
		g.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	} else {
		slices.Reverse(order)
	}
	out, taken, err := editor.Remove(spliced, order)
	if err != nil || slices.Contains(taken, false) {
		t.Fatalf("seed %d: taken %v, %v", seed, taken, err)
	}
	if out, err = editor.Prune(out, created); err != nil {
		t.Fatal(err)
	}
	if string(out) != before && !(blank(out) && blank([]byte(before))) {
		t.Fatalf("seed %d: not the old bytes:\n%s", seed, cmp.Diff(before, string(out)))
	}
}

// toml returns one TOML file as people leave them.
func (g *settingsGenerator) toml() string {
	eol := pick(g, "\n", "\n", "\r\n")
	if g.chance(5) {
		return pick(g, "", eol, "  ", byteOrderMark)
	}
	var out strings.Builder
	if g.chance(10) {
		out.WriteString(byteOrderMark)
	}
	note := func() string { return pick(g, "", "", " # mine", "\t#[x] = \"") }
	value := func() string {
		return pick(g, `"a # b"`, `'[x]'`, "1", "0xFF", "nan", "-inf", "1979-05-27T07:32:00Z", "true", "[ 1, 2 ]",
			"["+eol+"  'a', # one"+eol+"  'b',"+eol+"]", "\"\"\""+eol+"[mcp_servers.turnpost]"+eol+"\"\"\"", "{ a = 1, b.c = 'x' }")
	}
	keys := func(prefix string) {
		for i := range g.IntN(4) {
			out.WriteString(pick(g, "", "", "  ") + prefix + pick(g, "k%d", "\"q k%d\"", "a.k%d", "'lit %d'"))
			text := strings.Replace(out.String(), "%d", fmt.Sprint(i), 1)
			out.Reset()
			out.WriteString(text + pick(g, " = ", "=") + value() + note() + eol)
			if g.chance(20) {
				out.WriteString(pick(g, eol, "# between"+eol))
			}
		}
	}
	keys("")
	tables := []string{"features", "mcp_servers", "mcp_servers.other", "mcp_servers.\"turn post\"", "hooks.state", "hooks.state.'/b:stop:0:0'", "profiles . x", "[hooks.Stop]", "[hooks.Stop]"}
	for _, table := range tables {
		if g.chance(50) {
			continue
		}
		out.WriteString(pick(g, "", eol, eol, eol+eol) + "[" + table + "]" + note() + eol)
		keys("t.")
	}
	out.WriteString(pick(g, "", "", eol, "# end"+eol, "  "))
	text := out.String()
	if g.chance(30) {
		text = strings.TrimRight(text, " \r\n") + pick(g, "", " ", "# end")
	}
	return text
}

// Files that are broken are refused with their place, and stay as they are.
func TestBrokenDialectsAreRefusedUntouched(t *testing.T) {
	for name, content := range map[string]string{
		"settings.jsonc": "{\n  // mine\n  \"a\": ,\n}",
		"config.toml":    "a = 1\nb = = 2\n",
	} {
		f := newFixture(t)
		f.withForeign()
		if err := os.WriteFile(f.path(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := f.setup.PlanInstall(f.others())
		wantCode(t, err, turnpost.Invalid)
		if err == nil || !strings.Contains(err.Error(), "line ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v does not say where", name, err)
		}
		if got, err := os.ReadFile(f.path(name)); err != nil || string(got) != content {
			t.Errorf("%s changed: %s, %v", name, got, err)
		}
	}
}
