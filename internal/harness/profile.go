package harness

import "turnpost"

// Proof says how far what we say of a harness was proved.
type Proof string

// The proofs.
const (
	Real     Proof = "real"     // tests run the program itself, pinned
	Contract Proof = "contract" // fixtures made from its documentation; not run against the real program
	Status   Proof = "status"   // as Contract, and it only reports what a session does
)

// Profile is what people read about a harness: docs/harnesses.md is made of it,
// and doctor says its limits. Texts are short, "" means that it cannot.
type Profile struct {
	Title   string // "Codex CLI"
	Proof   Proof
	Tested  string // the version that it was proved with, or whose documentation it follows
	Minimum string // first version that setup supports
	Events  []EventProfile

	Delivery   string   // the moments at which items reach the agent
	Continue   string   // how a turn is kept going at its end
	Wake       string   // how an idle session is woken
	Context    string   // how its start line reaches the model
	Compaction string   // what becomes of that at a compaction
	Notes      string   // the moments at which an agent is given its notes back
	Tools      string   // how it gets our MCP tools, and how a call is linked to its session
	Tokens     string   // whose tokens count for the budget of a run; "": it does not say what a turn took
	Commands   string   // what people can type for the agent in front of them
	Reload     string   // when a session that was open before hears of what setup wrote, "after /clear"; "": after a restart
	Limits     []string // what a person should know
	Caution    string   // that of the limits which setup says too, where it writes
}

// Open says when sessions that were open before hear of what setup wrote.
func (p Profile) Open() string {
	if p.Reload == "" {
		return "after a restart"
	}
	return p.Reload
}

// EventProfile is one event of a harness.
type EventProfile struct {
	Name    string // the harness's own
	Kind    turnpost.Kind
	Carries turnpost.Accepts // what the answer can carry at best
}
