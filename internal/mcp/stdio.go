package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client that speaks JSON-RPC, one message a line. It
// returns nil when the client goes away or ctx ends; both end a wait at once. If
// in can be closed, it is closed before ServeStdio returns.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, end := context.WithCancel(ctx)
	other := &peer{conn: newLineConn(in, out), ctx: ctx}
	defer other.pushing.Wait()
	defer end()
	err := s.server.Run(withLifetime(context.WithValue(ctx, peerKey{}, other)), lines{other.conn})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve stdio: %w", err)
	}
	return nil
}

// lines is the transport. The library's own gives the client up at the first
// line that is no JSON or too long; an agent would lose its tools for the rest
// of its session. Here the client is told, and the next line counts.
type lines struct{ conn *lineConn }

var _ mcp.Transport = lines{}

// Connect starts to read.
func (l lines) Connect(context.Context) (mcp.Connection, error) {
	go l.conn.receive()
	return l.conn, nil
}

type lineConn struct {
	in        io.Reader
	incoming  chan jsonrpc.Message // closed at the end of in
	ended     error                // why, valid once incoming is closed
	closed    chan struct{}
	closeOnce sync.Once

	writing sync.Mutex // one message at a time
	out     io.Writer
}

func newLineConn(in io.Reader, out io.Writer) *lineConn {
	return &lineConn{in: in, out: out, incoming: make(chan jsonrpc.Message), closed: make(chan struct{})}
}

func (c *lineConn) receive() {
	defer close(c.incoming)
	reader := bufio.NewReader(c.in)
	for {
		line, err := readLine(reader)
		if err != nil && !errors.Is(err, errLineTooLong) {
			c.ended = err
			return
		}
		var message jsonrpc.Message
		if err == nil {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			message, err = jsonrpc.DecodeMessage(line)
		}
		if err != nil {
			if err := c.send(&jsonrpc.Response{Error: lineError(line, err)}); err != nil {
				c.ended = err
				return
			}
			continue
		}
		select {
		case c.incoming <- message:
		case <-c.closed:
			return
		}
	}
}

var errLineTooLong = fmt.Errorf("message is longer than %d bytes", MaxMessage)

// readLine returns the next line, which the end of the input also ends, or
// errLineTooLong once it has skipped one that is longer than MaxMessage.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := reader.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > MaxMessage {
			tooLong, line = true, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case err != nil:
			return nil, err
		case tooLong:
			return nil, errLineTooLong
		}
		return line, nil
	}
}

func lineError(line []byte, err error) *jsonrpc.Error {
	if errors.Is(err, errLineTooLong) || json.Valid(line) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not a JSON-RPC message"}
}

func (c *lineConn) send(message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// Read returns the next message, io.EOF at the end of the input.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message, ok := <-c.incoming:
		if !ok {
			if c.ended == nil {
				return nil, io.EOF
			}
			return nil, c.ended
		}
		return message, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends one message.
func (c *lineConn) Write(_ context.Context, message jsonrpc.Message) error { return c.send(message) }

// Close ends Read, and the input where it can be closed.
func (c *lineConn) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		if in, ok := c.in.(io.Closer); ok {
			// The client is gone or going: there is nobody to tell.
			_ = in.Close()
		}
	})
	return nil
}

// SessionID is empty: stdio has one session.
func (c *lineConn) SessionID() string { return "" }
