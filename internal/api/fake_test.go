package api

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"turnpost"
)

// fakeBackend records what reaches the hub and answers every method with a
// value whose fields are all set.
type fakeBackend struct {
	mu       sync.Mutex
	calls    []fakeCall
	err      error                                             // of every method
	who      *turnpost.Identity                                // of Whoami, when set
	waits    chan string                                       // what waits says so here, and waits for the end
	ended    chan string                                       // and here that it came, when set
	handle   func(turnpost.Event) (turnpost.HookAnswer, error) // when set
	shown    map[string]int                                    // by offer
	released map[string]int
	settled  chan struct{} // one for each shown or released offer, when set
}

type fakeCall struct {
	name   string
	caller turnpost.Caller
	req    any
}

var _ Backend = (*fakeBackend)(nil)

func newFake() *fakeBackend {
	return &fakeBackend{shown: map[string]int{}, released: map[string]int{}}
}

func (f *fakeBackend) record(name string, caller turnpost.Caller, req any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fakeCall{name, caller, req})
	return f.err
}

func (f *fakeBackend) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

func (f *fakeBackend) last(t *testing.T) fakeCall {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		t.Fatal("nothing reached the hub")
	}
	return f.calls[len(f.calls)-1]
}

func (f *fakeBackend) As(caller turnpost.Caller) turnpost.Hub { return fakeHub{f, caller} }

func (f *fakeBackend) Handle(_ context.Context, e turnpost.Event) (turnpost.HookAnswer, error) {
	err := f.record("Handle", turnpost.Caller{}, e)
	if f.handle != nil {
		return f.handle(e)
	}
	return filled[turnpost.HookAnswer](), err
}

func (f *fakeBackend) Shown(ctx context.Context, r turnpost.Receipt) (turnpost.Nothing, error) {
	if err := ctx.Err(); err != nil {
		return turnpost.Nothing{}, err // a hub would store nothing
	}
	err := f.record("Shown", turnpost.Caller{}, r)
	f.settle(f.shown, r.Offer)
	return turnpost.Nothing{}, err
}

func (f *fakeBackend) Release(offer string) { f.settle(f.released, offer) }

func (f *fakeBackend) settle(how map[string]int, offer string) {
	f.mu.Lock()
	how[offer]++
	f.mu.Unlock()
	if f.settled != nil {
		f.settled <- struct{}{}
	}
}

type fakeHub struct {
	*fakeBackend
	caller turnpost.Caller
}

func recorded[Res any](h fakeHub, name string, req any) (Res, error) {
	if err := h.record(name, h.caller, req); err != nil {
		var none Res
		return none, err
	}
	return filled[Res](), nil
}

// waited answers like recorded once the request ends.
func waited[Res any](ctx context.Context, h fakeHub, name string, req any) (Res, error) {
	if h.waits != nil {
		h.waits <- name
		<-ctx.Done()
		if h.ended != nil {
			h.ended <- name
		}
	}
	return recorded[Res](h, name, req)
}

func (h fakeHub) Post(_ context.Context, in turnpost.Draft) (turnpost.Posted, error) {
	return recorded[turnpost.Posted](h, "Post", in)
}

func (h fakeHub) Inbox(_ context.Context, in turnpost.InboxQuery) (turnpost.Inbox, error) {
	return recorded[turnpost.Inbox](h, "Inbox", in)
}

func (h fakeHub) Wait(ctx context.Context, in turnpost.WaitQuery) (turnpost.Inbox, error) {
	return waited[turnpost.Inbox](ctx, h, "Wait", in)
}

func (h fakeHub) Listen(ctx context.Context, in turnpost.ListenQuery) (turnpost.HookAnswer, error) {
	return waited[turnpost.HookAnswer](ctx, h, "Listen", in)
}

func (h fakeHub) Read(_ context.Context, in turnpost.ReadQuery) (turnpost.Items, error) {
	return recorded[turnpost.Items](h, "Read", in)
}

func (h fakeHub) Ack(_ context.Context, in turnpost.AckRequest) (turnpost.AckDone, error) {
	return recorded[turnpost.AckDone](h, "Ack", in)
}

func (h fakeHub) Pass(_ context.Context, in turnpost.PassRequest) (turnpost.Item, error) {
	return recorded[turnpost.Item](h, "Pass", in)
}

func (h fakeHub) Claim(_ context.Context, in turnpost.ClaimRequest) (turnpost.Item, error) {
	return recorded[turnpost.Item](h, "Claim", in)
}

func (h fakeHub) Resolve(_ context.Context, in turnpost.ResolveRequest) (turnpost.Item, error) {
	return recorded[turnpost.Item](h, "Resolve", in)
}

func (h fakeHub) Open(_ context.Context, in turnpost.OpenQuery) (turnpost.Items, error) {
	return recorded[turnpost.Items](h, "Open", in)
}

func (h fakeHub) Timeline(_ context.Context, in turnpost.TimelineQuery) (turnpost.Items, error) {
	return recorded[turnpost.Items](h, "Timeline", in)
}

func (h fakeHub) Agents(_ context.Context, in turnpost.AgentQuery) (turnpost.Agents, error) {
	return recorded[turnpost.Agents](h, "Agents", in)
}

func (h fakeHub) Channels(_ context.Context, in turnpost.ChannelQuery) (turnpost.Channels, error) {
	return recorded[turnpost.Channels](h, "Channels", in)
}

func (h fakeHub) Channel(_ context.Context, in turnpost.ChannelRequest) (turnpost.Channel, error) {
	return recorded[turnpost.Channel](h, "Channel", in)
}

func (h fakeHub) Whoami(_ context.Context, in turnpost.Nothing) (turnpost.Identity, error) {
	if h.who != nil {
		return *h.who, nil
	}
	return recorded[turnpost.Identity](h, "Whoami", in)
}

func (h fakeHub) Name(_ context.Context, in turnpost.NameRequest) (turnpost.Identity, error) {
	return recorded[turnpost.Identity](h, "Name", in)
}

func (h fakeHub) Presence(_ context.Context, in turnpost.PresenceRequest) (turnpost.Agent, error) {
	return recorded[turnpost.Agent](h, "Presence", in)
}

func (h fakeHub) Pause(_ context.Context, in turnpost.PauseRequest) (turnpost.Agent, error) {
	return recorded[turnpost.Agent](h, "Pause", in)
}

func (h fakeHub) Link(_ context.Context, in turnpost.LinkRequest) (turnpost.Session, error) {
	return recorded[turnpost.Session](h, "Link", in)
}

func (h fakeHub) Notes(_ context.Context, in turnpost.NotesRequest) (turnpost.Notes, error) {
	return recorded[turnpost.Notes](h, "Notes", in)
}

func (h fakeHub) Handoff(_ context.Context, in turnpost.HandoffRequest) (turnpost.Posted, error) {
	return recorded[turnpost.Posted](h, "Handoff", in)
}

func (h fakeHub) StartRun(_ context.Context, in turnpost.RunStart) (turnpost.Run, error) {
	return recorded[turnpost.Run](h, "StartRun", in)
}

func (h fakeHub) Run(_ context.Context, in turnpost.RunQuery) (turnpost.Run, error) {
	return recorded[turnpost.Run](h, "Run", in)
}

func (h fakeHub) Runs(_ context.Context, in turnpost.RunsQuery) (turnpost.Runs, error) {
	return recorded[turnpost.Runs](h, "Runs", in)
}

func (h fakeHub) Journal(ctx context.Context, in turnpost.JournalQuery) (turnpost.Journal, error) {
	return waited[turnpost.Journal](ctx, h, "Journal", in)
}

func (h fakeHub) ChangeRun(_ context.Context, in turnpost.RunRequest) (turnpost.Run, error) {
	return recorded[turnpost.Run](h, "ChangeRun", in)
}

func (h fakeHub) AskEffect(_ context.Context, in turnpost.EffectDraft) (turnpost.EffectDone, error) {
	return recorded[turnpost.EffectDone](h, "AskEffect", in)
}

func (h fakeHub) TakeEffects(_ context.Context, in turnpost.EffectTake) (turnpost.Taken, error) {
	return recorded[turnpost.Taken](h, "TakeEffects", in)
}

func (h fakeHub) PostEffect(_ context.Context, in turnpost.EffectPost) (turnpost.EffectDone, error) {
	return recorded[turnpost.EffectDone](h, "PostEffect", in)
}

func (h fakeHub) Board(_ context.Context, in turnpost.BoardQuery) (turnpost.Board, error) {
	return recorded[turnpost.Board](h, "Board", in)
}

func (h fakeHub) Clear(_ context.Context, in turnpost.ClearRequest) (turnpost.Nothing, error) {
	return recorded[turnpost.Nothing](h, "Clear", in)
}

func (h fakeHub) Changes(ctx context.Context, in turnpost.ChangesQuery) (turnpost.Changes, error) {
	return waited[turnpost.Changes](ctx, h, "Changes", in)
}

func (h fakeHub) Backup(_ context.Context, in turnpost.BackupRequest) (turnpost.BackupDone, error) {
	return recorded[turnpost.BackupDone](h, "Backup", in)
}

// filled returns a value in which every field is set, each in its own way.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), new(int64))
	return v
}

func fill(v reflect.Value, n *int64) {
	*n++
	if at, ok := v.Addr().Interface().(*time.Time); ok {
		*at = time.Date(2030, 1, 2, 3, 4, 5, int(*n), time.UTC)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text <&> " + string(rune('a'+*n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(*n)
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"raw":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("fill: " + v.Kind().String())
	}
}

const testToken = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

// socketPath is a short path of a socket that is not there.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s", "hub.sock")
}

// listen opens a server on a socket and a free port.
func listen(t *testing.T, f *fakeBackend, change ...func(*Config)) *Server {
	t.Helper()
	cfg := Config{
		Backend: f, Socket: socketPath(t), TCP: "127.0.0.1:0", Token: testToken,
		Version: "1.2.3", Protocol: 7, Logger: discard(),
	}
	for _, change := range change {
		change(&cfg)
	}
	s, err := Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve runs a server until the test ends.
func serve(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
