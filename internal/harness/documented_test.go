package harness_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"turnpost/internal/harness"
)

// ownPart is where a plugin's own part starts.
const ownPart = "const turnpostSetup = "

// What setup writes for the harnesses that were not run: a golden file for each
// scope, with what is left to do by hand.
func TestDocumentedInstall(t *testing.T) {
	for _, h := range harness.All() {
		if h.Profile().Proof == harness.Real {
			continue
		}
		for _, scope := range []string{"user", "project", "local"} {
			t.Run(h.Name()+"/"+scope, func(t *testing.T) {
				target := harness.Target{
					Home: "/home/dev/.program", Project: "/src/it's api", Scope: scope, Mode: "command", Allow: true,
					Hook: "/opt/it's/turnpost-hook", Program: "/opt/it's/turnpost",
				}
				written := struct {
					Entries      []harness.Entry
					File, ByHand string
				}{Entries: h.Install(target)}
				for i, entry := range written.Entries { // what all plugins share is no matter of one
					if value, ok := entry.Value.(string); ok && strings.Contains(value, ownPart) {
						written.Entries[i].Value = value[strings.Index(value, ownPart):]
					}
				}
				if hand, ok := h.(harness.ByHand); ok {
					written.File, written.ByHand = hand.ByHand(target)
				}
				var got strings.Builder
				enc := json.NewEncoder(&got)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				if err := enc.Encode(written); err != nil {
					t.Fatal(err)
				}
				compare(t, filepath.Join("testdata", "install"), h.Name()+"-"+scope+".json", []byte(got.String()))

				target.Mode = "http"
				if entries := h.Install(target); len(entries) > 0 {
					t.Errorf("%d entries for http, which it does not speak", len(entries))
				}
			})
		}
	}
}

// None of them promises more than its documentation, and none is without limits.
func TestDocumentedProfiles(t *testing.T) {
	for _, h := range harness.All() {
		p := h.Profile()
		if p.Title == "" || p.Tested == "" || len(p.Events) == 0 {
			t.Errorf("%s: %+v", h.Name(), p)
		}
		switch p.Proof {
		case harness.Real:
		case harness.Contract:
			if p.Delivery == "" || len(p.Limits) == 0 {
				t.Errorf("%s: a contract says what it delivers, and its limits", h.Name())
			}
		case harness.Status:
			for _, e := range p.Events {
				if e.Carries.Context || e.Carries.Continue || e.Carries.Deny || e.Carries.Watch {
					t.Errorf("%s only reports, and %s carries %+v", h.Name(), e.Name, e.Carries)
				}
			}
			if p.Delivery+p.Continue+p.Wake+p.Context != "" || len(p.Limits) == 0 {
				t.Errorf("%s only reports, and says %+v", h.Name(), p)
			}
		default:
			t.Errorf("%s: proof %q", h.Name(), p.Proof)
		}
	}
}
