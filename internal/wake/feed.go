package wake

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

// feed rings by a line in a file that the session was started with and reads
// prompts from.
type feed struct{ kept }

func (feed) Name() string { return "feed" }

func (feed) Says() string { return "input file" }

// Patience is ten times the pause between two looks of Qwen Code 0.24.4.
func (feed) Patience() time.Duration { return 5 * time.Second }

// Ring appends one line in one write. The file is somebody else's: it is never
// made, and has to be a plain one of this user, not a link.
func (f feed) Ring(name string, wake turnpost.Wake) error {
	h, _ := harness.Find(name)
	feeder, ok := h.(harness.Feeder)
	if !ok {
		return fmt.Errorf("ring by feed: %.40q reads none", name)
	}
	lines, err := f.lines(wake, 1)
	if err != nil {
		return fmt.Errorf("ring by feed: %w", err)
	}
	file, err := openPlain(lines[0], os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("ring by feed: %w", err)
	}
	_, err = file.Write(feeder.RingLine())
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("ring by feed: %w", err)
	}
	return nil
}

// openPlain opens a file that is there. What stands there is looked at before,
// so that nothing waits for the other end of a pipe, and after, so that it is
// what was looked at.
func openPlain(path string, flag int) (*os.File, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("%.200q is not an absolute path", path)
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || !mine(before) {
		return nil, fmt.Errorf("%.200q is not a plain file of this user", path)
	}
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	after, err := file.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = errors.New("it was replaced just now")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
