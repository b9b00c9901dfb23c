package turnpost

// Kind names one normalised thing that a harness said.
type Kind string

// The kinds. Each has a row in Kinds.
const (
	SessionStart  Kind = "session.start"
	Prompt        Kind = "prompt"
	ToolBefore    Kind = "tool.before"
	ToolAfter     Kind = "tool.after"
	ToolFailed    Kind = "tool.failed"
	PermissionAsk Kind = "permission"
	Notification  Kind = "notification"
	TurnEnd       Kind = "turn.end"
	TurnFailed    Kind = "turn.failed"
	Interrupt     Kind = "interrupt"
	Retry         Kind = "retry"
	SubagentStart Kind = "subagent.start"
	SubagentEnd   Kind = "subagent.end"
	CompactBefore Kind = "compact.before"
	CompactAfter  Kind = "compact.after"
	CwdChanged    Kind = "cwd"
	Bell          Kind = "bell"
	SessionEnd    Kind = "session.end"
)

// TurnEffect is what an event kind does to its session's turn.
type TurnEffect string

// A turn is open or closed; a kind may leave it as it was.
const (
	KeepsTurn  TurnEffect = ""
	OpensTurn  TurnEffect = "opens"
	ClosesTurn TurnEffect = "closes" // turn.end: unless we continued it; session.start: unless its source is compact
)

// KindRow describes one kind.
type KindRow struct {
	Kind Kind
	Turn TurnEffect
	Doc  string // one line for people
}

// Kinds is the table of all event kinds; a new kind is a new row here and an
// entry in each adapter that has it.
var Kinds = [...]KindRow{
	{SessionStart, ClosesTurn, "a session started, resumed, was cleared or forked; or its context was compacted"},
	{Prompt, OpensTurn, "a person or a machine gave the agent something to do"},
	{ToolBefore, OpensTurn, "a tool is about to run"},
	{ToolAfter, OpensTurn, "a tool, or a batch of tools, has run"},
	{ToolFailed, OpensTurn, "a tool failed"},
	{PermissionAsk, OpensTurn, "the agent waits for a person's permission"},
	{Notification, KeepsTurn, "the harness told the person something"},
	{TurnEnd, ClosesTurn, "the agent finished its turn"},
	{TurnFailed, ClosesTurn, "the turn ended with an error of the model service"},
	{Interrupt, ClosesTurn, "a person interrupted the turn"},
	{Retry, KeepsTurn, "the harness retries a request"},
	{SubagentStart, KeepsTurn, "a sub-agent started"},
	{SubagentEnd, KeepsTurn, "a sub-agent ended"},
	{CompactBefore, KeepsTurn, "the context is about to be compacted"},
	{CompactAfter, KeepsTurn, "the context was compacted"},
	{CwdChanged, KeepsTurn, "the working directory changed"},
	{Bell, KeepsTurn, "the session heard its bell"},
	{SessionEnd, ClosesTurn, "the session ended"},
}

// Row returns the kind's row; ok is false for a kind that is not in Kinds.
func (k Kind) Row() (row KindRow, ok bool) {
	for _, row := range Kinds {
		if row.Kind == k {
			return row, true
		}
	}
	return KindRow{}, false
}

// The sources of a session.start.
const (
	SourceStartup = "startup"
	SourceResume  = "resume"
	SourceClear   = "clear"
	SourceCompact = "compact"
	SourceFork    = "fork"
)
