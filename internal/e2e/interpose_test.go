//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"turnpost/internal/atomicfile"
)

// interposed stands between the hook clients and the hub, and loses some of
// their confirmations with the connection, as a killed client would.
type interposed struct {
	t    testing.TB
	hub  string        // its socket
	lose chan struct{} // one element for each confirmation still to be lost
	gone atomic.Int64
}

// interpose lets the hub file name a socket of the test's.
func (w *world) interpose() *interposed {
	w.t.Helper()
	file := w.hubFile()
	p := &interposed{t: w.t, hub: file.Socket, lose: make(chan struct{}, 10)}
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
		if request.URL.Path == "/v1/shown" {
			select {
			case <-p.lose:
				p.gone.Add(1)
				return
			default:
			}
		}
		if request.Write(to) != nil {
			return
		}
		answer, err := http.ReadResponse(answers, request)
		if err != nil || answer.Write(from) != nil {
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body) // written already
	}
}
