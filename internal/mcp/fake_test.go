package mcp

import (
	"context"
	"sync"

	"turnpost"
)

// fakeHub records what it is asked and answers what the test set. Methods that
// no tool uses are those of the nil Hub in it: they panic.
type fakeHub struct {
	turnpost.Hub

	mu    sync.Mutex
	asked []any
	err   error

	posted   turnpost.Posted
	inbox    turnpost.Inbox
	items    turnpost.Items
	item     turnpost.Item
	acked    turnpost.AckDone
	agents   turnpost.Agents
	channels turnpost.Channels
	channel  turnpost.Channel
	me       turnpost.Identity
	notes    turnpost.Notes
	run      turnpost.Run
	effect   turnpost.EffectDone

	waiting chan struct{} // Wait says here that it waits, if set; then it waits for its context
	ended   chan error    // and here why it ended
}

func note[A any](h *fakeHub, request any, answer A) (A, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, request)
	if h.err != nil {
		var none A
		return none, h.err
	}
	return answer, nil
}

// take returns what was asked since the last take.
func (h *fakeHub) take() []any {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	return asked
}

func (h *fakeHub) Post(_ context.Context, r turnpost.Draft) (turnpost.Posted, error) {
	return note(h, r, h.posted)
}

func (h *fakeHub) Inbox(_ context.Context, r turnpost.InboxQuery) (turnpost.Inbox, error) {
	return note(h, r, h.inbox)
}

func (h *fakeHub) Wait(ctx context.Context, r turnpost.WaitQuery) (turnpost.Inbox, error) {
	if h.waiting != nil {
		h.waiting <- struct{}{}
		<-ctx.Done()
		h.ended <- context.Cause(ctx)
		return turnpost.Inbox{}, ctx.Err()
	}
	return note(h, r, h.inbox)
}

func (h *fakeHub) Read(_ context.Context, r turnpost.ReadQuery) (turnpost.Items, error) {
	return note(h, r, h.items)
}

func (h *fakeHub) Ack(_ context.Context, r turnpost.AckRequest) (turnpost.AckDone, error) {
	return note(h, r, h.acked)
}

func (h *fakeHub) Pass(_ context.Context, r turnpost.PassRequest) (turnpost.Item, error) {
	return note(h, r, h.item)
}

func (h *fakeHub) Claim(_ context.Context, r turnpost.ClaimRequest) (turnpost.Item, error) {
	return note(h, r, h.item)
}

func (h *fakeHub) Resolve(_ context.Context, r turnpost.ResolveRequest) (turnpost.Item, error) {
	return note(h, r, h.item)
}

func (h *fakeHub) Open(_ context.Context, r turnpost.OpenQuery) (turnpost.Items, error) {
	return note(h, r, h.items)
}

func (h *fakeHub) Timeline(_ context.Context, r turnpost.TimelineQuery) (turnpost.Items, error) {
	return note(h, r, h.items)
}

func (h *fakeHub) Agents(_ context.Context, r turnpost.AgentQuery) (turnpost.Agents, error) {
	return note(h, r, h.agents)
}

func (h *fakeHub) Channels(_ context.Context, r turnpost.ChannelQuery) (turnpost.Channels, error) {
	return note(h, r, h.channels)
}

func (h *fakeHub) Channel(_ context.Context, r turnpost.ChannelRequest) (turnpost.Channel, error) {
	return note(h, r, h.channel)
}

func (h *fakeHub) Whoami(_ context.Context, r turnpost.Nothing) (turnpost.Identity, error) {
	return note(h, r, h.me)
}

func (h *fakeHub) Presence(_ context.Context, r turnpost.PresenceRequest) (turnpost.Agent, error) {
	return note(h, r, turnpost.Agent{})
}

func (h *fakeHub) Notes(_ context.Context, r turnpost.NotesRequest) (turnpost.Notes, error) {
	return note(h, r, h.notes)
}

func (h *fakeHub) Handoff(_ context.Context, r turnpost.HandoffRequest) (turnpost.Posted, error) {
	return note(h, r, h.posted)
}

func (h *fakeHub) StartRun(_ context.Context, r turnpost.RunStart) (turnpost.Run, error) {
	return note(h, r, h.run)
}

func (h *fakeHub) Run(_ context.Context, r turnpost.RunQuery) (turnpost.Run, error) {
	return note(h, r, h.run)
}

func (h *fakeHub) ChangeRun(_ context.Context, r turnpost.RunRequest) (turnpost.Run, error) {
	return note(h, r, h.run)
}

func (h *fakeHub) AskEffect(_ context.Context, r turnpost.EffectDraft) (turnpost.EffectDone, error) {
	return note(h, r, h.effect)
}

func (h *fakeHub) PostEffect(_ context.Context, r turnpost.EffectPost) (turnpost.EffectDone, error) {
	return note(h, r, h.effect)
}
