package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// printer writes for people. Strings among its arguments pass through the
// sanitizer; only what it styled itself does not.
type printer struct {
	out    io.Writer
	colour bool
	width  int // 0: not a terminal, nothing is cut
}

// styled is text that was cleaned and may hold our own colours.
type styled string

func (a *app) printer(out io.Writer) *printer {
	colour := a.env.Width > 0 && a.env.Getenv("NO_COLOR") == "" && a.env.Getenv("TERM") != "dumb"
	return &printer{out: out, colour: colour, width: a.env.Width}
}

// line prints one line. A failed write is the reader's business: it went away.
func (p *printer) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", cleaned(args)...)
}

// text prints foreign text as it is, each line behind an indent.
func (p *printer) text(indent, text string) {
	for _, l := range strings.Split(block(text), "\n") {
		_, _ = fmt.Fprintln(p.out, strings.TrimRight(indent+l, " "))
	}
}

// wrapped is text whose long lines are broken where a terminal ends.
func (p *printer) wrapped(indent, text string) {
	for _, l := range strings.Split(block(text), "\n") {
		for _, part := range p.wrap(l, lipgloss.Width(indent)) {
			_, _ = fmt.Fprintln(p.out, strings.TrimRight(indent+part, " "))
		}
	}
}

func cleaned(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case styled:
			out[i] = string(arg)
		case int, int64, float64, bool:
			out[i] = arg
		default:
			out[i] = line(fmt.Sprint(arg))
		}
	}
	return out
}

// tone is how a piece of text looks where there is colour.
type tone int

const (
	plain tone = iota
	dim
	bold
	good
	warn
	bad
	accent
)

func (p *printer) paint(t tone, text any) styled {
	plainText := line(fmt.Sprint(text))
	if s, ok := text.(styled); ok {
		plainText = string(s)
	}
	if !p.colour || t == plain || plainText == "" {
		return styled(plainText)
	}
	style := lipgloss.NewStyle()
	switch t {
	case dim:
		style = style.Faint(true)
	case bold:
		style = style.Bold(true)
	case good:
		style = style.Foreground(lipgloss.Green)
	case warn:
		style = style.Foreground(lipgloss.Yellow)
	case bad:
		style = style.Foreground(lipgloss.Red)
	case accent:
		style = style.Foreground(lipgloss.Cyan)
	}
	return styled(style.Render(plainText))
}

// table is aligned columns. Cells are strings or styled.
type table struct {
	head  []string // nil: none
	rows  [][]any
	under map[int]string // by row: text below it, from its second column on
	whole bool           // cut nothing: a command, a path
}

func (t *table) row(cells ...any) { t.rows = append(t.rows, cells) }

// note puts a line below the last row.
func (t *table) note(text string) {
	if t.under == nil {
		t.under = map[int]string{}
	}
	if text != "" {
		t.under[len(t.rows)-1] = text
	}
}

// table prints the rows with two spaces between columns. On a terminal the last
// column is cut to what is left of the line, and notes are broken into lines.
func (p *printer) table(indent string, t table) {
	rows := make([][]styled, 0, len(t.rows)+1)
	if t.head != nil && len(t.rows) > 0 {
		head := make([]styled, len(t.head))
		for i, cell := range t.head {
			head[i] = p.paint(dim, cell)
		}
		rows = append(rows, head)
	}
	var widths []int
	for _, cells := range t.rows {
		row := make([]styled, len(cells))
		for i, cell := range cells {
			row[i] = p.paint(plain, cell)
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(string(cell)))
		}
	}
	first := len(rows) - len(t.rows)
	for n, row := range rows {
		var out strings.Builder
		out.WriteString(indent)
		used := len(indent)
		for i, cell := range row {
			text := string(cell)
			if i == len(row)-1 {
				if !t.whole {
					text = p.fit(text, used)
				}
				out.WriteString(text)
				break
			}
			gap := widths[i] - lipgloss.Width(text) + 2
			out.WriteString(text + strings.Repeat(" ", gap))
			used += widths[i] + 2
		}
		_, _ = fmt.Fprintln(p.out, strings.TrimRight(out.String(), " "))
		if note := line(t.under[n-first]); note != "" {
			pad := len(indent) + widths[0] + 2
			for _, l := range p.wrap(note, pad) {
				_, _ = fmt.Fprintln(p.out, strings.Repeat(" ", pad)+string(p.paint(dim, l)))
			}
		}
	}
}

// leastRoom is below what a line had better run over than hold.
const leastRoom = 24

// fit cuts text to what is left of a terminal's line.
func (p *printer) fit(text string, used int) string {
	room := max(p.width-used, leastRoom)
	if p.width == 0 || lipgloss.Width(text) <= room || strings.Contains(text, "\x1b") {
		return text
	}
	var out strings.Builder
	width := 0
	for _, r := range text {
		if width += lipgloss.Width(string(r)); width > room-1 {
			break
		}
		out.WriteRune(r)
	}
	return out.String() + "…"
}

// wrap breaks text at spaces to what is left of a terminal's line.
func (p *printer) wrap(text string, used int) []string {
	if p.width == 0 {
		return []string{text}
	}
	return strings.Split(lipgloss.Wrap(text, max(p.width-used, leastRoom), " "), "\n")
}

// json prints a value as indented JSON. Characters that a terminal would act on
// are written as escapes, which mean the same.
func (a *app) json(value any) error {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	if _, err := io.WriteString(a.env.Stdout, visibleJSON(out.String())); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// visibleJSON escapes unseen characters, which stand inside strings only.
func visibleJSON(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range text {
		switch {
		case r == '\n' || !unseen(r):
			out.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return out.String()
}

// cut shortens to at most limit runes.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// plural is "1 item", "2 items".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// pad fills a cell up to a width, for lines that are printed one by one.
func (p *printer) pad(text any, width int) styled {
	cell := string(p.paint(plain, text))
	return styled(cell + strings.Repeat(" ", max(0, width-lipgloss.Width(cell))))
}
