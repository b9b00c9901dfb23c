package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lifetimeKey finds, among the values of a handler's context, the context that
// ends when the client goes away.
type lifetimeKey struct{}

// withLifetime lets the handlers that run under ctx find it. The library hands
// its values on to them but hides its end: before protocol 2026-07-28 a closed
// connection was not a cancelled request, so a wait would outlive its client.
func withLifetime(ctx context.Context) context.Context {
	return context.WithValue(ctx, lifetimeKey{}, ctx)
}

// endWithClient ends a request when its client goes away.
func endWithClient(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		client, ok := ctx.Value(lifetimeKey{}).(context.Context)
		if !ok {
			return next(ctx, method, request)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stop := context.AfterFunc(client, func() { cancel(context.Cause(client)) })
		defer stop()
		return next(ctx, method, request)
	}
}
