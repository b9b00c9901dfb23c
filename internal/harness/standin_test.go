package harness

import (
	"bytes"
	"strings"
	"testing"

	"turnpost"
)

func TestStandinsPlayWhatTheirAdapterReads(t *testing.T) {
	for _, h := range All() {
		standin, ok := h.(Standin)
		if !ok {
			continue
		}
		for _, kind := range []turnpost.Kind{turnpost.SessionStart, turnpost.Prompt, turnpost.TurnEnd, turnpost.Bell, turnpost.SessionEnd} {
			moment, ok := standin.Moment(kind, StandinSession{
				Native: "3f0c2a51-0000-4000-8000-000000000001", Pid: 4711, Cwd: "/src/api", Hook: "/opt/turnpost-hook", Bell: "/bells/b",
			})
			if !ok {
				t.Errorf("%s: cannot play %s", h.Name(), kind)
				continue
			}
			if !strings.Contains(moment.Line, "'/opt/turnpost-hook' "+h.Name()) {
				t.Errorf("%s: %s runs %q", h.Name(), kind, moment.Line)
			}
			event, err := h.Decode(bytes.NewReader(moment.Stdin), Env{
				Getenv: func(name string) string {
					for _, entry := range moment.Env {
						if value, ok := strings.CutPrefix(entry, name+"="); ok {
							return value
						}
					}
					return ""
				},
				BellPath:     func(string) string { return "/bells/b" },
				ProcessStart: func(int) string { return "start" },
			})
			if err != nil || event.Kind != kind || !event.Attended || event.Process.Pid != 4711 || event.Cwd != "/src/api" {
				t.Errorf("%s: %s reads as %+v, %v", h.Name(), kind, event, err)
				continue
			}
			said := turnpost.Decision{Context: "hello", Continue: "hello", Watch: []string{"/bells/b"}}
			out := h.Encode(event, said)
			status := 0
			if out.Wake {
				status = 2
			}
			text, watch := standin.Reading(out.Stdout, out.Stderr, status)
			takes := event.Accepts.Context || event.Accepts.Continue
			if takes != (text == "hello") || event.Accepts.Watch != (len(watch) == 1) {
				t.Errorf("%s: %s accepts %+v, the model reads %q, watches %q", h.Name(), kind, event.Accepts, text, watch)
			}
		}
	}
}
