package work

import (
	"fmt"
	"os"
	"strings"
	"time"

	"turnpost"
)

const (
	maxOutput = 1 << 20 // bytes of a stream that are kept in its file
	maxTail   = 2000    // bytes of both streams in the value of a result
)

// output is one stream of a command. What it takes never fails: a command must
// not end because its output is long or a disk is full.
type output struct {
	path  string
	file  *os.File
	size  int64 // of what came
	kept  int64 // of what is in the file
	tail  []byte
	wrong error // of the file
}

func newOutput(path string) (*output, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &output{path: path, file: file}, nil
}

// Write keeps what there is room for, and the end of what came.
func (o *output) Write(data []byte) (int, error) {
	if room := maxOutput - o.kept; room > 0 && o.wrong == nil {
		n, err := o.file.Write(data[:min(room, int64(len(data)))])
		o.kept += int64(n)
		o.wrong = err
	}
	o.size += int64(len(data))
	o.tail = append(o.tail, data[max(0, len(data)-maxTail):]...)
	if over := len(o.tail) - maxTail; over > 0 {
		o.tail = append(o.tail[:0], o.tail[over:]...)
	}
	return len(data), nil
}

func (o *output) close() { _ = o.file.Close() } // what is in the value is what counts

// last is the end of the stream as text, at most limit bytes of it, from the
// start of a line where one is near.
func (o *output) last(limit int) string {
	text := strings.ToValidUTF8(string(o.tail), "\uFFFD")
	text = strings.ToValidUTF8(text[max(0, len(text)-limit):], "")
	if whole := int64(len(o.tail)) == o.size && len(o.tail) <= limit; !whole {
		if _, rest, ok := strings.Cut(text, "\n"); ok && len(rest) >= len(text)/2 {
			text = rest
		}
	}
	return strings.TrimRight(text, "\n")
}

// title says how much came and where it is.
func (o *output) title(name string) string {
	text := fmt.Sprintf("%s: %d bytes in %s", name, o.size, o.path)
	switch {
	case o.wrong != nil:
		text += fmt.Sprintf(", %d of them kept: %v", o.kept, o.wrong)
	case o.kept < o.size:
		text += fmt.Sprintf(", the first %d of them kept", o.kept)
	}
	return text
}

// value is a result in words: how it ended, how long it took, where the output
// is, and its last lines.
func value(how string, took time.Duration, stdout, stderr *output) string {
	// What one stream does not need of its half is the other's.
	half := maxTail / 2
	complaints := stderr.last(max(half, maxTail-len(stdout.tail)))
	said := stdout.last(maxTail - len(complaints))
	var out strings.Builder
	fmt.Fprintf(&out, "%s after %s\n", how, took.Round(time.Millisecond))
	for _, stream := range []struct{ title, text string }{
		{stdout.title("stdout"), said}, {stderr.title("stderr"), complaints},
	} {
		out.WriteString(stream.title + "\n")
		if stream.text != "" {
			out.WriteString(stream.text + "\n")
		}
	}
	return fit(strings.TrimRight(out.String(), "\n"))
}

// fit makes text what the hub takes: valid, without zero bytes, and not too long.
func fit(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= turnpost.MaxRunText {
		return text
	}
	return strings.ToValidUTF8(text[:turnpost.MaxRunText], "")
}
