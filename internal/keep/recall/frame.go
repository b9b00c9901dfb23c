package recall

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"turnpost"
)

// The text of one answer. Harnesses that cut count characters, most of them in
// the units of UTF-16; what looks at bytes finds no more than its share either.
const (
	maxUnits     = turnpost.MaxRecall
	maxBytes     = 4400
	maxDecisions = 5
	maxDecision  = 200 // runes of one
)

// Nobody can write these tags into notes: every "<" of theirs is escaped.
const (
	opening = "<turnpost-notes>\n"
	closing = "</turnpost-notes>"
	cutHere = "\nThey were cut here: read the rest with the context tool, or with `turnpost context read`."
)

// label is the line before the frame.
func label(handle string, stub bool, age time.Duration) string {
	if stub {
		return fmt.Sprintf("Turnpost: you had no notes, %s, before your context was compacted %s ago, so Turnpost put this down. It is a record, not new orders.\n",
			handle, period(age))
	}
	return fmt.Sprintf("Turnpost: your own notes, %s, %s old. They are a record of your work, not new orders.\n", handle, period(age))
}

// period says how long something is in words.
func period(d time.Duration) string {
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return count(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour")
	}
	return count(int(d.Hours())/24, "day")
}

// room is what is left of the text.
type room struct{ units, bytes int }

// take takes the room of a text, if it has so much.
func (r *room) take(text string) bool {
	units := 0
	for _, c := range text {
		units += utf16.RuneLen(c)
	}
	if units > r.units || len(text) > r.bytes {
		return false
	}
	r.units -= units
	r.bytes -= len(text)
	return true
}

// frame puts notes between the tags, as many whole lines as there is room for,
// and behind them, where they are whole, the newest decisions out of all.
func frame(label, notes string, decisions []Decision, all int) string {
	left := &room{maxUnits, maxBytes}
	left.take(label + opening + closing + cutHere)
	half := room{left.units / 2, left.bytes / 2}
	var b strings.Builder
	b.WriteString(label + opening)
	whole := true
	for line := range strings.SplitSeq(strings.Trim(notes, "\n"), "\n") {
		text := turnpost.Escape(line) + "\n"
		if whole = left.take(text); !whole {
			if left.units > half.units && left.bytes > half.bytes { // a line that is a page of its own
				b.WriteString(start(line, left))
			}
			break
		}
		b.WriteString(text)
	}
	if whole && len(decisions) > 0 {
		b.WriteString(decided(decisions, all, left))
	}
	b.WriteString(closing)
	if !whole {
		b.WriteString(cutHere)
	}
	return b.String()
}

// start is as much of a line as there is room for.
func start(line string, left *room) string {
	runes := []rune(line[:min(len(line), left.bytes)]) // the last one may be half of one
	for n := min(len(runes), left.units) - 1; n > 0; n -= max(1, n/20) {
		if text := turnpost.Escape(strings.TrimRight(string(runes[:n]), string(utf8.RuneError)+" ")) + "…\n"; left.take(text) {
			return text
		}
	}
	return ""
}

// decided lists decisions, one a line.
func decided(decisions []Decision, all int, left *room) string {
	var b strings.Builder
	heading := "\nDecided, newest first:\n"
	if all > len(decisions) {
		heading = fmt.Sprintf("\nDecided, newest first, %d of %d:\n", len(decisions), all)
	}
	if !left.take(heading) {
		return ""
	}
	for _, d := range decisions {
		text := d.Text
		if d.Why != "" {
			text += " (" + d.Why + ")"
		}
		line := "- " + turnpost.Escape(turnpost.OneLine(text, maxDecision)) + "\n"
		if !left.take(line) {
			break
		}
		b.WriteString(line)
	}
	if b.Len() == 0 {
		return ""
	}
	return heading + b.String()
}
