package hub

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"turnpost"
)

// The text budget of one answer, in runes: harnesses cut at 10,000 and context
// and scripts want their share.
const (
	maxFrame   = 4000
	maxItemRow = 300
)

// frame writes the text of an offer and returns it with the entries that found
// room; the others stay for the next answer. The offer's id is the nonce of the
// frame's tag: nobody who wrote an item could know it.
func frame(offer string, to turnpost.Agent, when moment, entries []turnpost.Entry) (string, []turnpost.Entry) {
	if len(entries) > maxOffer {
		entries = entries[:maxOffer]
	}
	var rows strings.Builder
	fits := 0
	room := maxFrame - 900 // the lines around the rows
	for _, e := range entries {
		row := itemRow(e)
		if fits > 0 && utf8.RuneCountInString(rows.String())+utf8.RuneCountInString(row) > room {
			break
		}
		rows.WriteString(row)
		fits++
	}
	entries = entries[:fits]

	var b strings.Builder
	fmt.Fprintf(&b, "Turnpost: %s for you, %s. %s\n", count(len(entries), "item"), to.Handle, turnpost.Trust(itemsOf(entries)))
	fmt.Fprintf(&b, "<turnpost %s>\n%s</turnpost %s>", offer, rows.String(), offer)
	if tail := tailOf(to, when, entries); tail != "" {
		b.WriteString("\n" + tail)
	}
	return b.String(), entries
}

// tailOf is the line after a frame: what to do with its items. What needs no
// action needs no words.
func tailOf(to turnpost.Agent, when moment, entries []turnpost.Entry) string {
	var act []turnpost.Item
	for _, e := range entries {
		if e.Item.Kind.NeedsAction() {
			act = append(act, e.Item)
		}
	}
	var tail []string
	if len(act) > 0 {
		tail = append(tail, turnpost.ProtocolTail(act), "Each of these clears the item.")
		if !to.Act {
			tail = append(tail, turnpost.ProtocolLimit)
		}
	}
	if when == rung {
		tail = append(tail, turnpost.ProtocolStop)
	}
	return strings.Join(tail, " ")
}

// itemRow is one item on one line: id, where, kind, author, summary.
func itemRow(e turnpost.Entry) string {
	item := e.Item
	where := "dm"
	if item.Channel != "" {
		where = item.Channel
	}
	author := item.Author
	if item.Human {
		author += " " + turnpost.YourUser
	}
	kind := string(item.Kind)
	if item.ReplyTo != "" {
		kind += " to " + item.ReplyTo
	}
	parts := []string{item.ID, where, kind, author}
	if item.Urgent {
		parts = append(parts, "urgent")
	}
	if e.Delivery.Attempt > 0 {
		parts = append(parts, "shown before")
	}
	row := strings.Join(parts, " · ") + " · "
	more := ""
	if item.Body != "" {
		more = fmt.Sprintf(" (+%s: read %s)", size(len(item.Body)), item.ID)
	}
	room := maxItemRow - utf8.RuneCountInString(row) - utf8.RuneCountInString(more)
	return row + turnpost.Escape(turnpost.OneLine(item.Summary, max(room, 20))) + more + "\n"
}

func itemsOf(entries []turnpost.Entry) []turnpost.Item {
	out := make([]turnpost.Item, len(entries))
	for i, e := range entries {
		out[i] = e.Item
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func size(bytes int) string {
	if bytes < 1024 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.1f KB", float64(bytes)/1024)
}

// clip cuts text to at most max bytes, at a rune's edge.
func clip(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}

// startLine is the one line at a session's start, with what to do when mail
// waits.
func startLine(handle, secret string, waiting int) string {
	line := fmt.Sprintf("Turnpost: you are %s (hook_session %s).", handle, secret)
	if waiting == 1 {
		return line + " 1 item waits for you and arrives by itself in a moment."
	}
	if waiting > 1 {
		return line + fmt.Sprintf(" %d items wait for you and arrive by themselves in a moment.", waiting)
	}
	return line
}
