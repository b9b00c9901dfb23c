package workflow

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// commandLine reads a program and its arguments: a list, or one string.
func (f *file) commandLine(e *entry) []string {
	v := &e.value
	if v.kind == unstable.Array {
		var args []string
		for i := range v.list {
			arg := &v.list[i]
			switch {
			case arg.kind != unstable.String:
				f.wrong(arg.at, "each of run has to be a string, not %s", kindName(arg.kind))
			case strings.ContainsRune(arg.text, 0):
				f.wrong(arg.at, "an argument cannot have a zero byte in it")
			case i == 0 && strings.TrimSpace(arg.text) == "":
				f.wrong(arg.at, "run has no program")
			}
			args = append(args, arg.text)
		}
		if len(args) == 0 {
			f.wrong(v.at, "run is empty")
		}
		return args
	}
	if v.kind != unstable.String {
		f.wrong(v.at, "run has to be a list of strings, or one string, not %s", kindName(v.kind))
		return nil
	}
	args, wrong := splitWords(v.text)
	if wrong != nil {
		at := v.at
		if v.plain {
			at += 1 + wrong.at
		}
		f.wrong(at, "%s", wrong.text).hint(`write run = ["program", "argument"], or ["sh", "-c", "..."] where a shell is meant`)
		return nil
	}
	if len(args) == 0 || args[0] == "" {
		f.wrong(v.at, "run is empty")
	}
	return args
}

// unsplit is why a string is no command line, and where.
type unsplit struct {
	at   int // in bytes
	text string
}

// What a shell would act on: anywhere, and at the start of a word.
const (
	shellSigns = "$`\\|&;<>()*?[]{}!\n\r\x00"
	wordSigns  = "~#"
)

// splitWords splits a command line at blanks; quotes keep what is between them.
// No shell sees it, so what one would act on is refused and not passed on as it
// is.
func splitWords(text string) (words []string, wrong *unsplit) {
	var word strings.Builder
	open, quote := false, 0 // a word has begun; offset behind its open quote
	var in byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case in != 0 && c == in:
			in = 0
		case in == '\'' && c != 0:
			word.WriteByte(c)
		case in == '"' && !strings.ContainsRune("$`\\\x00", rune(c)):
			word.WriteByte(c)
		case in == 0 && (c == ' ' || c == '\t'):
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		case in == 0 && (c == '\'' || c == '"'):
			in, open, quote = c, true, i
		case strings.ContainsRune(shellSigns, rune(c)), !open && strings.ContainsRune(wordSigns, rune(c)):
			return nil, &unsplit{i, "there is no shell that would act on " + shown(c)}
		case len(words) == 0 && c == '=':
			return nil, &unsplit{i, "there is no shell that would set a variable with ="}
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if in != 0 {
		return nil, &unsplit{quote, "the quote " + string(rune(in)) + " is not closed"}
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

func shown(c byte) string {
	switch c {
	case '\n', '\r':
		return "a line end"
	case 0:
		return "a zero byte"
	}
	return string(rune(c))
}
