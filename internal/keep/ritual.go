package keep

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"turnpost"
	"turnpost/internal/statedir"
	"turnpost/internal/trust"
)

// RitualFile is where a repository puts a boot ritual of its own.
const RitualFile = ".turnpost/boot.md"

// maxRitual is what a repository's own ritual may have, in runes: about 300
// tokens.
const maxRitual = 1200

//go:embed boot.md
var ritual string

// Ritual says what an agent does first.
type Ritual struct {
	trusted trust.Store
	record  string // of what the person was told

	mu   sync.Mutex
	told map[string]bool // nil: the record was not read yet
}

// OpenRitual returns the rituals of places, with what the person trusted.
func OpenRitual(dir statedir.Dir, trusted trust.Store) *Ritual {
	return &Ritual{trusted: trusted, record: filepath.Join(dir.Contexts(), ".told")}
}

// For is what an agent does first in a place: our text, or the repository's own
// when the person trusted it. news is what the person should know of that file,
// once for each content.
func (r *Ritual) For(place turnpost.Place) (text, news string) {
	own := strings.TrimSpace(ritual)
	if place.Root == "" {
		return own, ""
	}
	look, err := r.trusted.Look(filepath.Join(place.Root, filepath.FromSlash(RitualFile)))
	if err != nil {
		return own, "" // there is none, or none that anybody could trust
	}
	says := "would tell agents what to do first, and you have not trusted it"
	switch look.State {
	case trust.Trusted:
		if !utf8.Valid(look.Data) {
			return own, ""
		}
		return foreign(string(look.Data)), ""
	case trust.Changed:
		says = "has changed since you trusted it, so that agents get Turnpost's own text"
	case trust.Unknown, trust.Gone:
	}
	if !r.first(look.Hash, look.Path) {
		return own, ""
	}
	return own, fmt.Sprintf("%s %s: read it, then turnpost trust %s", look.Path, says, look.Path)
}

// foreign is a repository's text as it may stand among ours: no tag opens in
// it, and it is not too long.
func foreign(text string) string {
	text = strings.NewReplacer("<", "&lt;", "＜", "&lt;", turnpost.YourUser, "(your user?)").
		Replace(strings.TrimSpace(turnpost.Visible(text)))
	if runes := []rune(text); len(runes) > maxRitual {
		text = string(runes[:maxRitual])
		if end := strings.LastIndexByte(text, '\n'); end > 0 {
			text = text[:end]
		}
	}
	return text
}

// first tells whether the person was not told of this content yet, and notes
// that it is now. Where that cannot be kept it is told again after a restart.
func (r *Ritual) first(hash, path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told == nil {
		r.told = map[string]bool{}
		data, _ := os.ReadFile(r.record) // none the first time
		for line := range strings.SplitSeq(string(data), "\n") {
			r.told[line] = true
		}
	}
	line := fmt.Sprintf("%s %q", hash, path)
	if r.told[line] {
		return false
	}
	r.told[line] = true
	if makeDir(filepath.Dir(r.record)) != nil {
		return true
	}
	file, err := os.OpenFile(r.record, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return true
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() < 1<<20 {
		_, _ = file.WriteString(line + "\n")
	}
	return true
}
