// Package statedir knows where Turnpost keeps its files and how a client finds
// the hub. The hook client links it, so it imports next to nothing.
//
// The directory is 0700 and every file in it 0600. Nothing in a repository can
// move it: only the environment of the process and the user's home count.
package statedir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"turnpost/internal/document"
)

// Dir is the state directory, absolute.
type Dir string

// Find returns the state directory: TURNPOST_HOME, else
// XDG_STATE_HOME/turnpost, else HOME/.local/state/turnpost. It makes nothing.
func Find(getenv func(string) string) (Dir, error) {
	if dir := getenv("TURNPOST_HOME"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("TURNPOST_HOME: %q is not an absolute path", dir)
		}
		return Dir(filepath.Clean(dir)), nil
	}
	if base := getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return Dir(filepath.Join(base, "turnpost")), nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("HOME is not set to an absolute path")
	}
	return Dir(filepath.Join(home, ".local", "state", "turnpost")), nil
}

func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// The files of the state directory.
func (d Dir) Database() string { return d.path("turnpost.db") }

// Lock is held by the running hub.
func (d Dir) Lock() string { return d.path("hub.lock") }

// HubFile exists while a hub should be up; see Hub.
func (d Dir) HubFile() string { return d.path("hub.json") }

// Token holds the user's token, for TCP.
func (d Dir) Token() string { return d.path("token") }

// Log is where a detached hub writes.
func (d Dir) Log() string { return d.path("hub.log") }

// Spool takes one line of JSON, a turnpost.Spooled, for each lifecycle event
// that found no hub, and an empty line for any other event.
func (d Dir) Spool() string { return d.path("spool.jsonl") }

// HealMark is touched when a client starts a dead hub again, so that the next
// ones do not.
func (d Dir) HealMark() string { return d.path("heal") }

// Trusted is the record of the files of repositories that the person trusted;
// ".lock" beside it is held while it is changed.
func (d Dir) Trusted() string { return d.path("trusted.json") }

// Runs is the directory of what commands of runs left, one folder a run.
func (d Dir) Runs() string { return d.path("runs") }

// Bells is the directory of the bell files. Nothing removes it.
func (d Dir) Bells() string { return d.path("bells") }

// Bell is the bell file of a key. Keys are made by adapters from a pid and a
// start stamp or from a native id; anything else in them becomes "_".
func (d Dir) Bell(key string) string { return filepath.Join(d.Bells(), "b"+fileName(key)) }

// fileName makes a key that others chose a part of a file name. Two keys may
// become the same one.
func fileName(key string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, key)
	if len(safe) > 100 {
		safe = safe[:100]
	}
	return safe
}

// Socket is the default place of the hub's socket; the hub file has the true one.
func (d Dir) Socket() string { return d.path("hub.sock") }

// Protocol is the version of what clients and hub say to each other.
const Protocol = 1

// Hub tells clients where the hub is. A hub writes it when it is ready and
// removes it when it is told to stop; a file whose hub does not answer is a hub
// that died.
type Hub struct {
	Protocol int    `json:"protocol"`
	Pid      int    `json:"pid"`
	Socket   string `json:"socket"`         // path of the unix socket
	TCP      string `json:"tcp,omitempty"`  // "127.0.0.1:21584"
	Heal     string `json:"heal,omitempty"` // program that a client may start, detached, with "up -d" when the hub died
	Keep     int64  `json:"keep,omitempty"` // agents' notes are kept, and given back for so many seconds; 0: they are not
}

// ReadHub reads the hub file; the error wraps os.ErrNotExist when no hub should be up.
func (d Dir) ReadHub() (Hub, error) {
	data, err := os.ReadFile(d.HubFile())
	if err != nil {
		return Hub{}, fmt.Errorf("read hub file: %w", err)
	}
	doc, err := document.Parse(data)
	if err != nil {
		return Hub{}, fmt.Errorf("read hub file: %w", err)
	}
	return Hub{
		Protocol: int(doc.Number("protocol")),
		Pid:      int(doc.Number("pid")),
		Socket:   doc.Text("socket", len(data)),
		TCP:      doc.Text("tcp", len(data)),
		Heal:     doc.Text("heal", len(data)),
		Keep:     doc.Number("keep"),
	}, nil
}
