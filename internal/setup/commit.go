package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"turnpost/internal/atomicfile"
)

// commit makes one change on disk. Programs that own settings rewrite them
// without a lock, so the old file is taken away whole and looked at once more
// after the swap: what somebody wrote in between comes back.
func (s *Setup) commit(change FileChange) error {
	switch {
	case change.After == nil:
		return s.commitRemoval(change)
	case change.Before == nil:
		return s.commitNew(change)
	}
	staged, err := atomicfile.Stage(change.Target, change.After, change.Mode)
	if err != nil {
		return err
	}
	s.step("staged")
	if err := change.unchanged(); err != nil {
		staged.Discard()
		return err
	}
	s.step("verified")
	switch err := exchange(staged.Temp, staged.Target); {
	case errors.Is(err, errors.ErrUnsupported):
		return staged.Commit()
	case errors.Is(err, fs.ErrNotExist):
		staged.Discard()
		return changedMeanwhile(change.Target)
	case err != nil:
		staged.Discard()
		return fmt.Errorf("replace %s: %w", change.Target, err)
	}
	s.step("exchanged")
	// Temp is the old file now.
	old, err := readQuiet(staged.Temp)
	if err == nil && bytes.Equal(old, change.Before) {
		staged.Discard()
		return atomicfile.SyncDir(filepath.Dir(change.Target))
	}
	return errors.Join(giveBack(staged, change.After), err, changedMeanwhile(change.Target))
}

// giveBack puts a file that was swapped out back in place. If somebody replaced
// ours in the meantime, theirs is the newest and stays.
func giveBack(staged atomicfile.Staged, ours []byte) error {
	err := exchange(staged.Temp, staged.Target)
	if errors.Is(err, fs.ErrNotExist) {
		// Somebody removed the file: that is the newest.
		staged.Discard()
		return nil
	}
	if err != nil {
		return fmt.Errorf("put back %s from %s: %w", staged.Target, staged.Temp, err)
	}
	out, err := readQuiet(staged.Temp)
	if err == nil && !bytes.Equal(out, ours) {
		err = exchange(staged.Temp, staged.Target)
	}
	if err != nil {
		return fmt.Errorf("put back %s from %s: %w", staged.Target, staged.Temp, err)
	}
	staged.Discard()
	return nil
}

// commitNew makes a file that must not exist yet.
func (s *Setup) commitNew(change FileChange) error {
	staged, err := atomicfile.Stage(change.Target, change.After, change.Mode)
	if err != nil {
		return err
	}
	s.step("staged")
	err = os.Link(staged.Temp, staged.Target)
	switch {
	case err == nil:
		s.step("linked")
		staged.Discard()
		return atomicfile.SyncDir(filepath.Dir(change.Target))
	case errors.Is(err, fs.ErrExist):
		staged.Discard()
		return changedMeanwhile(change.Target)
	}
	// No hard links on this file system.
	if err := change.unchanged(); err != nil {
		staged.Discard()
		return err
	}
	return staged.Commit()
}

// commitRemoval takes a file away, and puts it back if it is not what it was.
func (s *Setup) commitRemoval(change FileChange) error {
	staged, err := atomicfile.Stage(change.Target, nil, change.Mode)
	if err != nil {
		return err
	}
	s.step("staged")
	if err := change.unchanged(); err != nil {
		staged.Discard()
		return err
	}
	s.step("verified")
	if err := os.Rename(staged.Target, staged.Temp); err != nil {
		staged.Discard()
		return fmt.Errorf("remove %s: %w", change.Target, err)
	}
	s.step("moved")
	old, err := readQuiet(staged.Temp)
	if err != nil || !bytes.Equal(old, change.Before) {
		// Where a new file appeared meanwhile, it is the newest and stays.
		if linkErr := os.Link(staged.Temp, staged.Target); linkErr != nil && !errors.Is(linkErr, fs.ErrExist) {
			return fmt.Errorf("put back %s from %s: %w", staged.Target, staged.Temp, linkErr)
		}
		staged.Discard()
		return errors.Join(err, changedMeanwhile(change.Target))
	}
	staged.Discard()
	return atomicfile.SyncDir(filepath.Dir(change.Target))
}

// readQuiet reads a file that has no way in any more, once those who still have
// it open for writing are done.
func readQuiet(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read replaced file: %w", err)
	}
	defer file.Close()
	waitForWriters(file)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read replaced file: %w", err)
	}
	return data, nil
}
