package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

// draftFlags are the flags of the commands that post an item.
type draftFlags struct {
	channel string
	body    string
	key     string
	urgent  bool
}

func (f *draftFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.channel, "channel", "c", "", "post in this channel")
	flags.StringVarP(&f.body, "body", "b", "", "the rest of the text; - reads it from stdin")
	flags.BoolVarP(&f.urgent, "urgent", "u", false, "interrupt, whatever the addressee's level is")
	flags.StringVar(&f.key, "key", "", "idempotency key: the same key and text post once")
}

// draft makes an item of the arguments: leading @handles and #channels say
// where it goes, or where there are none, trailing ones; the rest is its text. A
// lone "-" is a text on stdin.
func (a *app) draft(f draftFlags, args []string) (turnpost.Draft, error) {
	d := turnpost.Draft{Channel: f.channel, Urgent: f.urgent, Key: f.key}
	leading := 0
	for leading < len(args) && isRecipient(args[leading]) {
		leading++
	}
	to, args := args[:leading], args[leading:]
	if leading == 0 {
		end := len(args)
		for end > 0 && isRecipient(args[end-1]) {
			end--
		}
		to, args = args[end:], args[:end]
	}
	for _, word := range to {
		switch {
		case word[0] == '@':
			d.To = append(d.To, word)
		case d.Channel != "":
			return d, turnpost.Invalidf("channel", "is given twice: %s and %s", d.Channel, word)
		default:
			d.Channel = word
		}
	}
	text := strings.Join(args, " ")
	if text == "-" && f.body == "-" {
		return d, turnpost.Invalidf("body", "text and body cannot both come from stdin")
	}
	var err error
	if d.Body, err = a.textOf(f.body); err != nil {
		return d, err
	}
	if text == "-" {
		if text, err = a.textOf("-"); err != nil {
			return d, err
		}
		text = strings.TrimSpace(text)
	}
	if head, rest, ok := strings.Cut(text, "\n"); ok {
		text, d.Body = head, strings.TrimSpace(rest+"\n"+d.Body)
	}
	d.Summary = strings.ReplaceAll(text, "\r", " ")
	if strings.TrimSpace(d.Summary+d.Body) == "" {
		return d, turnpost.Invalidf("TEXT", "is missing").WithHint("write it after the addressees, or - to read it from stdin")
	}
	return d, nil
}

// textOf is a value of a flag, read from stdin for "-".
func (a *app) textOf(value string) (string, error) {
	if value != "-" {
		return value, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.env.Stdin, turnpost.MaxBody+turnpost.MaxSummary+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
}

// isRecipient tells whether a word of the command line is a handle or a channel.
func isRecipient(word string) bool {
	return len(word) > 1 && (word[0] == '@' || word[0] == '#') && !strings.ContainsAny(word, " \n")
}
