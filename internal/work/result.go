package work

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"turnpost"
	"turnpost/internal/atomicfile"
)

// Result is what came of a command.
type Result struct {
	Status turnpost.EffectState `json:"status"` // ok or error
	Value  string               `json:"value"`
}

// The files of an effect, in a directory of its name.
const (
	resultFile  = "result.json"
	processFile = "process.json"
)

// dirOf is the directory of an effect. The name comes from the hub, so it is
// held to what the hub's names are.
func (w *worker) dirOf(effect string) (string, error) {
	number, ok := strings.CutPrefix(effect, "e-")
	if _, err := strconv.ParseUint(number, 10, 63); !ok || err != nil {
		return "", fmt.Errorf("%q is not the name of an effect", effect)
	}
	return filepath.Join(w.Dir, effect), nil
}

// keep writes a result so that it lasts.
func (w *worker) keep(effect string, result Result) error {
	dir, err := w.dirOf(effect)
	if err != nil {
		return err
	}
	data, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory of %s: %w", effect, err)
	}
	if err := atomicfile.Write(filepath.Join(dir, resultFile), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write result of %s: %w", effect, err)
	}
	if err := atomicfile.SyncDir(w.Dir); err != nil {
		return fmt.Errorf("write result of %s: %w", effect, err)
	}
	return nil
}

// kept returns the result that a worker left.
func (w *worker) kept(effect string) (Result, bool, error) {
	dir, err := w.dirOf(effect)
	if err != nil {
		return Result{}, false, err
	}
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, false, nil
	}
	if err != nil {
		return Result{}, false, fmt.Errorf("read result of %s: %w", effect, err)
	}
	var result Result
	if err := json.Unmarshal(data, &result); err != nil {
		return Result{}, false, fmt.Errorf("read result of %s: %w", effect, err)
	}
	return result, true, nil
}

// lock takes a file for this process. It is the operating system's, so that a
// worker that was killed has let go of it.
func lock(path string) (unlock func(), err error) {
	file := flock.New(path, flock.SetPermissions(0o600))
	ok, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the run's directory: %w", err)
	}
	if !ok {
		who := "another process"
		if data, err := os.ReadFile(path); err == nil && len(data) > 0 {
			who = "process " + strings.TrimSpace(string(data))
		}
		return nil, turnpost.Errorf(turnpost.Conflict, "%s works at this run already", who)
	}
	unlock = func() { _ = file.Close() } // the process ends anyway
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		unlock()
		return nil, fmt.Errorf("write lock: %w", err)
	}
	return unlock, nil
}
