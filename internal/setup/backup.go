package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turnpost/internal/atomicfile"
)

// keptBackups is how many backups of one file stay, those the record needs not
// counted.
const keptBackups = 5

func (s *Setup) backupDir() string { return filepath.Join(s.state, "backups") }

// backupPrefix starts the names of all backups of a file.
func backupPrefix(path string) string {
	return filepath.Base(path) + "." + hashOf([]byte(path))[:8] + "."
}

// backupName is where data, the content of the file at path, is kept. Names sort
// by time.
func (s *Setup) backupName(path string, data []byte) string {
	return backupPrefix(path) + s.now().UTC().Format("20060102T150405.000000000") + "." + hashOf(data)[:8]
}

func (s *Setup) saveBackup(name string, data []byte) error {
	if err := os.MkdirAll(s.backupDir(), 0o700); err != nil {
		return fmt.Errorf("make backup directory: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(s.backupDir(), name), data, 0o600); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

// loadBase returns the bytes of a file without us, nil for none. ok is false
// when they are lost.
func (s *Setup) loadBase(base baseFile) (data []byte, ok bool) {
	if base.Absent {
		return nil, true
	}
	if base.Backup == "" || base.Backup != filepath.Base(base.Backup) {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(s.backupDir(), base.Backup))
	if err != nil || hashOf(data) != base.Hash {
		return nil, false
	}
	return data, true
}

// pruneBackups drops the oldest backups of a file over the limit, never one that
// the record refers to.
func (s *Setup) pruneBackups(path string, r record) error {
	entries, err := os.ReadDir(s.backupDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list backups: %w", err)
	}
	var names []string
	for _, entry := range entries {
		needed := slices.ContainsFunc(r.Files, func(f recordFile) bool { return f.Base.Backup == entry.Name() })
		if strings.HasPrefix(entry.Name(), backupPrefix(path)) && !needed {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	for _, name := range names[:max(0, len(names)-keptBackups)] {
		if err := os.Remove(filepath.Join(s.backupDir(), name)); err != nil {
			return fmt.Errorf("remove old backup: %w", err)
		}
	}
	return nil
}
