package cli

import (
	"os"
	"strings"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/setup"
)

// installs tells the hub what went missing of what setup wrote. Entries in a
// repository are not for it: the user's own may do the same there, and the
// repository may be gone.
type installs struct {
	drift *setup.Drift
	warn  func(error)
}

var _ hub.Installs = installs{}

// Missing lists the user's own.
func (i installs) Missing() []turnpost.Missing {
	missing, err := i.drift.Missing()
	if err != nil {
		i.warn(err)
	}
	var out []turnpost.Missing
	for _, m := range missing {
		name, rest, _ := strings.Cut(m.Owner, " ")
		scope, home, _ := strings.Cut(rest, " ")
		if scope != "user" {
			continue
		}
		if _, err := os.Stat(home); err != nil {
			continue // the program itself is gone
		}
		out = append(out, turnpost.Missing{Harness: name, File: m.File, What: m.What})
	}
	return out
}
