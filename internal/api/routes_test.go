package api

import (
	"context"
	"errors"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/api/client"
)

func clients(s *Server) map[string]*client.Client {
	return map[string]*client.Client{
		"socket": client.New(client.Address{Socket: s.socket.Addr().String()}),
		"port":   client.New(client.Address{URL: "http://" + s.TCP(), Token: testToken}),
	}
}

// pathOf is the route of a method of the contract: its name, where no other is
// listed.
func pathOf(method string) string {
	switch method {
	case "Handle":
		return "/v1/event"
	case "StartRun":
		return "/v1/run/start"
	case "Journal":
		return "/v1/run/journal"
	case "ChangeRun":
		return "/v1/run/change"
	case "AskEffect":
		return "/v1/run/ask"
	case "TakeEffects":
		return "/v1/run/take"
	case "PostEffect":
		return "/v1/run/post"
	}
	return "/v1/" + strings.ToLower(method)
}

// Every method of the contract has a route, and what goes in at the client
// comes out at the hub, and back.
func TestEveryHubMethodMakesTheRoundTrip(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	routes := map[string]endpoint{}
	for _, e := range endpoints() {
		routes[e.path] = e
	}
	socket, port := clients(s)["socket"], clients(s)["port"]
	defer socket.Close()
	defer port.Close()
	for _, end := range []struct {
		at     string
		c      *client.Client
		caller turnpost.Caller
	}{
		{"socket", socket, turnpost.Caller{Pid: os.Getpid()}},
		{"socket, for a session", socket.WithSession("secret").WithNative("n-1"), turnpost.Caller{Pid: os.Getpid(), HookSession: "secret", Native: "n-1"}},
		{"port", port, turnpost.Caller{Human: true}},
		{"port, for a session", port.WithSession("secret"), turnpost.Caller{HookSession: "secret"}},
	} {
		for _, contract := range []reflect.Type{reflect.TypeFor[turnpost.Hub](), reflect.TypeFor[turnpost.HookHub]()} {
			for method := range contract.Methods() {
				name := pathOf(method.Name)
				route, ok := routes[name]
				if !ok {
					t.Errorf("%s has no route %s", method.Name, name)
				}
				if route.policy.local && strings.HasPrefix(end.at, "port") {
					continue
				}
				req := reflect.New(method.Type.In(1)).Elem()
				fill(req, new(int64))
				out := reflect.ValueOf(end.c).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(t.Context()), req})
				if err, _ := out[1].Interface().(error); err != nil {
					t.Errorf("%s over the %s: %v", method.Name, end.at, err)
					continue
				}
				last := f.last(t)
				if last.name != method.Name {
					t.Errorf("%s over the %s reached %s", method.Name, end.at, last.name)
				}
				caller := end.caller
				if contract == reflect.TypeFor[turnpost.HookHub]() {
					caller = turnpost.Caller{} // an event says itself whose it is
				}
				if last.caller != caller {
					t.Errorf("%s over the %s: caller %+v, want %+v", method.Name, end.at, last.caller, caller)
				}
				if diff := cmp.Diff(req.Interface(), last.req); diff != "" {
					t.Errorf("%s over the %s: request (-sent +got):\n%s", method.Name, end.at, diff)
				}
				want := reflect.New(method.Type.Out(0)).Elem()
				if method.Name != "Shown" { // whose answer is Nothing
					fill(want, new(int64))
				}
				if diff := cmp.Diff(want.Interface(), out[0].Interface()); diff != "" {
					t.Errorf("%s over the %s: answer (-sent +got):\n%s", method.Name, end.at, diff)
				}
			}
		}
	}
}

func TestZeroRequestsAreTaken(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	c := clients(s)["socket"]
	defer c.Close()
	for method := range reflect.TypeFor[turnpost.Hub]().Methods() {
		out := reflect.ValueOf(c).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.Zero(method.Type.In(1))})
		if err, _ := out[1].Interface().(error); err != nil {
			t.Errorf("%s: %v", method.Name, err)
		}
	}
}

func TestErrorsComeBackAsTheyWere(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	for at, c := range clients(s) {
		defer c.Close()
		for _, code := range []turnpost.Code{
			turnpost.Invalid, turnpost.Unauthorized, turnpost.Forbidden, turnpost.NotFound, turnpost.Conflict,
			turnpost.TooLarge, turnpost.Unavailable, turnpost.Internal,
		} {
			want := &turnpost.Error{Code: code, Message: "is <wrong>", Field: "to[0]", Hint: "mend \"it\""}
			f.err = want
			_, err := c.Post(t.Context(), turnpost.Draft{})
			var got *turnpost.Error
			if !errors.As(err, &got) || *got != *want {
				t.Errorf("over the %s: got %#v, want %#v", at, err, want)
			}
		}
		f.err = errors.New("secret detail")
		_, err := c.Post(t.Context(), turnpost.Draft{})
		if turnpost.CodeOf(err) != turnpost.Internal || strings.Contains(err.Error(), "secret") {
			t.Errorf("over the %s: an error without a code came back as %v", at, err)
		}
	}
}

func TestStatusOfEveryCode(t *testing.T) {
	for code, want := range map[turnpost.Code]int{
		turnpost.Invalid: 400, turnpost.Unauthorized: 401, turnpost.Forbidden: 403, turnpost.NotFound: 404,
		turnpost.Conflict: 409, turnpost.TooLarge: 413, turnpost.Unavailable: 503, turnpost.Internal: 500, "new": 500,
	} {
		if got := status(code); got != want {
			t.Errorf("status(%q) = %d, want %d", code, got, want)
		}
	}
}

func TestHealth(t *testing.T) {
	s := listen(t, newFake())
	serve(t, s)
	for at, c := range clients(s) {
		defer c.Close()
		got, err := c.Health(t.Context())
		want := client.Health{OK: true, Protocol: 7, Pid: os.Getpid(), Version: "1.2.3"}
		if err != nil || got != want {
			t.Errorf("over the %s: %+v, %v", at, got, err)
		}
	}
}

func TestCallerIsWhatTheConnectionProves(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	cs := clients(s)
	for _, test := range []struct {
		name string
		c    *client.Client
		want turnpost.Caller
	}{
		{"socket", cs["socket"], turnpost.Caller{Pid: os.Getpid()}},
		{"socket with a session", cs["socket"].WithSession("secret"), turnpost.Caller{Pid: os.Getpid(), HookSession: "secret"}},
		{"socket with one of its process's sessions", cs["socket"].WithNative("n-1"), turnpost.Caller{Pid: os.Getpid(), Native: "n-1"}},
		{"socket with both", cs["socket"].WithNative("n-1").WithSession("secret"), turnpost.Caller{Pid: os.Getpid(), HookSession: "secret", Native: "n-1"}},
		{"port", cs["port"], turnpost.Caller{Human: true}},
		{"port with a session of some process", cs["port"].WithNative("n-1"), turnpost.Caller{Human: true}},
		{"port with a session", cs["port"].WithSession("secret"), turnpost.Caller{HookSession: "secret"}},
	} {
		if _, err := test.c.Whoami(t.Context(), turnpost.Nothing{}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := f.last(t).caller; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		test.c.Close()
	}
}

func TestShownThatFailsFreesTheOffer(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	c := clients(s)["socket"]
	defer c.Close()
	answer, err := c.Handle(t.Context(), turnpost.Event{})
	if err != nil {
		t.Fatal(err)
	}
	f.err = turnpost.Errorf(turnpost.Unavailable, "disk full")
	if _, err := c.Shown(t.Context(), turnpost.Receipt{Offer: answer.Offer}); turnpost.CodeOf(err) != turnpost.Unavailable {
		t.Errorf("got %v", err)
	}
	if f.released[answer.Offer] != 1 {
		t.Error("the offer stays held")
	}
}

func TestPanicIsAnInternalErrorWithoutItsStack(t *testing.T) {
	f := newFake()
	f.handle = func(turnpost.Event) (turnpost.HookAnswer, error) { panic("secret cause") }
	s := listen(t, f, func(cfg *Config) {
		cfg.Mounts = map[string]Mount{"/half": {Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half"))
			panic("late")
		})}}
	})
	serve(t, s)
	c := clients(s)["socket"]
	defer c.Close()
	_, err := c.Handle(t.Context(), turnpost.Event{})
	if turnpost.CodeOf(err) != turnpost.Internal || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("got %v", err)
	}
	if _, err := c.Whoami(t.Context(), turnpost.Nothing{}); err != nil {
		t.Errorf("after the panic: %v", err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.TCP()+"/half", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	if answer, err := http.DefaultTransport.RoundTrip(r); err == nil {
		answer.Body.Close()
		t.Error("half an answer looks like a whole one")
	}
}

func TestMountsGetTheCallerAndTheirBody(t *testing.T) {
	var got turnpost.Caller
	see := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = CallerFrom(r.Context())
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header()["access-control-allow-credentials"] = []string{"true"}
	})
	s := listen(t, newFake(), func(cfg *Config) {
		cfg.Mounts = map[string]Mount{"/": {Handler: see, Person: true}, "/mcp": {Handler: see}}
	})
	serve(t, s)
	for path, want := range map[string]turnpost.Caller{"/": {Human: true}, "/some/page": {Human: true}, "/mcp": {}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.TCP()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testToken)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 || got != want {
			t.Errorf("%s: %d, caller %+v, want %+v", path, answer.StatusCode, got, want)
		}
		for name := range answer.Header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: a mount gave a permission: %s", path, name)
			}
		}
	}
}

func TestMountTakenTwiceIsRefused(t *testing.T) {
	_, err := Listen(Config{
		Backend: newFake(), Socket: socketPath(t), Logger: discard(),
		Mounts: map[string]Mount{"/login": {Handler: http.NotFoundHandler()}},
	})
	if err == nil || !strings.Contains(err.Error(), "/login") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCallComesBackAsItIs(t *testing.T) {
	f := newFake()
	f.waits = make(chan string)
	s := listen(t, f)
	serve(t, s)
	c := clients(s)["socket"]
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := c.Wait(ctx, turnpost.WaitQuery{}); done <- err }()
	<-f.waits
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
