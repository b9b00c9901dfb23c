package client

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"turnpost"
)

// Post stores an item and tells when its addressees will see it.
func (c *Client) Post(ctx context.Context, in turnpost.Draft) (turnpost.Posted, error) {
	return call[turnpost.Posted](ctx, c, "post", in, answerTimeout)
}

// Inbox lists what waits for the caller.
func (c *Client) Inbox(ctx context.Context, in turnpost.InboxQuery) (turnpost.Inbox, error) {
	return call[turnpost.Inbox](ctx, c, "inbox", in, answerTimeout)
}

// Wait waits until the inbox holds something not shown yet.
func (c *Client) Wait(ctx context.Context, in turnpost.WaitQuery) (turnpost.Inbox, error) {
	return call[turnpost.Inbox](ctx, c, "wait", in, waiting(in.Seconds, 50))
}

// Listen waits until something may start a turn of the caller's session.
func (c *Client) Listen(ctx context.Context, in turnpost.ListenQuery) (turnpost.HookAnswer, error) {
	return call[turnpost.HookAnswer](ctx, c, "listen", in, waiting(in.Seconds, 50))
}

// Read returns whole items.
func (c *Client) Read(ctx context.Context, in turnpost.ReadQuery) (turnpost.Items, error) {
	return call[turnpost.Items](ctx, c, "read", in, answerTimeout)
}

// Ack closes deliveries.
func (c *Client) Ack(ctx context.Context, in turnpost.AckRequest) (turnpost.AckDone, error) {
	return call[turnpost.AckDone](ctx, c, "ack", in, answerTimeout)
}

// Pass hands an item to the human.
func (c *Client) Pass(ctx context.Context, in turnpost.PassRequest) (turnpost.Item, error) {
	return call[turnpost.Item](ctx, c, "pass", in, answerTimeout)
}

// Claim takes a task.
func (c *Client) Claim(ctx context.Context, in turnpost.ClaimRequest) (turnpost.Item, error) {
	return call[turnpost.Item](ctx, c, "claim", in, answerTimeout)
}

// Resolve closes a question or a task.
func (c *Client) Resolve(ctx context.Context, in turnpost.ResolveRequest) (turnpost.Item, error) {
	return call[turnpost.Item](ctx, c, "resolve", in, answerTimeout)
}

// Open lists open questions and tasks.
func (c *Client) Open(ctx context.Context, in turnpost.OpenQuery) (turnpost.Items, error) {
	return call[turnpost.Items](ctx, c, "open", in, answerTimeout)
}

// Timeline lists items, newest first.
func (c *Client) Timeline(ctx context.Context, in turnpost.TimelineQuery) (turnpost.Items, error) {
	return call[turnpost.Items](ctx, c, "timeline", in, answerTimeout)
}

// Agents lists handles.
func (c *Client) Agents(ctx context.Context, in turnpost.AgentQuery) (turnpost.Agents, error) {
	return call[turnpost.Agents](ctx, c, "agents", in, answerTimeout)
}

// Channels lists channels.
func (c *Client) Channels(ctx context.Context, in turnpost.ChannelQuery) (turnpost.Channels, error) {
	return call[turnpost.Channels](ctx, c, "channels", in, answerTimeout)
}

// Channel changes a channel.
func (c *Client) Channel(ctx context.Context, in turnpost.ChannelRequest) (turnpost.Channel, error) {
	return call[turnpost.Channel](ctx, c, "channel", in, answerTimeout)
}

// Whoami tells who the caller is.
func (c *Client) Whoami(ctx context.Context, in turnpost.Nothing) (turnpost.Identity, error) {
	return call[turnpost.Identity](ctx, c, "whoami", in, answerTimeout)
}

// Name renames a handle.
func (c *Client) Name(ctx context.Context, in turnpost.NameRequest) (turnpost.Identity, error) {
	return call[turnpost.Identity](ctx, c, "name", in, answerTimeout)
}

// Presence sets the caller's presence.
func (c *Client) Presence(ctx context.Context, in turnpost.PresenceRequest) (turnpost.Agent, error) {
	return call[turnpost.Agent](ctx, c, "presence", in, answerTimeout)
}

// Pause keeps a handle from being interrupted.
func (c *Client) Pause(ctx context.Context, in turnpost.PauseRequest) (turnpost.Agent, error) {
	return call[turnpost.Agent](ctx, c, "pause", in, answerTimeout)
}

// Link binds an unlinked session to a handle.
func (c *Client) Link(ctx context.Context, in turnpost.LinkRequest) (turnpost.Session, error) {
	return call[turnpost.Session](ctx, c, "link", in, answerTimeout)
}

// Notes reads or changes an agent's notes.
func (c *Client) Notes(ctx context.Context, in turnpost.NotesRequest) (turnpost.Notes, error) {
	return call[turnpost.Notes](ctx, c, "notes", in, answerTimeout)
}

// Handoff passes an agent's work to another.
func (c *Client) Handoff(ctx context.Context, in turnpost.HandoffRequest) (turnpost.Posted, error) {
	return call[turnpost.Posted](ctx, c, "handoff", in, answerTimeout)
}

// StartRun starts a run.
func (c *Client) StartRun(ctx context.Context, in turnpost.RunStart) (turnpost.Run, error) {
	return call[turnpost.Run](ctx, c, "run/start", in, answerTimeout)
}

// Run returns one run with all that belongs to it.
func (c *Client) Run(ctx context.Context, in turnpost.RunQuery) (turnpost.Run, error) {
	return call[turnpost.Run](ctx, c, "run", in, answerTimeout)
}

// Runs lists runs.
func (c *Client) Runs(ctx context.Context, in turnpost.RunsQuery) (turnpost.Runs, error) {
	return call[turnpost.Runs](ctx, c, "runs", in, answerTimeout)
}

// Journal lists entries of a run's journal, and waits for new ones.
func (c *Client) Journal(ctx context.Context, in turnpost.JournalQuery) (turnpost.Journal, error) {
	return call[turnpost.Journal](ctx, c, "run/journal", in, waiting(in.Seconds, 0))
}

// ChangeRun reports on a run, or steers it.
func (c *Client) ChangeRun(ctx context.Context, in turnpost.RunRequest) (turnpost.Run, error) {
	return call[turnpost.Run](ctx, c, "run/change", in, answerTimeout)
}

// AskEffect asks for an effect.
func (c *Client) AskEffect(ctx context.Context, in turnpost.EffectDraft) (turnpost.EffectDone, error) {
	return call[turnpost.EffectDone](ctx, c, "run/ask", in, answerTimeout)
}

// TakeEffects takes pending commands for a worker.
func (c *Client) TakeEffects(ctx context.Context, in turnpost.EffectTake) (turnpost.Taken, error) {
	return call[turnpost.Taken](ctx, c, "run/take", in, answerTimeout)
}

// PostEffect posts the result of an effect.
func (c *Client) PostEffect(ctx context.Context, in turnpost.EffectPost) (turnpost.EffectDone, error) {
	return call[turnpost.EffectDone](ctx, c, "run/post", in, answerTimeout)
}

// Board returns what the page shows.
func (c *Client) Board(ctx context.Context, in turnpost.BoardQuery) (turnpost.Board, error) {
	return call[turnpost.Board](ctx, c, "board", in, answerTimeout)
}

// Clear clears a notice.
func (c *Client) Clear(ctx context.Context, in turnpost.ClearRequest) (turnpost.Nothing, error) {
	return call[turnpost.Nothing](ctx, c, "clear", in, answerTimeout)
}

// Changes waits until the board changed.
func (c *Client) Changes(ctx context.Context, in turnpost.ChangesQuery) (turnpost.Changes, error) {
	return call[turnpost.Changes](ctx, c, "changes", in, waiting(in.Seconds, 25))
}

// Backup copies the store. It may take ten minutes.
func (c *Client) Backup(ctx context.Context, in turnpost.BackupRequest) (turnpost.BackupDone, error) {
	return call[turnpost.BackupDone](ctx, c, "backup", in, backupTimeout)
}

// Handle reports an event. An offer in the answer is held until Shown, or until
// the connection that brought it ends; see Close.
func (c *Client) Handle(ctx context.Context, in turnpost.Event) (turnpost.HookAnswer, error) {
	return call[turnpost.HookAnswer](ctx, c, "event", in, answerTimeout)
}

// Shown confirms that an answer was printed.
func (c *Client) Shown(ctx context.Context, in turnpost.Receipt) (turnpost.Nothing, error) {
	return call[turnpost.Nothing](ctx, c, "shown", in, answerTimeout)
}

// Login is a link that signs one browser in, once and before Until.
type Login struct {
	URL   string    `json:"url"`
	Until time.Time `json:"until"`
}

// Login asks for a link to the page; over the socket only, and not for agents.
func (c *Client) Login(ctx context.Context) (Login, error) {
	return call[Login](ctx, c, "login", turnpost.Nothing{}, answerTimeout)
}

// Stop tells the hub to end; over the socket only. It ends within two seconds
// of the answer.
func (c *Client) Stop(ctx context.Context) error {
	_, err := call[turnpost.Nothing](ctx, c, "stop", turnpost.Nothing{}, answerTimeout)
	return err
}

// Health tells which hub answers.
type Health struct {
	OK       bool   `json:"ok"`
	Protocol int    `json:"protocol"`
	Pid      int    `json:"pid"`
	Version  string `json:"version"`
}

// Health asks whether the hub is up.
func (c *Client) Health(ctx context.Context) (Health, error) {
	return exchange[Health](ctx, c, http.MethodGet, "/healthz", nil, answerTimeout)
}

// waiting is the time for an answer that may take seconds, or the route's own
// default.
func waiting(seconds, byDefault int) time.Duration {
	return time.Duration(cmp.Or(seconds, byDefault))*time.Second + answerTimeout
}
