package harness

import "strings"

// geminiFooter is how many rows, at most, stand below the input box: two of the
// footer, and what a person may add to it.
const geminiFooter = 4

// geminiAbove is how far above the input box the line reaches that tells of a
// running turn or hook.
const geminiAbove = 6

// Foreground: it is a script of Node.
func (gemini) Foreground(command string) bool { return command == "node" || command == "gemini" }

// Prompt knows the screen of 0.61.0: the input box is the last thing above the
// footer, between a row of half blocks and another (of strokes, without colours),
// and holds a hint while nothing is typed. Dialogs take its place; a running turn
// leaves it and shows how to cancel above it.
func (gemini) Prompt(screen []string) (typed string, ready bool) {
	rows := make([]string, 0, len(screen))
	for _, row := range screen {
		if row = strings.TrimSpace(row); row != "" {
			rows = append(rows, row)
		}
	}
	at := len(rows) - 2
	for at >= 1 && !geminiBox(rows, at) {
		at--
	}
	if at < 1 || len(rows)-at-2 > geminiFooter {
		return "", false
	}
	for _, row := range rows[at+2:] {
		if strings.ContainsAny(row, "│╭╰●") {
			return "", false // a dialog below an older box
		}
	}
	for _, row := range rows[max(0, at-geminiAbove):at] {
		if strings.Contains(row, "esc to cancel") || strings.Contains(row, "Executing Hook") {
			return "", false
		}
	}
	return geminiTyped(rows[at])
}

// geminiBox tells whether a row is the only one of an input box.
func geminiBox(rows []string, at int) bool {
	return isRule(rows[at-1], '▄') && isRule(rows[at+1], '▀')
}

// geminiTyped reads the row behind its sign, which is another one where every
// tool may run, and in shell mode one that is no prompt's.
func geminiTyped(row string) (typed string, ready bool) {
	typed, ready = strings.CutPrefix(row, "> ")
	if !ready {
		typed, ready = strings.CutPrefix(row, "* ")
	}
	switch typed = strings.TrimSpace(typed); typed {
	case "Type your message or @path/to/file":
		return "", ready
	case "Press 'i' for INSERT mode.":
		return "", false
	case "Press 'Esc' for NORMAL mode.":
		return "", ready
	}
	return typed, ready
}

// isRule tells a row that is one line across, of blocks or, without colours, of
// strokes.
func isRule(row string, block rune) bool {
	return row != "" && (strings.Trim(row, string(block)) == "" || strings.Trim(row, "─") == "")
}
