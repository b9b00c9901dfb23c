package work

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"turnpost/internal/atomicfile"
)

// name is the name that workers with one directory have in common. It is made
// up once: what names a machine may change, or two may have it, and then a
// worker would speak for commands that it knows nothing of.
func name(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read name of the worker: %w", err)
	}
	if name := strings.TrimSpace(string(data)); name != "" {
		return name, nil
	}
	name := "w-" + strings.ToLower(rand.Text()[:8])
	if err := atomicfile.Write(path, []byte(name+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write name of the worker: %w", err)
	}
	return name, nil
}
