package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"turnpost"
)

// Channel is a client that takes texts which a server pushes to it, without
// being asked: over stdio, after a handshake of the revisions before 2026-07-28,
// which have a way for that.
type Channel struct {
	Host       string // the name with which the client introduces itself
	Capability string // experimental; the server announces it
	Method     string // of the notification; its params are {"content": text}
}

// Listener is the part of a hub that brings what may start a turn.
type Listener interface {
	Listen(context.Context, turnpost.ListenQuery) (turnpost.HookAnswer, error)
	Shown(context.Context, turnpost.Receipt) (turnpost.Nothing, error)
}

// listenAgain is how long to wait for a hub that is gone, or that has not heard
// of the session yet.
const listenAgain = 5 * time.Second

// discover is how a client finds a server of the newest revision, which has no
// way to push.
const discover = "server/discover"

// olderOnly makes clients shake hands in a revision that can be pushed to.
func olderOnly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method == discover {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server pushes: shake hands with initialize"}
		}
		return next(ctx, method, request)
	}
}

// peer is the client at the other end of a connection that can be pushed to.
type peer struct {
	conn    *lineConn
	ctx     context.Context // until it goes away
	pushing sync.WaitGroup
}

// peerKey finds it among the values of a handler's context.
type peerKey struct{}

// startChannel begins to push, once the client has shaken hands, if it is one
// that takes it.
func (s *Server) startChannel(ctx context.Context, request *mcp.InitializedRequest) {
	to, ok := ctx.Value(peerKey{}).(*peer)
	said := request.Session.InitializeParams()
	if !ok || said == nil || said.ClientInfo == nil {
		return
	}
	for _, channel := range s.channels {
		if channel.Host == said.ClientInfo.Name {
			to.pushing.Go(func() { s.push(to.ctx, to, channel) })
			return
		}
	}
}

// push waits for what may start a turn and hands it to the client, until ctx
// ends or the hub says that it does not arrive.
func (s *Server) push(ctx context.Context, to *peer, channel Channel) {
	for ctx.Err() == nil {
		err := s.pushNext(ctx, to, channel)
		switch turnpost.CodeOf(err) {
		case "", turnpost.Unavailable, turnpost.Unauthorized:
		default:
			if ctx.Err() == nil {
				s.logger.Warn("nothing is pushed any more", "error", err)
			}
			return
		}
		if err == nil {
			continue
		}
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

// pushNext hands over one offer. One that was not written whole is not
// confirmed, and free again with its connection.
func (s *Server) pushNext(ctx context.Context, to *peer, channel Channel) error {
	hub, err := s.listener(ctx)
	if err != nil {
		return err
	}
	answer, err := hub.Listen(ctx, turnpost.ListenQuery{})
	if err != nil || answer.Offer == "" {
		return err
	}
	params, err := json.Marshal(map[string]string{"content": answer.Decision.Continue})
	if err != nil {
		return fmt.Errorf("encode text: %w", err)
	}
	if err := to.conn.send(&jsonrpc.Request{Method: channel.Method, Params: params}); err != nil {
		return err
	}
	if _, err := hub.Shown(ctx, turnpost.Receipt{Offer: answer.Offer}); err != nil {
		s.logger.Warn("what was pushed is not confirmed, and will come again", "error", err)
	}
	return nil
}
