//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"turnpost/internal/atomicfile"
)

// interposed stands between the hook clients and the hub. It loses
// confirmations with their connection, as a killed client would, and keeps
// answers back, as a hub on a busy disk does.
type interposed struct {
	t     testing.TB
	hub   string        // its socket
	lose  chan struct{} // one element for each confirmation still to be lost
	stall chan struct{} // one element for each turn end still to be left without an answer
	gone  atomic.Int64
	stuck atomic.Int64
}

// interpose lets the hub file name a socket of the test's.
func (w *world) interpose() *interposed {
	w.t.Helper()
	file := w.hubFile()
	p := &interposed{t: w.t, hub: file.Socket, lose: make(chan struct{}, 10), stall: make(chan struct{}, 10)}
	listener, err := net.Listen("unix", filepath.Join(w.home.Dir, "between.sock"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			go p.serve(conn)
		}
	}()
	write := func(socket string) {
		file.Socket = socket
		data, err := json.Marshal(file)
		if err == nil {
			err = atomicfile.Write(w.dir.HubFile(), data, 0o600)
		}
		if err != nil {
			w.t.Errorf("write hub file: %v", err)
		}
	}
	write(listener.Addr().String())
	w.t.Cleanup(func() { write(p.hub) }) // for `turnpost down`
	return p
}

// loseNext loses the next confirmation.
func (p *interposed) loseNext() { p.lose <- struct{}{} }

// lost tells how many are lost.
func (p *interposed) lost() int64 { return p.gone.Load() }

// stallNext lets the next turn end wait for its answer until it gives up.
func (p *interposed) stallNext() { p.stall <- struct{}{} }

// stalled tells how many have given up.
func (p *interposed) stalled() int64 { return p.stuck.Load() }

// taken takes an element if there is one.
func taken(from chan struct{}) bool {
	select {
	case <-from:
		return true
	default:
		return false
	}
}

// serve passes requests on one by one.
func (p *interposed) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("unix", p.hub)
	if err != nil {
		p.t.Errorf("reach the hub: %v", err)
		return
	}
	defer to.Close()
	requests, answers := bufio.NewReader(from), bufio.NewReader(to)
	for {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return // the client has gone
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		if request.URL.Path == "/v1/shown" && taken(p.lose) {
			p.gone.Add(1)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		if request.Write(to) != nil {
			return
		}
		answer, err := http.ReadResponse(answers, request)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte(`"turn.end"`)) && taken(p.stall) {
			_, _ = requests.Peek(1) // until the client ends
			p.stuck.Add(1)
			return
		}
		if answer.Write(from) != nil {
			return
		}
	}
}
