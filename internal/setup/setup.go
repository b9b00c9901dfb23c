// Package setup puts Turnpost's entries into the settings files of other
// programs and takes them out again.
//
// A plan is a value: which bytes of which files change, and a hash over all of
// it. Apply does exactly one plan or nothing. Files are edited as bytes: order,
// comments, line ends, spelling, mode, owner and links stay. A file that cannot
// be read in full is refused and not touched.
//
// An entry is ours only by its exact parsed value, for hooks by its exact
// command. What was added is remembered in setup.json in the state directory,
// with a backup of every file before it is changed. Removing puts the old bytes
// back when the file is still as we wrote it, and else takes out exactly our
// entries. Without that record the entries are found by their values.
//
// The package never runs by itself: no hub, no hook applies a plan.
package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

// Setup plans and applies changes and remembers them in one state directory.
type Setup struct {
	state string
	now   func() time.Time
	step  func(name string) // tests stop and disturb Apply here
}

// New returns a Setup that keeps its record, lock and backups in the absolute
// directory state, which Apply makes when it is missing. now is the clock for
// the names of backups.
func New(state string, now func() time.Time) *Setup {
	return &Setup{state: state, now: now, step: func(string) {}}
}

// Place is one installation: of one harness in one scope and home, or of the
// service.
type Place struct {
	// Owner names the place, the same at every call: see OwnerOf. Entries that an
	// earlier call put in for this owner and that are wanted no more go away.
	Owner   string
	Entries []harness.Entry

	// Review is set where the harness runs an entry only once it was reviewed.
	// Reviewed asks for these reviews to be recorded for the user.
	Review   Review
	Reviewed bool

	reviews []harness.Entry // what records them
}

// OwnerOf names the place of a harness at a target: where its files are, not
// what is in them.
func OwnerOf(name string, target harness.Target) string {
	where := target.Home
	if target.Scope != "" && target.Scope != "user" {
		where = target.Project
	}
	return name + " " + target.Scope + " " + where
}

// PlanInstall plans to put in the entries of the places, and to take out what
// earlier versions put there for the same owners. It changes nothing.
func (s *Setup) PlanInstall(places ...Place) (Plan, error) {
	places, unreviewed, err := s.withReviews(places)
	if err != nil {
		return Plan{}, err
	}
	p, err := s.newPlanner(ActionInstall)
	if err != nil {
		return Plan{}, err
	}
	for _, place := range places {
		if err := p.installPlace(place); err != nil {
			return Plan{}, err
		}
	}
	plan, err := p.finish()
	plan.Unreviewed = unreviewed
	return plan, err
}

func (p *planner) installPlace(place Place) error {
	wanted, err := p.groupAll(place)
	if err != nil {
		return err
	}
	for _, target := range wanted.order {
		if err := p.install(wanted.named[target], target, place.Owner, wanted.entries[target]); err != nil {
			return err
		}
	}
	return nil
}

// PlanRemove plans to take out everything of the places' owners. A file that the
// record does not know is searched for the places' entries: the record is lost.
func (s *Setup) PlanRemove(places ...Place) (Plan, error) {
	p, err := s.newPlanner(ActionRemove)
	if err != nil {
		return Plan{}, err
	}
	for _, place := range places {
		if place, err = p.lostReviews(place); err != nil {
			return Plan{}, err
		}
		wanted, err := p.groupAll(place)
		if err != nil {
			return Plan{}, err
		}
		for _, target := range wanted.order {
			if err := p.remove(wanted.named[target], target, place.Owner, wanted.entries[target]); err != nil {
				return Plan{}, err
			}
		}
	}
	return p.finish()
}

// PlanUninstall plans to take out everything that the record knows, in every
// place, and the entries of the given places where the record is lost. A file
// that cannot be edited does not stop it: Plan.Left says what stays and why.
func (s *Setup) PlanUninstall(places ...Place) (Plan, error) {
	p, err := s.newPlanner(ActionUninstall)
	if err != nil {
		return Plan{}, err
	}
	known := p.record
	for _, file := range known.Files {
		for _, owner := range ownersOf(file.Entries) {
			if err := p.remove(file.Named, file.Path, owner, nil); err != nil {
				p.leave("entries of %q: %v", owner, err)
			}
		}
	}
	for _, place := range places {
		place, err := p.lostReviews(place)
		if err != nil {
			p.leave("entries of %q: %v", place.Owner, err)
			continue
		}
		wanted, err := p.group(place)
		if err != nil {
			p.leave("entries of %q: %v", place.Owner, err)
			continue
		}
		for _, target := range wanted.order {
			err := p.removeUnknown(known, wanted.named[target], target, wanted.entries[target])
			if err != nil {
				p.leave("entries of %q: %v", place.Owner, err)
			}
		}
	}
	return p.finish()
}

func ownersOf(entries []recordEntry) []string {
	var out []string
	seen := map[string]bool{}
	for _, entry := range entries {
		if !seen[entry.Owner] {
			seen[entry.Owner] = true
			out = append(out, entry.Owner)
		}
	}
	return out
}

// wanted are a place's entries by the file they end up in.
type wanted struct {
	order   []string // resolved paths
	named   map[string]string
	entries map[string][]recordEntry
}

func (w *wanted) add(target, named string, entries ...recordEntry) {
	if _, ok := w.named[target]; !ok {
		w.order = append(w.order, target)
		w.named[target] = named
	}
	w.entries[target] = append(w.entries[target], entries...)
}

func (p *planner) group(place Place) (*wanted, error) {
	out := &wanted{named: map[string]string{}, entries: map[string][]recordEntry{}}
	for i, entry := range slices.Concat(place.Entries, place.reviews) {
		if !filepath.IsAbs(entry.File) {
			return nil, turnpost.Errorf(turnpost.Internal, "entry for %q: not an absolute path", entry.File)
		}
		value, err := encodeValue(entry.Value)
		if err != nil {
			return nil, fmt.Errorf("entry for %s: %w", entry.File, err)
		}
		target, err := p.resolve(entry.File)
		if err != nil {
			return nil, err
		}
		out.add(target, entry.File, recordEntry{
			Owner: place.Owner, Dialect: entry.Dialect, Pointer: entry.Pointer, Key: entry.Key, Value: value, Why: entry.Why,
			Review: i >= len(place.Entries), Words: entry.Words,
		})
	}
	return out, nil
}

// groupAll adds the files in which the owner has entries that are wanted no
// more.
func (p *planner) groupAll(place Place) (*wanted, error) {
	out, err := p.group(place)
	if err != nil {
		return nil, err
	}
	for _, file := range p.record.of(place.Owner) {
		if _, ok := out.entries[file.Path]; !ok {
			out.add(file.Path, file.Named)
		}
	}
	return out, nil
}

// encodeValue writes a value as compact JSON, "<" and "&" as they are.
func encodeValue(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode value: %w", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, out.Bytes()); err != nil {
		return nil, fmt.Errorf("encode value: %w", err)
	}
	return compact.Bytes(), nil
}
