package cli

import (
	"crypto/sha256"
	"encoding/hex"
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
	"turnpost/internal/statedir"
)

// privateState makes the state directory, or holds an existing one to what it
// has to be: the user's own and closed to others.
func (a *app) privateState() (statedir.Dir, error) {
	dir, err := a.state()
	if err != nil {
		return "", err
	}
	if err := a.privateDir(string(dir)); err != nil {
		return "", err
	}
	return dir, nil
}

func (a *app) privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return turnpost.Errorf(turnpost.Invalid, "state directory: %v", err).WithHint("set TURNPOST_HOME to a directory of yours")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at state directory: %w", err)
	}
	if owner, ok := ownerOf(info); ok && a.env.UID >= 0 && owner != a.env.UID {
		return turnpost.Errorf(turnpost.Forbidden, "%s belongs to user %d, you are user %d", dir, owner, a.env.UID).
			WithHint("set TURNPOST_HOME to a directory of yours")
	}
	if info.Mode().Perm()&0o077 != 0 && a.env.UID >= 0 {
		return turnpost.Errorf(turnpost.Forbidden, "%s is open to other users", dir).WithHint("chmod 700 %s", dir)
	}
	return nil
}

// lockState takes the lock of the running hub. It is the operating system's, so
// a hub that was killed has let go of it.
func lockState(dir statedir.Dir) (unlock func(), err error) {
	lock := flock.New(dir.Lock(), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock state directory: %w", err)
	}
	if !ok {
		return nil, runningAlready(dir)
	}
	unlock = func() { _ = lock.Close() } // the process ends anyway
	if err := os.WriteFile(dir.Lock(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		unlock()
		return nil, fmt.Errorf("write lock: %w", err)
	}
	return unlock, nil
}

// locked tells whether a hub holds the lock.
func locked(dir statedir.Dir) (bool, error) {
	lock := flock.New(dir.Lock(), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("look at lock: %w", err)
	}
	return !ok, lock.Close()
}

// runningAlready names the hub that holds the lock.
func runningAlready(dir statedir.Dir) error {
	who := "a process that does not say its number"
	if data, err := os.ReadFile(dir.Lock()); err == nil && len(data) > 0 {
		who = "process " + strings.TrimSpace(string(data))
	}
	where := "it is starting or stopping"
	if hub, err := dir.ReadHub(); err == nil && who == "process "+strconv.Itoa(hub.Pid) {
		where = "socket " + hub.Socket
		if hub.TCP != "" {
			where = "http://" + hub.TCP
		}
	}
	return turnpost.Errorf(turnpost.Conflict, "a hub runs on %s already: %s, %s", dir, who, where).
		WithHint("turnpost status looks at it, turnpost down stops it")
}

// writeHub tells clients where the hub is.
func writeHub(dir statedir.Dir, hub statedir.Hub) error {
	data, err := json.Marshal(hub)
	if err != nil {
		return fmt.Errorf("encode hub file: %w", err)
	}
	if err := atomicfile.Write(dir.HubFile(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write hub file: %w", err)
	}
	return nil
}

// removeHub makes that nothing looks for a hub or starts it again.
func removeHub(dir statedir.Dir) error {
	if err := os.Remove(dir.HubFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove hub file: %w", err)
	}
	return nil
}

// maxSocket is the longest path of a socket that we use, in bytes; systems take
// 103 at the least.
const maxSocket = 100

// socketPath is in the state directory, or, where that path is too long for a
// socket, in the runtime directory or in a private one for temporary files.
func (a *app) socketPath(dir statedir.Dir) string {
	if path := dir.Socket(); len(path) <= maxSocket {
		return path
	}
	sum := sha256.Sum256([]byte(dir))
	name := hex.EncodeToString(sum[:6]) + ".sock"
	if run := a.env.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		if path := filepath.Join(run, "turnpost", name); len(path) <= maxSocket {
			return path
		}
	}
	own := "turnpost-" + strconv.Itoa(a.env.UID)
	if path := filepath.Join(a.env.TempDir, own, name); len(path) <= maxSocket {
		return path
	}
	return filepath.Join("/tmp", own, name)
}
