package harness

import (
	"path/filepath"
	"strings"
)

// tmuxPane is the pane of tmux that a session runs in, ok false where it runs in
// none. TMUX is "socket,server,session".
func tmuxPane(getenv func(string) string) (socket, pane string, ok bool) {
	socket, _, _ = strings.Cut(getenv("TMUX"), ",")
	pane = getenv("TMUX_PANE")
	number, ok := strings.CutPrefix(pane, "%")
	if !ok || number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" || !keepable(socket) {
		return "", "", false
	}
	return filepath.Clean(socket), pane, true
}

// keepable tells whether a path is one that can be put down on a line.
func keepable(path string) bool {
	return filepath.IsAbs(path) && len(path) <= maxPath && !strings.ContainsAny(path, "\x00\n")
}
