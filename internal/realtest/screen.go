package realtest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// screen is what a person in front of the terminal would see: the part of a
// VT terminal that full-screen programs use to place text. Colours, titles and
// modes are read over. What a program asks its terminal is answered: some wait
// for that before they show anything.
type screen struct {
	changed *pulse
	answers io.Writer // the terminal's side; nil where nobody asks

	mu       sync.Mutex
	rows     int
	cols     int
	cells    [][]rune // 0 is an empty cell
	row, col int
	saved    [2]int
	top, end int // scrolling region, end exclusive
	pending  []byte
}

func newScreen(rows, cols int, changed *pulse) *screen {
	s := &screen{rows: rows, cols: cols, end: rows, changed: changed}
	for range rows {
		s.cells = append(s.cells, make([]rune, cols))
	}
	return s
}

// String returns the lines without trailing blanks.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.cells {
		b.WriteString(strings.TrimRight(lineText(line), " "))
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

// wideTail fills the second cell of a wide character.
const wideTail rune = -1

func lineText(line []rune) string {
	var b strings.Builder
	for _, r := range line {
		switch r {
		case 0, '\u00a0':
			b.WriteByte(' ')
		case wideTail:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Write takes output of the program; it never fails.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.pending = append(s.pending, p...)
	for len(s.pending) > 0 {
		n := s.consume(s.pending)
		if n == 0 {
			break // the rest of a sequence is still to come
		}
		s.pending = s.pending[n:]
	}
	s.mu.Unlock()
	s.changed.beat()
	return len(p), nil
}

// consume handles the character or sequence at the start of p and returns its
// length, 0 when it is not complete.
func (s *screen) consume(p []byte) int {
	switch c := p[0]; {
	case c == 0x1b:
		return s.escape(p)
	case c < 0x20 || c == 0x7f:
		s.control(c)
		return 1
	case !utf8.FullRune(p):
		return 0
	}
	r, n := utf8.DecodeRune(p)
	s.put(r)
	return n
}

func (s *screen) control(c byte) {
	switch c {
	case '\r':
		s.col = 0
	case '\n', '\v', '\f':
		s.lineFeed()
	case '\b':
		s.col = max(s.col-1, 0)
	case '\t':
		s.col = min((s.col/8+1)*8, s.cols-1)
	}
}

func (s *screen) put(r rune) {
	width := runeWidth(r)
	if width == 0 {
		return
	}
	if s.col+width > s.cols {
		s.col = 0
		s.lineFeed()
	}
	s.cells[s.row][s.col] = r
	if width == 2 {
		s.cells[s.row][s.col+1] = wideTail
	}
	s.col += width
}

// runeWidth is a coarse table: good enough to keep columns apart.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}

func (s *screen) lineFeed() {
	if s.row+1 == s.end {
		s.scrollUp(1)
		return
	}
	s.row = min(s.row+1, s.rows-1)
}

// scrollUp moves the scrolling region up by n lines, down for a negative n.
func (s *screen) scrollUp(n int) {
	region := s.cells[s.top:s.end]
	n = max(-len(region), min(n, len(region)))
	for ; n > 0; n-- {
		copy(region, region[1:])
		region[len(region)-1] = make([]rune, s.cols)
	}
	for ; n < 0; n++ {
		copy(region[1:], region)
		region[0] = make([]rune, s.cols)
	}
}

func (s *screen) escape(p []byte) int {
	if len(p) < 2 {
		return 0
	}
	switch p[1] {
	case '[':
		return s.csi(p)
	case ']', 'P', '_', '^', 'X': // strings up to BEL or ESC \
		end := bytes.IndexAny(p[2:], "\a\x1b")
		length := 2 + end + 1
		if end >= 0 && p[2+end] == '\x1b' {
			length++
		}
		if end < 0 || length > len(p) {
			return 0
		}
		if p[1] == ']' {
			s.answerColour(string(p[2 : 2+end]))
		}
		return length
	case '(', ')', '*', '+', '#', ' ', '%':
		if len(p) < 3 {
			return 0
		}
		return 3
	case '7':
		s.saved = [2]int{s.row, s.col}
	case '8':
		s.row, s.col = s.saved[0], s.saved[1]
	case 'M':
		if s.row == s.top {
			s.scrollUp(-1)
		} else {
			s.row = max(s.row-1, 0)
		}
	}
	return 2
}

// csi handles ESC [ parameters final.
func (s *screen) csi(p []byte) int {
	end := 2
	for end < len(p) && (p[end] < 0x40 || p[end] > 0x7e) {
		end++
	}
	if end == len(p) {
		return 0
	}
	raw := string(p[2:end])
	private := strings.ContainsAny(raw, "?<=>")
	arg := parameters(raw)
	first := max(arg(0, 1), 1)
	col := min(s.col, s.cols-1) // a cursor past the last column counts as on it
	switch final := p[end]; {
	case s.answerQuery(raw, final):
	case private:
		if (final == 'h' || final == 'l') && strings.Contains(raw, "1049") {
			s.erase(0, s.rows*s.cols)
		}
	case final == 'A':
		s.row = max(s.row-first, 0)
	case final == 'B':
		s.row = min(s.row+first, s.rows-1)
	case final == 'C':
		s.col = min(col+first, s.cols-1)
	case final == 'D':
		s.col = max(col-first, 0)
	case final == 'E':
		s.row, s.col = min(s.row+first, s.rows-1), 0
	case final == 'F':
		s.row, s.col = max(s.row-first, 0), 0
	case final == 'G':
		s.col = min(first, s.cols) - 1
	case final == 'd':
		s.row = min(first, s.rows) - 1
	case final == 'H', final == 'f':
		s.row, s.col = min(first, s.rows)-1, min(max(arg(1, 1), 1), s.cols)-1
	case final == 'J':
		at := s.row*s.cols + col
		s.eraseSide(arg(0, 0), 0, at, s.rows*s.cols)
	case final == 'K':
		at := s.row*s.cols + col
		s.eraseSide(arg(0, 0), s.row*s.cols, at, (s.row+1)*s.cols)
	case final == 'X':
		at := s.row*s.cols + col
		s.erase(at, min(at+first, (s.row+1)*s.cols))
	case final == 'S':
		s.scrollUp(first)
	case final == 'T':
		s.scrollUp(-first)
	case final == 'L', final == 'M':
		top := s.top
		s.top = s.row
		if s.row < s.end && final == 'L' {
			s.scrollUp(-first)
		} else if s.row < s.end {
			s.scrollUp(first)
		}
		s.top = top
	case final == 'P':
		line := s.cells[s.row]
		n := copy(line[col:], line[min(col+first, s.cols):])
		clear(line[col+n:])
	case final == 'r':
		s.top, s.end = first-1, min(max(arg(1, s.rows), 1), s.rows)
		if s.top >= s.end {
			s.top, s.end = 0, s.rows
		}
		s.row, s.col = 0, 0
	case final == 's':
		s.saved = [2]int{s.row, s.col}
	case final == 'u':
		s.row, s.col = s.saved[0], s.saved[1]
	}
	return end + 1
}

// answerQuery answers what a program asks with CSI raw final, if it asks.
func (s *screen) answerQuery(raw string, final byte) bool {
	switch raw + string(final) {
	case "6n": // where the cursor is
		s.tell("\x1b[%d;%dR", s.row+1, min(s.col, s.cols-1)+1)
	case "5n": // whether all is well
		s.tell("\x1b[0n")
	case "c", "0c": // what it is: a VT220 with colours
		s.tell("\x1b[?62;22c")
	case "14t", "16t", "18t": // sizes; only the one in characters is known
		if raw == "18" {
			s.tell("\x1b[8;%d;%dt", s.rows, s.cols)
		}
	default:
		mode, ok := strings.CutSuffix(raw, "$")
		if final != 'p' || !ok {
			return false
		}
		s.tell("\x1b[%s;0$y", mode) // a mode that it does not know
	}
	return true
}

// answerColour answers what a program asks about the colours of text (OSC 10)
// and background (11): white on black.
func (s *screen) answerColour(osc string) {
	switch osc {
	case "10;?":
		s.tell("\x1b]10;rgb:ffff/ffff/ffff\x1b\\")
	case "11;?":
		s.tell("\x1b]11;rgb:0000/0000/0000\x1b\\")
	}
}

func (s *screen) tell(format string, args ...any) {
	if s.answers != nil {
		fmt.Fprintf(s.answers, format, args...) // fails when the program has ended
	}
}

// parameters returns a reader of the numbers in "12;34"; absent ones are def.
func parameters(raw string) func(i, def int) int {
	fields := strings.Split(raw, ";")
	return func(i, def int) int {
		if i >= len(fields) || fields[i] == "" {
			return def
		}
		n := 0
		for _, c := range fields[i] {
			if c < '0' || c > '9' || n > 9999 {
				return def
			}
			n = n*10 + int(c-'0')
		}
		return n
	}
}

// eraseSide erases from at to end (0), from start to at (1), or all (2, 3).
func (s *screen) eraseSide(side, start, at, end int) {
	switch side {
	case 0:
		s.erase(at, end)
	case 1:
		s.erase(start, at+1)
	default:
		s.erase(start, end)
	}
}

// erase empties cells, counted row by row from the top left.
func (s *screen) erase(from, to int) {
	for i := from; i < to; i++ {
		s.cells[i/s.cols][i%s.cols] = 0
	}
}
