package setup

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"turnpost/internal/harness"
)

// Review says how the review of an entry is recorded whose group stands at an
// index of its array; ok is false when the entry needs none.
type Review func(entry harness.Entry, index int) (review harness.Entry, ok bool)

// withReviews adds the records of reviews to places that have some. They depend
// on where the entries will stand, so that a first planner works that out. Where
// reviews were not asked for, those stay that are ours and still right; missing
// are the owners that need more.
func (s *Setup) withReviews(places []Place) (with []Place, missing []string, err error) {
	if !slices.ContainsFunc(places, func(p Place) bool { return p.Review != nil }) {
		return places, nil, nil
	}
	p, err := s.newPlanner(ActionInstall)
	if err != nil {
		return nil, nil, err
	}
	for _, place := range places {
		if err := p.installPlace(place); err != nil {
			return nil, nil, err
		}
	}
	with = slices.Clone(places)
	for i, place := range places {
		all, err := p.reviews(place)
		if err != nil {
			return nil, nil, err
		}
		if with[i].reviews = all; place.Reviewed {
			continue
		}
		if with[i].reviews, err = p.ours(place.Owner, all); err != nil {
			return nil, nil, err
		}
		if done, err := p.reviewed(place.Owner, all); err != nil {
			return nil, nil, err
		} else if !done {
			missing = append(missing, place.Owner)
		}
	}
	return with, missing, nil
}

// reviewed tells whether all reviews are in the files as they are now.
func (p *planner) reviewed(owner string, reviews []harness.Entry) (bool, error) {
	wanted, err := p.group(Place{Owner: owner, reviews: reviews})
	if err != nil {
		return false, err
	}
	for _, target := range wanted.order {
		w, err := p.open(wanted.named[target], target)
		if err != nil {
			return false, err
		}
		entries := wanted.entries[target]
		editor, err := oneEditor(entries)
		if err != nil {
			return false, err
		}
		present, err := editor.Find(w.before, values(entries))
		if err != nil {
			return false, refused(target, err)
		}
		if slices.ContainsFunc(present, func(p Presence) bool { return p != Exact }) {
			return false, nil
		}
	}
	return true, nil
}

// ours leaves those reviews that the record has.
func (p *planner) ours(owner string, reviews []harness.Entry) ([]harness.Entry, error) {
	var out []harness.Entry
	for _, review := range reviews {
		wanted, err := p.group(Place{Owner: owner, reviews: []harness.Entry{review}})
		if err != nil {
			return nil, err
		}
		target := wanted.order[0]
		if known, _ := p.before.file(target); slices.ContainsFunc(known.Entries, wanted.entries[target][0].same) {
			out = append(out, review)
		}
	}
	return out, nil
}

// lostReviews adds the records of reviews where nothing is known of the owner:
// its entries are found by their values then, and these stand where they stand.
func (p *planner) lostReviews(place Place) (Place, error) {
	if len(p.record.of(place.Owner)) > 0 {
		return place, nil
	}
	reviews, err := p.reviews(place)
	place.reviews = reviews
	return place, err
}

// reviews lists what records the reviews of a place's entries, as its files are
// in the planner. Entries that are not there, or not as we wrote them, have none.
func (p *planner) reviews(place Place) ([]harness.Entry, error) {
	if place.Review == nil {
		return nil, nil
	}
	var out []harness.Entry
	for _, entry := range place.Entries {
		target, err := p.resolve(entry.File)
		if err != nil {
			return nil, err
		}
		w, err := p.open(entry.File, target)
		if err != nil {
			return nil, err
		}
		index, ok, err := indexOf(w.after, entry)
		if err != nil {
			return nil, refused(target, err)
		}
		if !ok {
			continue
		}
		if review, ok := place.Review(entry, index); ok {
			out = append(out, review)
		}
	}
	return out, nil
}

// indexOf is where the group of an entry stands in its array.
func indexOf(data []byte, entry harness.Entry) (index int, ok bool, err error) {
	editor, isJSON := editors()[entry.Dialect].(jsonEditor)
	if !isJSON || entry.Key != "" {
		return 0, false, nil
	}
	encoded, err := encodeValue(entry.Value)
	if err != nil {
		return 0, false, err
	}
	value := Value{Pointer: entry.Pointer, JSON: encoded}
	wanted, err := parseValue(value)
	if err != nil {
		return 0, false, err
	}
	doc, err := editor.parse(data)
	if err != nil {
		return 0, false, err
	}
	array, err := doc.holder(value)
	if err != nil || array == nil {
		return 0, false, err
	}
	spot, found := findValue(array, wanted, map[*hujson.Value]bool{}, false)
	return spot.index, found && spot.presence == Exact && spot.handler == 0, nil
}

// trusted holds the recorded reviews against the entries that are registered.
func (c *checker) trusted(s *Setup) error {
	if c.req.Place.Review == nil {
		return nil
	}
	p, err := s.newPlanner(ActionInstall)
	if err != nil {
		return err
	}
	reviews, err := p.reviews(c.req.Place)
	if err != nil || len(reviews) == 0 {
		return nil // what cannot be read, or is not there, was said before
	}
	wanted, err := p.group(Place{Owner: c.req.Place.Owner, reviews: reviews})
	if err != nil {
		return err
	}
	how := ""
	if reviewer, ok := c.req.Harness.(harness.Reviewer); ok {
		how = reviewer.HowToReview()
	}
	for _, target := range wanted.order {
		c.reviewed(target, wanted.entries[target], how)
	}
	return nil
}

func (c *checker) reviewed(target string, reviews []recordEntry, how string) {
	data, _, err := readSettings(target)
	var present []Presence
	if err == nil {
		var editor Editor
		if editor, err = oneEditor(reviews); err == nil {
			present, err = editor.Find(data, values(reviews))
		}
	}
	if err != nil {
		c.add(CheckTrusted, Unknown, target, err.Error(), how)
		return
	}
	count := map[Presence]int{}
	for _, p := range present {
		count[p]++
	}
	switch {
	case count[Changed] > 0:
		c.add(CheckTrusted, Failed, target, ofAll(count[Changed], len(present))+" modified since reviewed, or switched off", how)
	case count[Absent] > 0:
		c.add(CheckTrusted, Failed, target, ofAll(count[Absent], len(present))+" registered, not trusted: they do not run", how)
	default:
		c.add(CheckTrusted, OK, target, "reviewed", "")
	}
}

// ofAll says how many of the hooks.
func ofAll(some, all int) string {
	if some == all {
		return "all hooks are"
	}
	return fmt.Sprintf("%d of %d hooks are", some, all)
}
