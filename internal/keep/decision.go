package keep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"turnpost"
	"turnpost/internal/atomicfile"
	"turnpost/internal/keep/recall"
)

// maxDecisions is how many decisions one handle may log.
const maxDecisions = 5000

// Log adds a decision, about the place where its author works.
func (s *Store) Log(handle string, place turnpost.Place, d turnpost.NotedDecision) error {
	if recall.Blank(d.Text) {
		return turnpost.Invalidf("text", "is empty").WithHint("say what was decided")
	}
	if size := len(d.Text) + len(d.Why); size > turnpost.MaxNoteDecision {
		return tooLarge("text", "with why is", size, turnpost.MaxNoteDecision).
			WithHint("say it in a few lines and name the file that has the rest")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := s.folder(handle)
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, recall.DecisionsDir)
	if err := makeDir(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look at decisions: %w", err)
	}
	if len(entries) >= maxDecisions {
		return turnpost.Errorf(turnpost.TooLarge, "there are %d decisions already", len(entries)).
			WithHint("move old ones out of %s", dir)
	}
	taken := map[string]bool{}
	for _, entry := range entries {
		taken[entry.Name()] = true
	}
	// The name sorts by time; a second one of the same moment comes behind.
	stem := d.At.UTC().Format("20060102T150405.000") + "Z"
	name := stem + "-" + slug(d.Text) + ".md"
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%s-%d.md", stem, slug(d.Text), n)
	}
	entry := recall.Decision{NotedDecision: d, Place: place.Root}
	if err := atomicfile.Write(filepath.Join(dir, name), []byte(entry.Markdown()), 0o600); err != nil {
		return fmt.Errorf("log decision: %w", err)
	}
	return nil
}

// slug makes a part of a file name out of the first words of a text.
func slug(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case b.Len() == 40:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "decision"
}
