package harness

import (
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// Registry reads sessions/PID.json. Its words and what they mean are those of
// the 2.1.332 package; "shell" is idle with a shell in the background.
func (claudeCode) Registry(data []byte) (RegistryState, error) {
	doc, err := document.Parse(data)
	if err != nil {
		return RegistryState{}, documentError(err)
	}
	state := RegistryState{Pid: int(doc.Number("pid")), Start: doc.Text("procStart", maxWord)}
	if native := doc.Text("sessionId", maxWord); validNative(native) {
		state.Native = native
	}
	if ms := doc.Number("statusUpdatedAt"); ms > 0 {
		state.Since = time.UnixMilli(ms).UTC()
	}
	switch doc.Text("status", maxWord) {
	case "busy":
		state.State = turnpost.StateWorking
	case "idle", "shell":
		state.State = turnpost.StateIdle
	case "waiting":
		state.State = turnpost.StateWaiting
		switch doc.Text("waitingFor", maxWord) {
		case "permission prompt", "sandbox request", "worker request", "goal proposal":
			state.Wants = turnpost.WantPermission
		case "input needed":
			state.Wants = turnpost.WantAnswer
		default: // "dialog open": a person's own dialog too, which is no wait
			state.State = ""
		}
	}
	return state, nil
}
