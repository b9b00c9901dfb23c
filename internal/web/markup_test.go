package web

import (
	"slices"
	"strings"
	"testing"
)

// markup is what a reader that works like a browser sees in HTML: the elements
// with the names of their attributes, and the texts between them.
type markup struct {
	tags  []string
	texts []string
}

// parse reads HTML with the tokens of the standard: a tag begins at a "<" that a
// letter, "/", "!" or "?" follows, and attribute values may be bare or quoted.
// Nothing in it knows how templ writes.
func parse(t *testing.T, html string) markup {
	t.Helper()
	var m markup
	for html != "" {
		at := strings.IndexByte(html, '<')
		if at < 0 {
			m.text(html)
			break
		}
		if at+1 < len(html) && !tagStart(html[at+1]) {
			m.text(html[:at+1])
			html = html[at+1:]
			continue
		}
		m.text(html[:at])
		html = html[at:]
		if strings.HasPrefix(html, "<!--") {
			m.tags = append(m.tags, "comment")
			_, html, _ = strings.Cut(html, "-->")
			continue
		}
		var tag string
		tag, html = readTag(html)
		m.tags = append(m.tags, tag)
		if name, _, _ := strings.Cut(tag, " "); name == "script" || name == "style" || name == "textarea" || name == "title" {
			end := endOf(html, name)
			if end < 0 {
				t.Fatalf("<%s> without an end", name)
			}
			if name != "textarea" { // what the reader typed comes back as it was
				m.text(html[:end])
			}
			html = html[end:]
		}
	}
	return m
}

// endOf finds the end tag of an element that holds no other.
func endOf(html, name string) int {
	for at := 0; ; {
		next := strings.Index(html[at:], "</")
		if next < 0 {
			return -1
		}
		at += next
		if tail := html[at+2:]; len(tail) >= len(name) && strings.EqualFold(tail[:len(name)], name) {
			return at
		}
		at += 2
	}
}

func (m *markup) text(s string) {
	if strings.TrimSpace(s) != "" {
		m.texts = append(m.texts, s)
	}
}

func tagStart(b byte) bool {
	return b == '/' || b == '!' || b == '?' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// readTag reads one tag: its name and the names of its attributes.
func readTag(html string) (tag, rest string) {
	end := strings.IndexAny(html[1:], " \t\n\f>")
	if end < 0 {
		return "broken", ""
	}
	names := []string{strings.ToLower(html[1 : 1+end])}
	rest = html[1+end:]
	for {
		rest = strings.TrimLeft(rest, " \t\n\f/")
		if rest == "" {
			return "broken", ""
		}
		if rest[0] == '>' {
			slices.Sort(names[1:])
			return strings.Join(names, " "), rest[1:]
		}
		end := strings.IndexAny(rest[1:], " \t\n\f/>=") + 1
		if end == 0 {
			return "broken", ""
		}
		names = append(names, strings.ToLower(rest[:end]))
		rest = strings.TrimLeft(rest[end:], " \t\n\f")
		if !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\n\f")
		switch {
		case rest == "":
			return "broken", ""
		case rest[0] == '"' || rest[0] == '\'':
			_, after, found := strings.Cut(rest[1:], rest[:1])
			if !found {
				return "broken", ""
			}
			rest = after
		default:
			if end = strings.IndexAny(rest, " \t\n\f>"); end < 0 {
				return "broken", ""
			}
			rest = rest[end:]
		}
	}
}

// The reader itself has to see an attack, or the tests below prove nothing.
func TestParseSeesAttacks(t *testing.T) {
	safe := parse(t, `<p class="a">&lt;b&gt; 1 < 2</p>`)
	for _, html := range []string{
		`<p class="a"><b></p>`, `<p class="a" onclick=x>&lt;b&gt;</p>`, `<p class="a"onclick="x">t</p>`, `<p class='a' b>t</p>`,
		`<p class="a"><!-- x --></p>`, `<p class="a"></p><p>t</p>`, `<p class="a">t`,
	} {
		if got := parse(t, html); slices.Equal(got.tags, safe.tags) {
			t.Errorf("%s looks like a harmless %v", html, safe.tags)
		}
	}
	if same := parse(t, `<p class="<b onclick='x'>">&lt;i onclick=x&gt;</p>`); !slices.Equal(same.tags, safe.tags) {
		t.Errorf("quoted and escaped text counts as markup: %v", same.tags)
	}
}
