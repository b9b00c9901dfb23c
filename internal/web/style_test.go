package web

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every colour that text has can be read on every ground it stands on, in both
// schemes: WCAG 2 AA, 4.5 to 1.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("static/app.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(css), "prefers-color-scheme: dark")
	if !found {
		t.Fatal("there is no dark scheme")
	}
	for name, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): (#[0-9a-f]{6});`).FindAllStringSubmatch(text, -1) {
			if _, seen := colours[m[1]]; !seen {
				colours[m[1]] = m[2]
			}
		}
		for _, ink := range []string{"ink", "soft", "faint", "accent", "good", "warn", "bad", "odd"} {
			for _, ground := range []string{"paper", "raised", "hover"} {
				if got := contrast(t, colours[ink], colours[ground]); got < 4.5 {
					t.Errorf("%s: %s %s on %s %s is %.2f to 1", name, ink, colours[ink], ground, colours[ground], got)
				}
			}
		}
		for ink, grounds := range map[string][]string{"ink": {"add", "del"}, "paper": {"ink", "accent"}} {
			for _, ground := range grounds {
				if got := contrast(t, colours[ink], colours[ground]); got < 4.5 {
					t.Errorf("%s: %s on %s is %.2f to 1", name, ink, ground, got)
				}
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) != 7 {
		t.Fatalf("colour %q is missing", hex)
	}
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// The page brings no style and no script inside its HTML, and asks no other
// host for anything.
func TestNothingInline(t *testing.T) {
	html := answers(t, "text")
	for name, text := range html {
		for _, tag := range parse(t, text).tags {
			for _, word := range strings.Fields(tag) {
				if word == "style" || strings.HasPrefix(word, "on") || strings.HasPrefix(word, "hx-on") {
					t.Errorf("%s: <%s>", name, tag)
				}
			}
		}
		if strings.Contains(text, "://") {
			t.Errorf("%s names another host", name)
		}
	}
}
