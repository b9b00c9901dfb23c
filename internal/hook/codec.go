package hook

import (
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// The hook's own JSON for the words of package turnpost: the first use of
// encoding/json would cost a fifth of the time that a call takes. A test holds
// it to the struct tags, field by field.

func encodeEvent(e turnpost.Event) []byte {
	var w document.Writer
	w.Open("")
	writeEvent(&w, e)
	w.Close()
	return w.Bytes()
}

func encodeSpooled(at time.Time, e turnpost.Event) []byte {
	var w document.Writer
	w.Open("")
	w.Text("at", at.UTC().Format(time.RFC3339Nano))
	w.Open("event")
	writeEvent(&w, e)
	w.Close()
	w.Close()
	return w.Bytes()
}

func encodeReceipt(offer string) []byte {
	var w document.Writer
	w.Open("")
	w.Always("offer", offer)
	w.Close()
	return w.Bytes()
}

func writeEvent(w *document.Writer, e turnpost.Event) {
	w.Always("kind", string(e.Kind))
	w.Always("harness", e.Harness)
	w.Text("version", e.Version)
	w.Always("native", e.Native)
	w.Text("name", e.Name)
	w.Text("digest", e.Digest)
	w.Text("cwd", e.Cwd)
	if e.Place != (turnpost.Place{}) {
		w.Open("place")
		w.Text("root", e.Place.Root)
		w.Text("main", e.Place.Main)
		w.Text("worktree", e.Place.Worktree)
		w.Close()
	}
	if e.Process != (turnpost.Process{}) {
		w.Open("process")
		w.Number("pid", e.Process.Pid)
		w.Text("start", e.Process.Start)
		flag(w, "shared", e.Process.Shared)
		w.Close()
	}
	w.Flag("attended", e.Attended)
	flag(w, "reports", e.Reports)
	w.Text("agent", e.Agent)
	w.Text("registry", e.Registry)
	w.Text("source", e.Source)
	w.Text("reason", e.Reason)
	w.Text("tool", e.Tool)
	w.Text("wants", string(e.Wants))
	if e.Failure != (turnpost.Failure{}) {
		w.Open("failure")
		w.Text("class", string(e.Failure.Class))
		w.Text("native", e.Failure.Native)
		w.Text("detail", e.Failure.Detail)
		w.Close()
	}
	w.Number("background", e.Background)
	flag(w, "continued", e.Continued)
	flag(w, "machine", e.Machine)
	w.Texts("offers", e.Offers)
	w.Number("tokens", int(e.Tokens))
	w.Text("last", e.Last)
	w.Text("subagent", e.Subagent)
	if e.Wake != (turnpost.Wake{}) {
		w.Open("wake")
		w.Text("method", e.Wake.Method)
		w.Text("key", e.Wake.Key)
		flag(w, "armed", e.Wake.Armed)
		w.Text("at", e.Wake.At)
		w.Close()
	}
	if e.Accepts != (turnpost.Accepts{}) {
		w.Open("accepts")
		flag(w, "context", e.Accepts.Context)
		flag(w, "continue", e.Accepts.Continue)
		flag(w, "deny", e.Accepts.Deny)
		flag(w, "watch", e.Accepts.Watch)
		flag(w, "soon", e.Accepts.Soon)
		w.Number("row", e.Accepts.Row)
		w.Close()
	}
}

// flag leaves out a flag that is not set.
func flag(w *document.Writer, key string, set bool) {
	if set {
		w.Flag(key, set)
	}
}

func decodeAnswer(data []byte) (turnpost.HookAnswer, error) {
	doc, err := document.Parse(data)
	if err != nil {
		return turnpost.HookAnswer{}, err
	}
	d := doc.Object("decision")
	text := func(o document.Object, key string) string { return o.Text(key, len(data)) }
	return turnpost.HookAnswer{
		Handle: text(doc, "handle"),
		Decision: turnpost.Decision{
			Continue:   text(d, "continue"),
			Context:    text(d, "context"),
			Permission: turnpost.Verdict(text(d, "permission")),
			Reason:     text(d, "reason"),
			Input:      turnpost.JSON(d.Value("input")),
			Env:        d.Object("env").Map(),
			Watch:      d.Texts("watch"),
			Notice:     text(d, "notice"),
		},
		Offer: text(doc, "offer"),
		Delay: int(doc.Number("delay_ms")),
	}, nil
}
