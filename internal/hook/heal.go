package hook

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"turnpost/internal/statedir"
)

// healEvery is how often a dead hub is started again.
const healEvery = 5 * time.Second

// heal starts the hub's program, if the hub wished that when it was started,
// and does not wait for it. The hub's own lock settles it when two start at
// once; the mark keeps a row of hook calls from starting a row of programs.
func heal(dir statedir.Dir, program string, now time.Time) {
	if !filepath.IsAbs(program) || !markHeal(dir.HealMark(), now) {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	closeOnExec()
	child, err := os.StartProcess(program, []string{program, "up", "-d"}, &os.ProcAttr{
		Dir:   string(dir),
		Env:   hubEnv(os.Environ()),
		Files: []*os.File{null, null, null},
		Sys:   detached(),
	})
	if err == nil {
		_ = child.Release()
	}
}

// markHeal takes the turn to start the hub: one process in healEvery gets it.
func markHeal(mark string, now time.Time) bool {
	file, err := os.OpenFile(mark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return file.Close() == nil
	}
	if file, err = os.OpenFile(mark, os.O_WRONLY, 0); err != nil {
		return false
	}
	defer file.Close()
	if !lock(file) {
		return false
	}
	info, err := file.Stat()
	return err == nil && now.Sub(info.ModTime()).Abs() >= healEvery && os.Chtimes(mark, now, now) == nil
}

// hubEnv is the part of a hook's environment that a hub may have. The rest
// belongs to the harness, its key for the model service among it.
func hubEnv(environ []string) []string {
	var env []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TZ", "TMPDIR",
			"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "TURNPOST_HOME":
			env = append(env, entry)
		default:
			if strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LC_") {
				env = append(env, entry)
			}
		}
	}
	return env
}
