// Package mcp offers the hub to agents as MCP tools, over stdio and over
// streamable HTTP. It works over any turnpost.Hub and holds no state between
// calls: a client may go on with it after a restart as if nothing had happened.
//
// Answers are plain text for a model. What others wrote stands in one frame
// with labels that we set; what went wrong is a tool error with a hint, never a
// protocol error where the client's arguments are to blame.
//
// It never decides who the caller is: HubFor does.
package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"turnpost"
)

// MaxMessage is the largest message that a client may send, in bytes.
const MaxMessage = 1 << 20

// Claim is what a call says of who makes it; a field is empty where it says
// nothing.
type Claim struct {
	HookSession string // the argument of that name
	Native      string // the session that the harness named in the call's _meta
}

// HubFor returns the hub as one caller sees it. ctx carries the values of the
// HTTP request, or those of ServeStdio's context. A caller that is not known
// gets a Hub whose methods say so, not nil.
type HubFor func(context.Context, Claim) turnpost.Hub

// Options are what New can do without.
type Options struct {
	Version string       // of Turnpost, for the handshake
	Logger  *slog.Logger // panics of tools and errors of the transport; nil discards them

	// Channels are the clients to which what may start a turn is pushed, over
	// stdio; Listener then returns who brings it.
	Channels []Channel
	Listener func(context.Context) (Listener, error)
}

// Server serves the tools. One Server serves any number of clients.
type Server struct {
	server   *mcp.Server
	logger   *slog.Logger
	channels []Channel
	listener func(context.Context) (Listener, error)
}

// New makes a server over hubFor.
func New(hubFor HubFor, options Options) *Server {
	logger := options.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{logger: logger, channels: options.Channels, listener: options.Listener}
	// Said explicitly: the library's default promises logging.
	capabilities := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	for _, channel := range s.channels {
		if capabilities.Experimental == nil {
			capabilities.Experimental = map[string]any{}
		}
		capabilities.Experimental[channel.Capability] = struct{}{}
	}
	s.server = mcp.NewServer(
		&mcp.Implementation{Name: "turnpost", Version: options.Version},
		&mcp.ServerOptions{
			Instructions:       instructions(),
			Capabilities:       capabilities,
			Logger:             logger,
			InitializedHandler: s.startChannel,
		})
	s.server.AddReceivingMiddleware(endWithClient)
	if len(s.channels) > 0 {
		s.server.AddReceivingMiddleware(olderOnly)
	}
	for _, t := range tools() {
		s.server.AddTool(t.spec, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			native := nativeOf(request.Params.Meta)
			return s.call(ctx, t, func(hookSession string) turnpost.Hub {
				return hubFor(ctx, Claim{HookSession: hookSession, Native: native})
			}, request.Params.Arguments)
		})
	}
	return s
}

// call runs one tool. A panic ends the call, not the process: the hub may be
// in it.
func (s *Server) call(ctx context.Context, t tool, hub hubOf, arguments json.RawMessage) (result *mcp.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.logger.Error("tool panicked", "tool", t.spec.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result, err = refusal(turnpost.Errorf(turnpost.Internal, "internal error in %s", t.spec.Name)), nil
		}
	}()
	text, err := t.run(ctx, hub, arguments)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return refusal(err), nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

//go:embed instructions.md
var instructionsText string

// instructions fills the protocol's words into the text for the model.
func instructions() string {
	return strings.TrimSpace(strings.NewReplacer(
		"{question}", turnpost.Protocol(turnpost.Question),
		"{task}", turnpost.Protocol(turnpost.Task),
		"{answer}", turnpost.Protocol(turnpost.Answer),
		"{note}", turnpost.Protocol(turnpost.Note),
		"{trust}", turnpost.ProtocolTrust,
		"{limit}", turnpost.ProtocolLimit,
	).Replace(instructionsText))
}
