package wake

import (
	"fmt"
	"io"
	"os"
	"strings"

	"turnpost"
	"turnpost/internal/statedir"
)

// kept is what the hook client put down when a session started: where it is rung.
// Events are not asked: whoever reaches the socket writes them, and an agent in a
// sandbox may.
type kept struct{ dir statedir.Dir }

// maxKept is larger than a path and a key.
const maxKept = 8 << 10

// lines reads the n lines of a session.
func (k kept) lines(wake turnpost.Wake, n int) ([]string, error) {
	file, err := openPlain(k.dir.Bell(wake.Key), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("find where the session is: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxKept))
	if err != nil {
		return nil, fmt.Errorf("find where the session is: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != n {
		return nil, fmt.Errorf("find where the session is: %d lines, want %d", len(lines), n)
	}
	return lines, nil
}

// Announced tells whether anything was put down.
func (k kept) Announced(wake turnpost.Wake) bool { return bell(k).Announced(wake) }

// Forget takes it away.
func (k kept) Forget(wake turnpost.Wake) error { return bell(k).Forget(wake) }
