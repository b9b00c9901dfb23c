//go:build unix

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"turnpost/internal/realtest"
)

// script runs a test that is written in JavaScript, with the files beside it,
// in Node and in the Bun that opencode is built with. It must end by itself.
func script(t *testing.T, name string, files func(dir string) map[string]string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	home := realtest.NewHome(t, 1, onlyNode{}, realtest.Opencode{})
	for _, engine := range []struct{ name, program, env string }{
		{"Node", "node", ""},
		{"Bun", "opencode", "BUN_BE_BUN=1"},
	} {
		t.Run(engine.name, func(t *testing.T) {
			dir := filepath.Join(home.Dir, engine.name)
			for file, text := range files(dir) {
				home.Write(filepath.Join(engine.name, file), []byte(text))
			}
			home.Write(filepath.Join(engine.name, name), source)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(home.Dir, ".local", "bin", engine.program), filepath.Join(dir, name))
			cmd.Dir, cmd.Env = dir, home.Env(engine.env)
			cmd.WaitDelay = time.Second
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != "done\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestPluginCore(t *testing.T) {
	core, err := os.ReadFile(filepath.Join("..", "harness", "plugin_core.js"))
	if err != nil {
		t.Fatal(err)
	}
	script(t, "plugin_core.mjs", func(string) map[string]string {
		return map[string]string{"core.mjs": string(core) + "\nexport { makeTurnpost }\n"}
	})
}
