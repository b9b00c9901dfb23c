package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

// Places are found as git itself makes them.
func TestFindPlace(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{top}, parts...)...) }
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + top}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	mkdir := func(parts ...string) {
		t.Helper()
		if err := os.MkdirAll(at(parts...), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string, parts ...string) {
		t.Helper()
		if err := os.WriteFile(at(parts...), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mkdir("api", "src", "deep")
	mkdir("plain", "dir")
	git(at("api"), "init", "-q")
	git(at("api"), "commit", "-q", "--allow-empty", "-m", "x")
	git(at("api"), "worktree", "add", "-q", at("api-auth"))
	git(at("api"), "worktree", "add", "-q", at("elsewhere", "auth"))
	mkdir("elsewhere", "auth", "sub")
	git(top, "clone", "-q", "--bare", at("api"), at("bare.git"))
	git(at("bare.git"), "worktree", "add", "-q", at("of-bare"))
	git(top, "clone", "-q", at("api"), at("super"))
	git(at("super"), "submodule", "--quiet", "add", at("api"), "lib")
	if err := os.Symlink(at("elsewhere", "auth"), at("link")); err != nil {
		t.Fatal(err)
	}
	mkdir("thief")
	write("gitdir: "+at("api", ".git", "worktrees", "api-auth")+"\n", "thief", ".git")
	mkdir("stale")
	write("gitdir: /nowhere/.git/worktrees/x\n", "stale", ".git")
	mkdir("odd")
	write("\x00\xff", "odd", ".git")
	mkdir("relative", "main", ".git", "worktrees", "w")
	mkdir("relative", "w")
	write("gitdir: ../main/.git/worktrees/w\n", "relative", "w", ".git")
	write("../../../../w/.git\n", "relative", "main", ".git", "worktrees", "w", "gitdir")

	for cwd, want := range map[string]turnpost.Place{
		at("api"):                      {Root: at("api"), Main: at("api")},
		at("api", "src", "deep"):       {Root: at("api"), Main: at("api")},
		at("api-auth"):                 {Root: at("api-auth"), Main: at("api"), Worktree: "api-auth"},
		at("elsewhere", "auth", "sub"): {Root: at("elsewhere", "auth"), Main: at("api"), Worktree: "auth"},
		at("link", "sub"):              {Root: at("elsewhere", "auth"), Main: at("api"), Worktree: "auth"},
		at("of-bare"):                  {Root: at("of-bare"), Main: at("bare.git"), Worktree: "of-bare"},
		at("super"):                    {Root: at("super"), Main: at("super")},
		at("super", "lib"):             {Root: at("super", "lib"), Main: at("super", "lib")},
		at("plain", "dir"):             {Root: at("plain", "dir"), Main: at("plain", "dir")},
		at("gone", "dir"):              {Root: at("gone", "dir"), Main: at("gone", "dir")},
		at("thief"):                    {Root: at("thief"), Main: at("thief")},
		at("stale"):                    {Root: at("stale"), Main: at("stale")},
		at("odd"):                      {Root: at("odd"), Main: at("odd")},
		at("relative", "w"):            {Root: at("relative", "w"), Main: at("relative", "main"), Worktree: "w"},
		"":                             {},
	} {
		if diff := cmp.Diff(want, findPlace(cwd)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", cwd, diff)
		}
	}
}
