package turnpost

import "time"

// RunState is where a run stands.
type RunState string

// The states. A run that waits starts nobody's turn until what it waits for is
// there; the last three are ends.
const (
	RunRunning   RunState = "running"
	RunWaiting   RunState = "waiting"
	RunCompleted RunState = "completed"
	RunFailed    RunState = "failed"
	RunHalted    RunState = "halted"
)

// Ended tells whether the run goes on no more.
func (s RunState) Ended() bool { return s == RunCompleted || s == RunFailed || s == RunHalted }

// Sizes of a run, in bytes unless said otherwise.
const (
	MaxGoal       = 4 << 10
	MaxPlan       = 64 << 10
	MaxRunText    = 64 << 10 // a value, a question, a note
	MaxRunEffects = 10000    // effects of one run
	MaxRunSteps   = 200      // steps of one process
)

// Run is a goal at which an agent is kept, turn after turn. It is what its
// journal makes of it.
type Run struct {
	ID        string `json:"id"` // "r-12"
	Goal      string `json:"goal"`
	Handle    string `json:"handle"`            // whose turns it continues
	Session   string `json:"session,omitempty"` // our id of the session that works at it
	StartedBy string `json:"started_by"`
	Human     bool   `json:"human,omitempty"`   // a person started it
	Process   string `json:"process,omitempty"` // name of the process that it follows
	Limits    Limits `json:"limits,omitzero"`

	State     RunState  `json:"state"`
	Reason    string    `json:"reason,omitempty"`  // what it waits for, how it ended
	Iteration int       `json:"iteration"`         // from 1
	Turns     int       `json:"turns"`             // turn ends so far
	Continued int       `json:"continued"`         // turns that the run started
	Tokens    int64     `json:"tokens,omitempty"`  // as far as the harness says
	Stalled   int       `json:"stalled,omitempty"` // turn ends since the last progress in the journal
	Plan      string    `json:"plan,omitempty"`
	Scores    []Score   `json:"scores,omitempty"` // oldest first, the last 50
	Steps     []Step    `json:"steps,omitempty"`  // of its process
	Effects   []Effect  `json:"effects,omitempty"`
	Missing   []string  `json:"missing,omitempty"` // what stands between it and completion
	Proof     string    `json:"proof,omitempty"`   // that completes it; told to its own agent alone, once nothing is missing
	Seq       int64     `json:"seq"`               // of the journal's last entry
	StartedAt time.Time `json:"started_at"`
	UpdatedAt time.Time `json:"updated_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	Deadline  time.Time `json:"deadline,omitzero"`
}

// Limits end a run that does not complete. Zero is the default, where one is
// named, else none.
type Limits struct {
	Iterations int      `json:"iterations,omitempty"`
	Target     *float64 `json:"target,omitempty"`  // the last score has to reach it before the run can complete
	Seconds    int64    `json:"seconds,omitempty"` // from its start
	Turns      int      `json:"turns,omitempty"`
	Tokens     int64    `json:"tokens,omitempty"` // counted only where the harness reports them
	Stall      int      `json:"stall,omitempty"`  // turn ends without progress in the journal; default 5
}

// Score is how good the agent, or who looked at its work, finds the result.
type Score struct {
	Value     float64   `json:"value"`
	Note      string    `json:"note,omitempty"`
	By        string    `json:"by"`
	Iteration int       `json:"iteration"`
	At        time.Time `json:"at"`
}

// EffectKind says who carries an effect out.
type EffectKind string

// The kinds of effect.
const (
	EffectTask       EffectKind = "task"       // the run's own agent
	EffectAgent      EffectKind = "agent"      // another agent, by a task item; its resolution is the result
	EffectCommand    EffectKind = "command"    // turnpost run work
	EffectBreakpoint EffectKind = "breakpoint" // the person, by a question item; the answer is the result
	EffectSleep      EffectKind = "sleep"      // the hub's clock
)

// EffectKinds lists the kinds.
func EffectKinds() []EffectKind {
	return []EffectKind{EffectTask, EffectAgent, EffectCommand, EffectBreakpoint, EffectSleep}
}

// Blocks tells whether a run waits while an effect of the kind is open: its own
// agent does not wait for itself.
func (k EffectKind) Blocks() bool { return k != EffectTask }

// EffectState is where an effect stands.
type EffectState string

// Running is an effect that a worker has taken; ok and error are results.
const (
	EffectPending EffectState = "pending"
	EffectRunning EffectState = "running"
	EffectOK      EffectState = "ok"
	EffectError   EffectState = "error"
)

// Settled tells whether the result is there.
func (s EffectState) Settled() bool { return s == EffectOK || s == EffectError }

// Effect is something that a run asked for and that is done at most once.
type Effect struct {
	ID        string      `json:"id"` // "e-3", within its run
	Kind      EffectKind  `json:"kind"`
	Key       string      `json:"key,omitempty"`     // idempotency key: a second request with it is the same effect
	Label     string      `json:"label,omitempty"`   // one line for people
	Step      string      `json:"step,omitempty"`    // id of the process's step that asked for it
	Attempt   int         `json:"attempt,omitempty"` // of that step, from 1
	Iteration int         `json:"iteration"`
	By        string      `json:"by"`                // who asked for it
	Trusted   bool        `json:"trusted,omitempty"` // a person or a trusted process asked for it: commands run without a further word
	State     EffectState `json:"state"`

	Command  *Command  `json:"command,omitempty"`  // command
	Question string    `json:"question,omitempty"` // breakpoint
	Files    []RunFile `json:"files,omitempty"`    // breakpoint: what to look at
	To       string    `json:"to,omitempty"`       // agent
	Text     string    `json:"text,omitempty"`     // task, agent: what to do
	Until    time.Time `json:"until,omitzero"`     // sleep
	Item     string    `json:"item,omitempty"`     // agent, breakpoint: the item that carries it

	Worker    string    `json:"worker,omitempty"` // running: who took it
	Value     string    `json:"value,omitempty"`  // of the result
	PostedBy  string    `json:"posted_by,omitempty"`
	At        time.Time `json:"at"`
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Command is a program to run.
type Command struct {
	Args    []string `json:"args"`              // program and arguments; no shell
	Dir     string   `json:"dir"`               // absolute
	Seconds int      `json:"seconds,omitempty"` // it may take; default 600
}

// RunFile names a file beside a question.
type RunFile struct {
	Path   string `json:"path"`
	Format string `json:"format,omitempty"` // "markdown", "code", "json"
}

// RunProcess is a declarative workflow that a run follows: what
// .turnpost/runs/NAME.toml says.
type RunProcess struct {
	Name  string    `json:"name"`
	File  string    `json:"file,omitempty"` // absolute
	Hash  string    `json:"hash,omitempty"` // sha-256 of the file that was trusted
	Steps []StepDef `json:"steps"`
}

// StepKind is what a step of a process does.
type StepKind string

// The kinds of step. Those that are effects have the effect's name.
const (
	StepTask       StepKind = "task" // the run's agent
	StepAgent      StepKind = "agent"
	StepCommand    StepKind = "command"
	StepBreakpoint StepKind = "breakpoint"
	StepSleep      StepKind = "sleep"
	StepGate       StepKind = "gate" // passes when the score since it became ready reaches its target
)

// StepDef is one step of a process.
type StepDef struct {
	ID       string    `json:"id"`
	Kind     StepKind  `json:"kind"`
	Needs    []string  `json:"needs,omitempty"` // ids of steps or names of groups that have to be done before
	Group    string    `json:"group,omitempty"` // steps of one group are named together in Needs
	Text     string    `json:"text,omitempty"`  // task, agent: what to do; breakpoint: the question
	To       string    `json:"to,omitempty"`    // agent: a handle
	Command  *Command  `json:"command,omitempty"`
	Files    []RunFile `json:"files,omitempty"`
	Seconds  int64     `json:"seconds,omitempty"`  // sleep: how long
	Target   float64   `json:"target,omitempty"`   // gate
	Again    string    `json:"again,omitempty"`    // gate: the step from which it goes on when the score is too low
	Retries  int       `json:"retries,omitempty"`  // further attempts after an error
	Optional bool      `json:"optional,omitempty"` // an error does not fail the run
}

// StepState is where a step stands.
type StepState string

// The states of a step.
const (
	StepBlocked StepState = "blocked" // its needs are not done
	StepReady   StepState = "ready"
	StepActive  StepState = "active" // its effect is open, or its gate is being worked at
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
)

// Step is a step with how far it is.
type Step struct {
	StepDef
	State   StepState `json:"state"`
	Attempt int       `json:"attempt,omitempty"`
	Effect  string    `json:"effect,omitempty"` // of the newest attempt
}

// RunEventKind names one entry of a journal.
type RunEventKind string

// The kinds of entry. Progress is what shows that the agent gets on.
const (
	RunStarted     RunEventKind = "run.start"
	RunBound       RunEventKind = "run.bound"     // to a session
	RunPlanned     RunEventKind = "run.plan"      // progress
	IterationEnd   RunEventKind = "iteration.end" // progress when the agent said so
	IterationStart RunEventKind = "iteration.start"
	TurnEnded      RunEventKind = "turn.end"
	TurnContinued  RunEventKind = "turn.continue" // the run started a turn
	StepDispatched RunEventKind = "step.dispatch"
	EffectAsked    RunEventKind = "task.start" // progress
	EffectTaken    RunEventKind = "task.take"
	EffectLinked   RunEventKind = "task.item"     // an item carries it now
	EffectPosted   RunEventKind = "task.complete" // progress
	RunScored      RunEventKind = "score"         // progress
	RunPaused      RunEventKind = "run.pause"     // a person interrupted its agent: nothing starts until a prompt or resume
	RunResumed     RunEventKind = "run.resume"
	RunEnded       RunEventKind = "run.end" // completed, failed or halted
)

// RunEvent is one entry of a run's journal.
type RunEvent struct {
	Seq       int64        `json:"seq"` // from 1, without gaps
	At        time.Time    `json:"at"`
	Kind      RunEventKind `json:"kind"`
	By        string       `json:"by,omitempty"` // handle; empty: the hub
	Iteration int          `json:"iteration,omitempty"`

	Start   *RunStart   `json:"start,omitempty"`   // run.start; run.resume: Limits that are new
	ID      string      `json:"id,omitempty"`      // run.start: of the run
	Human   bool        `json:"human,omitempty"`   // run.start: By is a person
	Proof   string      `json:"proof,omitempty"`   // run.start; left out of what clients see
	Session string      `json:"session,omitempty"` // run.bound
	Text    string      `json:"text,omitempty"`    // plan, note, reason, value
	Own     bool        `json:"own,omitempty"`     // iteration.end: the agent said so
	Tokens  int64       `json:"tokens,omitempty"`  // turn.end
	Steps   []string    `json:"steps,omitempty"`   // step.dispatch: ids
	Effect  *Effect     `json:"effect,omitempty"`  // task.start
	Task    string      `json:"task,omitempty"`    // task.take, task.item, task.complete: id of the effect
	Worker  string      `json:"worker,omitempty"`  // task.take
	Item    string      `json:"item,omitempty"`    // task.item
	Result  EffectState `json:"result,omitempty"`  // task.complete: ok or error
	Score   *float64    `json:"score,omitempty"`   // score
	State   RunState    `json:"state,omitempty"`   // run.end
}

// RunStart starts a run. An agent starts one for itself only.
type RunStart struct {
	Goal    string      `json:"goal"`
	Handle  string      `json:"handle,omitempty"` // people: whose turns it continues; empty: the caller's
	Limits  Limits      `json:"limits,omitzero"`
	Process *RunProcess `json:"process,omitempty"` // people, and only after they trusted its file
	Key     string      `json:"key,omitempty"`     // idempotency key
}

// RunVerb is what a RunRequest does.
type RunVerb string

// The verbs.
const (
	RunPlan     RunVerb = "plan"     // Text is the plan
	RunIterate  RunVerb = "iterate"  // this iteration is over; Text says what came of it
	RunDispatch RunVerb = "dispatch" // ask for the steps that are ready
	RunScore    RunVerb = "score"    // Score, and Text for why
	RunComplete RunVerb = "complete" // Proof, and Text for what was reached
	RunFail     RunVerb = "fail"     // Text says why
	RunResume   RunVerb = "resume"   // people: also after an end other than completion
	RunHalt     RunVerb = "halt"
)

// RunRequest reports on a run, or steers it.
type RunRequest struct {
	ID    string   `json:"id,omitempty"` // empty: the caller's
	Do    RunVerb  `json:"do"`
	Text  string   `json:"text,omitempty"`
	Score *float64 `json:"score,omitempty"`
	Proof string   `json:"proof,omitempty"`

	Limits Limits `json:"limits,omitzero"` // resume: those that are not zero replace the run's; Seconds count from now
}

// RunQuery asks for one run.
type RunQuery struct {
	ID string `json:"id,omitempty"` // empty: the caller's
}

// RunsQuery asks for runs.
type RunsQuery struct {
	Handle string `json:"handle,omitempty"`
	All    bool   `json:"all,omitempty"`   // those that ended too
	Limit  int    `json:"limit,omitempty"` // default 50, at most 500
}

// Runs is a list of runs, newest first, without effects, plans and steps.
type Runs struct {
	Runs []Run `json:"runs"`
}

// JournalQuery asks for entries of a journal, and waits for new ones.
type JournalQuery struct {
	ID      string `json:"id,omitempty"` // empty: the caller's
	After   int64  `json:"after,omitempty"`
	Limit   int    `json:"limit,omitempty"`   // default 200, at most 1,000
	Seconds int    `json:"seconds,omitempty"` // wait so long for the first one, at most 50; 0: do not
}

// Journal is entries, oldest first.
type Journal struct {
	ID     string     `json:"id"`
	Events []RunEvent `json:"events"`
	Ended  bool       `json:"ended,omitempty"` // the run has ended and these are its last entries
}

// EffectDraft asks for an effect.
type EffectDraft struct {
	Run      string     `json:"run,omitempty"` // empty: the caller's
	Kind     EffectKind `json:"kind"`
	Key      string     `json:"key,omitempty"`
	Label    string     `json:"label,omitempty"`
	Command  *Command   `json:"command,omitempty"`
	Question string     `json:"question,omitempty"`
	Files    []RunFile  `json:"files,omitempty"`
	To       string     `json:"to,omitempty"`
	Text     string     `json:"text,omitempty"`
	Seconds  int64      `json:"seconds,omitempty"` // sleep
}

// EffectPost is a result. Posting the same one twice is one; another one is a
// conflict.
type EffectPost struct {
	Run    string      `json:"run,omitempty"` // empty: the caller's
	Effect string      `json:"effect"`
	Status EffectState `json:"status"` // ok or error
	Value  string      `json:"value,omitempty"`
	Worker string      `json:"worker,omitempty"` // command: who took it
}

// EffectTake takes pending commands for a worker; what it took before and did
// not post comes back with it.
type EffectTake struct {
	Run    string `json:"run,omitempty"` // empty: the caller's
	Worker string `json:"worker"`        // a name that stays the same when the worker is started again
	Limit  int    `json:"limit"`         // of those that run at a time, 1 to 32
	All    bool   `json:"all,omitempty"` // people: also what an agent asked for by itself
}

// Taken is the answer to EffectTake.
type Taken struct {
	Run     Run      `json:"run"`     // without effects
	Effects []Effect `json:"effects"` // this worker's, running; oldest first
	Left    int      `json:"left"`    // pending commands that were not taken because an agent asked for them
}

// EffectDone is one effect of a run.
type EffectDone struct {
	Run    string `json:"run"`
	Effect Effect `json:"effect"`
	Again  bool   `json:"again,omitempty"` // it was there before, by its key
}
