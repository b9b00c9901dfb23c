package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"turnpost"
	"turnpost/internal/api"
	"turnpost/internal/harness"
	"turnpost/internal/hook"
	"turnpost/internal/hub"
	"turnpost/internal/mcp"
	"turnpost/internal/setup"
	"turnpost/internal/web"
)

// mounts is what the hub serves beside its own routes, behind api's guard.
func (r *running) mounts(h *hub.Hub) map[string]api.Mount {
	tools := mcp.New(func(ctx context.Context, claim mcp.Claim) turnpost.Hub {
		// Whoever comes here is an agent: the token speaks for nobody, and a claim
		// of which session it is proves nothing without a process.
		caller := api.CallerFrom(ctx)
		caller.Human, caller.Native = false, claim.Native
		if claim.HookSession != "" {
			caller.HookSession = claim.HookSession
		}
		return h.As(caller)
	}, mcp.Options{Version: r.env.Version, Logger: r.log})
	page := web.New(web.Config{
		Hub:          h.As(turnpost.Caller{Human: true}),
		Integrations: r.integrations(h),
		Resume:       resume,
		Now:          r.env.Now,
		Version:      r.env.Version,
	})
	return map[string]api.Mount{
		"/":       {Handler: page, Person: true, Types: []string{"application/x-www-form-urlencoded"}},
		"/mcp":    {Handler: tools.Handler(), MaxBody: mcp.MaxMessage},
		"/hooks/": {Handler: r.hooks(h), MaxBody: maxHookBody},
	}
}

// resume is the command line that reopens a session, "" where there is none.
func resume(s turnpost.Session) string {
	h, ok := harness.Find(s.Harness)
	if !ok {
		return ""
	}
	resumer, ok := h.(harness.Resumer)
	if !ok || s.Native == "" {
		return ""
	}
	command := resumer.Resume(s.Native)
	if s.Cwd != "" {
		command = "cd " + setup.ShellQuote(s.Cwd) + " && " + command
	}
	return command
}

// maxHookBody is the most that a harness may send of one event, in bytes.
const maxHookBody = 256 << 10

// hooks answers harnesses that are set up to send their events over HTTP. It
// knows nothing of their processes, so that they report status only.
func (r *running) hooks(h *hub.Hub) http.Handler {
	unknown := harness.Env{
		Getenv:       func(string) string { return "" },
		BellPath:     r.dir.Bell,
		ProcessStart: func(int) string { return "" },
		Parents:      func(func(harness.Parent) bool) {},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		adapter, ok := harness.Find(strings.TrimPrefix(req.URL.Path, "/hooks/"))
		switch {
		case !ok:
			r.refuse(w, http.StatusNotFound, turnpost.Errorf(turnpost.NotFound, "there is no such harness"))
			return
		case req.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			r.refuse(w, http.StatusMethodNotAllowed, turnpost.Errorf(turnpost.Invalid, "hooks are sent with POST"))
			return
		}
		out, err := hook.Local(req.Context(), adapter, unknown, h, req.Body)
		var coded *turnpost.Error
		switch {
		case err == nil:
		case errors.As(err, &coded) && coded.Code != turnpost.Internal:
			r.refuse(w, http.StatusBadRequest, coded)
			return
		default:
			r.warn(err)
			r.refuse(w, http.StatusServiceUnavailable, turnpost.Errorf(turnpost.Unavailable, "the hub cannot take this event now"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(out.Stdout); err != nil {
			r.warn(err)
		}
	})
}

func (r *running) refuse(w http.ResponseWriter, status int, coded *turnpost.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(map[string]any{"error": coded}); err != nil {
		r.warn(err)
	}
}
