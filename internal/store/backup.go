package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"turnpost"
)

// Backup writes a consistent, compact copy to a new file (0600) at an absolute
// path, while reads and writes go on; it holds everything that was acknowledged
// before it began. The log cannot be reused meanwhile, so it grows by what is
// written until the copy is done.
func (s *SQLite) Backup(ctx context.Context, path string) (size int64, err error) {
	if !filepath.IsAbs(path) {
		return 0, turnpost.Invalidf("path", "%q is not an absolute path", path)
	}
	if s.stopped.Err() != nil {
		return 0, errClosed()
	}
	s.backups.Add(1)
	defer s.backups.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()

	// SQLite takes an empty file as it is: with the mode that we give it.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, turnpost.Invalidf("path", "%s exists already", path).WithHint("name a new file")
	}
	if err != nil {
		return 0, turnpost.Invalidf("path", "the backup cannot be made: %v", err)
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			size = 0
			_ = os.Remove(path) // half a copy is none
		}
	}()
	if err := s.copyTo(ctx, path); err != nil {
		if s.stopped.Err() != nil {
			return 0, errClosed()
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, explain("write the backup", err)
	}
	if err := file.Sync(); err != nil {
		return 0, fmt.Errorf("sync the backup: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return 0, fmt.Errorf("sync the backup's directory: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("look at the backup: %w", err)
	}
	return info.Size(), nil
}

func (s *SQLite) copyTo(ctx context.Context, path string) error {
	c, err := s.readDB.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, `VACUUM INTO ?`, path)
	return errors.Join(err, c.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
