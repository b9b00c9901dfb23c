package turnpost

// Decision is what we answer to an event. The zero value is no opinion: the
// harness goes on as if nobody had been asked.
type Decision struct {
	Continue   string            `json:"continue,omitempty"` // keep the agent going with this text
	Context    string            `json:"context,omitempty"`  // tell the model this
	Permission Verdict           `json:"permission,omitempty"`
	Reason     string            `json:"reason,omitempty"` // why Permission is what it is
	Input      JSON              `json:"input,omitempty"`  // changed tool input
	Env        map[string]string `json:"env,omitempty"`
	Watch      []string          `json:"watch,omitempty"`  // files that the harness shall watch
	Notice     string            `json:"notice,omitempty"` // a line for the person
}

// JSON is a value that is passed on as it is. It is json.RawMessage without
// package encoding/json, which the hook client does without: its initialisation
// alone is a twentieth of a hook call.
type JSON []byte

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *JSON) UnmarshalJSON(data []byte) error {
	*j = append((*j)[:0], data...)
	return nil
}

// Verdict is an answer to a tool call, weakest first.
type Verdict string

// Merge keeps the most restrictive one.
const (
	NoVerdict Verdict = ""
	Allow     Verdict = "allow"
	Ask       Verdict = "ask"
	Deny      Verdict = "deny"
)

func (v Verdict) rank() int {
	switch v {
	case Deny:
		return 3
	case Ask:
		return 2
	case Allow:
		return 1
	}
	return 0
}

// Merge joins two decisions: the most restrictive permission wins with its
// reason, texts are joined in order, the first changed input is kept, later
// environment values win.
func Merge(a, b Decision) Decision {
	out := a
	out.Continue = joinText(a.Continue, b.Continue)
	out.Context = joinText(a.Context, b.Context)
	out.Notice = joinText(a.Notice, b.Notice)
	if b.Permission.rank() > a.Permission.rank() {
		out.Permission, out.Reason = b.Permission, b.Reason
	}
	if len(out.Input) == 0 {
		out.Input = b.Input
	}
	if len(b.Env) > 0 {
		out.Env = make(map[string]string, len(a.Env)+len(b.Env))
		for k, v := range a.Env {
			out.Env[k] = v
		}
		for k, v := range b.Env {
			out.Env[k] = v
		}
	}
	out.Watch = append(append([]string(nil), a.Watch...), b.Watch...)
	return out
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
