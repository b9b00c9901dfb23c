package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"

	"turnpost"
)

// BenchmarkEvent is the hub's share of a hook call, over a kept connection.
func BenchmarkEvent(b *testing.B) {
	f := newFake()
	f.handle = func(turnpost.Event) (turnpost.HookAnswer, error) { return turnpost.HookAnswer{Handle: "@api"}, nil }
	s, err := Listen(Config{Backend: f, Socket: b.TempDir() + "/s/x", Logger: discard()})
	if err != nil {
		b.Fatal(err)
	}
	go s.Serve(b.Context()) // ends with the benchmark
	c, err := net.Dial("unix", s.socket.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	body, err := json.Marshal(filled[turnpost.Event]())
	if err != nil {
		b.Fatal(err)
	}
	in := bufio.NewReader(c)
	for b.Loop() {
		if err := write(c, "/v1/event", string(body)); err != nil {
			b.Fatal(err)
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			b.Fatal(answer.StatusCode, err)
		}
	}
}

func BenchmarkDecodeEvent(b *testing.B) {
	body, err := json.Marshal(filled[turnpost.Event]())
	if err != nil {
		b.Fatal(err)
	}
	decode := decoder[turnpost.Event]()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := decode(bytes.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}
