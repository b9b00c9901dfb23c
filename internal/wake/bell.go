package wake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"turnpost/internal/statedir"
)

// bell rings by writing a file that the harness itself watches. The file is
// written in place: watchers lose files that are removed and put back (seen in
// Claude Code 2.1.328 and 2.1.332). The directory is made by the hook client
// and never removed while sessions live.
type bell struct{ dir statedir.Dir }

func (bell) Name() string { return "bell" }

// Announced looks for the file that the hook client made when it told the
// session of it.
func (b bell) Announced(key string) bool {
	info, err := os.Lstat(b.dir.Bell(key))
	return err == nil && info.Mode().IsRegular()
}

// Ring writes the time, so that the content changes too.
func (b bell) Ring(key string) error {
	if key == "" {
		return fmt.Errorf("ring bell: the session has no key")
	}
	file, err := os.OpenFile(b.dir.Bell(key), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
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
func (b bell) Forget(key string) error {
	if err := os.Remove(b.dir.Bell(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget bell: %w", err)
	}
	return nil
}
