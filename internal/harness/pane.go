package harness

import (
	"path/filepath"
	"strings"

	"turnpost"
)

// paneWake is the way to type into the terminal of a session, the zero Wake
// where that is no pane of tmux. TMUX is "socket,server,session".
func paneWake(getenv func(string) string) turnpost.Wake {
	socket, _, _ := strings.Cut(getenv("TMUX"), ",")
	pane := getenv("TMUX_PANE")
	number, ok := strings.CutPrefix(pane, "%")
	if !ok || number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" ||
		!filepath.IsAbs(socket) || strings.IndexByte(socket, 0) >= 0 || len(socket) > maxPath {
		return turnpost.Wake{}
	}
	return turnpost.Wake{Method: "keys", Key: pane, At: filepath.Clean(socket), Armed: true}
}
