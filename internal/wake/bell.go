package wake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// bell rings by writing a file that the harness itself watches. The file is
// written in place: watchers lose files that are removed and put back (seen in
// Claude Code 2.1.328 and 2.1.332). The directory is made by the hook client
// and never removed while sessions live.
type bell struct{ dir statedir.Dir }

func (bell) Name() string { return "bell" }

func (bell) Says() string { return "bell" }

// Announced looks for the file that the hook client made when it told the
// session of it.
func (b bell) Announced(wake turnpost.Wake) bool {
	info, err := os.Lstat(b.dir.Bell(wake.Key))
	return err == nil && info.Mode().IsRegular()
}

// Patience is three times the time for which a harness lets a file settle.
func (bell) Patience() time.Duration { return 2 * time.Second }

// Ring writes the time, so that the content changes too.
func (b bell) Ring(_ string, wake turnpost.Wake) error {
	file, err := os.OpenFile(b.dir.Bell(wake.Key), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("ring bell: %w", err)
	}
	_, err = file.WriteString(time.Now().UTC().Format(time.RFC3339Nano) + "\n")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("ring bell: %w", err)
	}
	return nil
}

// Forget removes the file; the directory stays.
func (b bell) Forget(wake turnpost.Wake) error {
	if err := os.Remove(b.dir.Bell(wake.Key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget bell: %w", err)
	}
	return nil
}
