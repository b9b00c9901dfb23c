package hubtest

import (
	"testing"
	"testing/synctest"

	"turnpost/internal/hub"
)

// story is one rule told as a test.
type story struct {
	name  string
	cfg   hub.Config
	timed bool // lets minutes pass: told in fake time only
	peers bool // has peer processes: told to a hub in this process only
	keeps bool // agents' notes are kept, and there is a ritual
	tell  func(t *testing.T, r *Rig)
}

// Run tells all stories, each to a hub of its own. With fake time the timed
// ones too: open must then start everything inside the bubble that calls it.
func Run(t *testing.T, fakeTime bool, open Open) {
	var all []story
	all = append(all, deliveryStories()...)
	all = append(all, identityStories()...)
	all = append(all, sharedStories()...)
	all = append(all, greetingStories()...)
	all = append(all, statusStories()...)
	all = append(all, postStories()...)
	all = append(all, ringStories()...)
	all = append(all, listenStories()...)
	all = append(all, notesStories()...)
	all = append(all, stubStories()...)
	all = append(all, handoffStories()...)
	all = append(all, runStories()...)
	all = append(all, runTurnStories()...)
	all = append(all, runItemStories()...)
	all = append(all, runSessionStories()...)
	for _, s := range all {
		if (s.timed || s.peers) && !fakeTime {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			if !fakeTime {
				s.tell(t, newRig(t, open, s.cfg, s.keeps))
				return
			}
			synctest.Test(t, func(t *testing.T) {
				s.tell(t, newRig(t, open, s.cfg, s.keeps))
			})
		})
	}
}
