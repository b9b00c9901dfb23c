// Package client is the hub for programs that are not the hub: a turnpost.Hub
// and a turnpost.HookHub over the hub's socket or its port. It imports the
// standard library only, and never retries: a request that got no answer may
// have been carried out.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"turnpost"
)

var (
	_ turnpost.Hub     = (*Client)(nil)
	_ turnpost.HookHub = (*Client)(nil)
)

// How long an answer may take. A wait adds what it was asked to wait.
const (
	answerTimeout = 5 * time.Second
	backupTimeout = 10 * time.Minute
)

// maxAnswer is far above the largest answer, 50 whole items.
const maxAnswer = 256 << 20

// The headers are those of package api.
const (
	sessionHeader = "Turnpost-Session"
	nativeHeader  = "Turnpost-Native"
)

// Address is where a hub listens.
type Address struct {
	Socket string // path; used when set
	URL    string // else "http://127.0.0.1:21584"
	Token  string // for URL
}

// Client speaks to one hub. It is safe for concurrent use.
type Client struct {
	http    *http.Client
	base    string
	token   string
	session string
	native  string
}

// New returns a client of the hub at an address. It connects when it is used.
func New(at Address) *Client {
	c := &Client{base: at.URL, token: at.Token}
	transport := &http.Transport{
		Proxy:               nil, // the hub is on this machine, or the user's own proxy is its URL
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     50 * time.Second, // before the hub's own 60 s
	}
	if at.Socket != "" {
		c.base, c.token = "http://turnpost", ""
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", at.Socket)
		}
	}
	c.http = &http.Client{
		Transport: transport,
		// A hub never redirects a route: whoever does gets no token.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// WithSession returns a client that asks for the agent whose session.start
// announced the secret, over the same connections.
func (c *Client) WithSession(secret string) *Client {
	out := *c
	out.session = secret
	return &out
}

// WithNative returns a client that asks for that session of its own process, in
// the harness's own words, over the same connections: where a process hosts
// several, being its child does not say for which.
func (c *Client) WithNative(id string) *Client {
	out := *c
	out.native = id
	return &out
}

// Close closes the idle connections. An offer of Handle that came over one and
// was not confirmed is free again then.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call is the one way to ask: a JSON object to a route, a JSON object back.
func call[Res, Req any](ctx context.Context, c *Client, route string, req Req, limit time.Duration) (res Res, err error) {
	body, err := json.Marshal(req)
	if err != nil {
		return res, fmt.Errorf("encode request: %w", err)
	}
	return exchange[Res](ctx, c, http.MethodPost, "/v1/"+route, body, limit)
}

func exchange[Res any](ctx context.Context, c *Client, method, path string, body []byte, limit time.Duration) (res Res, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := http.NewRequestWithContext(limited, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return res, fmt.Errorf("make request: %w", err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.session != "" {
		r.Header.Set(sessionHeader, c.session)
	}
	if c.native != "" {
		r.Header.Set(nativeHeader, c.native)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return res, noAnswer(ctx, err, limit)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return res, noAnswer(ctx, err, limit)
	}
	if answer.StatusCode != http.StatusOK {
		return res, refused(answer.StatusCode, data)
	}
	if err := json.Unmarshal(data, &res); err != nil {
		return res, fmt.Errorf("decode answer: %w", err)
	}
	return res, nil
}

// refused returns the hub's own error.
func refused(status int, data []byte) error {
	var failure struct {
		Error *turnpost.Error `json:"error"`
	}
	if err := json.Unmarshal(data, &failure); err != nil || failure.Error == nil || failure.Error.Code == "" {
		return turnpost.Errorf(turnpost.Unavailable, "what answered is not a hub (status %d)", status).
			WithHint("look with: turnpost status")
	}
	return failure.Error
}

// noAnswer words a failed exchange; the caller's own end comes back as it is.
func noAnswer(ctx context.Context, err error, limit time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return turnpost.Errorf(turnpost.Unavailable, "the hub did not answer within %s", limit).
			WithHint("it may have done it all the same; look with: turnpost status")
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return unreachable()
	}
	var cause *url.Error
	if errors.As(err, &cause) {
		err = cause.Err // without the address
	}
	return turnpost.Errorf(turnpost.Unavailable, "the hub went away before it answered: %v", err).
		WithHint("start it again: turnpost up")
}

func unreachable() error {
	return turnpost.Errorf(turnpost.Unavailable, "the hub cannot be reached").WithHint("start it: turnpost up")
}
