package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"turnpost"
)

// textArgument is a text from the command line, or from stdin where it is "-",
// or where there is none and something is piped in. What is longer than most is
// read so far that the hub sees that.
func (a *app) textArgument(args []string, most int64) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" || len(args) == 0 && !a.env.Typed {
		data, err := io.ReadAll(io.LimitReader(a.env.Stdin, most+1))
		if err != nil {
			return "", fmt.Errorf("read stdin: %w", err)
		}
		text = strings.ReplaceAll(string(data), "\r\n", "\n")
	}
	if strings.TrimSpace(text) == "" {
		return "", turnpost.Invalidf("TEXT", "is missing").WithHint("write it at the end, or pipe it in")
	}
	return text, nil
}

// since is how long ago a time was, as a person says it.
func since(t, now time.Time) string {
	d := now.Sub(t)
	if d < time.Second {
		return "just now"
	}
	return ago(d) + " ago"
}

// age is since as a cell of a table.
func age(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return since(t, now)
}
