package setup

import "strings"

// ShellQuote returns one word for a POSIX shell that stands for exactly s:
// nothing in it is expanded, split or ended.
func ShellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// firstProgram returns the program that a command line starts: its first word
// that is an absolute path, as the shell reads it. "" when there is none, or
// when the word depends on the environment.
func firstProgram(line string) string {
	for _, word := range shellWords(line) {
		if strings.HasPrefix(word, "/") {
			return word
		}
	}
	return ""
}

// shellWords splits a line as a POSIX shell does, quotes taken off. A word with
// an expansion in it is left out.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	inWord, dynamic := false, false
	end := func() {
		if inWord && !dynamic {
			words = append(words, word.String())
		}
		word.Reset()
		inWord, dynamic = false, false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', ';', '|', '&', '(', ')', '<', '>':
			end()
		case '\'':
			inWord = true
			stop := strings.IndexByte(line[i+1:], '\'')
			if stop < 0 {
				return words
			}
			word.WriteString(line[i+1 : i+1+stop])
			i += stop + 1
		case '"':
			inWord = true
			for i++; i < len(line) && line[i] != '"'; i++ {
				switch {
				case line[i] == '\\' && i+1 < len(line) && strings.IndexByte("$`\"\\", line[i+1]) >= 0:
					i++
				case line[i] == '$' || line[i] == '`':
					dynamic = true
				}
				word.WriteByte(line[i])
			}
		case '\\':
			inWord = true
			if i++; i < len(line) {
				word.WriteByte(line[i])
			}
		case '$', '`', '*', '?', '[':
			inWord, dynamic = true, true
			word.WriteByte(c)
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	end()
	return words
}
