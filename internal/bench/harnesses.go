package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"turnpost"
	"turnpost/internal/harness"
	rules "turnpost/internal/hub"
	"turnpost/internal/store"
)

// turnEnd is how a harness calls a hook at the end of a turn, by the fixtures of
// its adapter.
type turnEnd struct {
	harness string
	native  string // the session
	stdin   []byte
	cwd     string // in stdin; empty where the event does not say it
	env     []string
}

// turnEnds finds one for each harness that can be kept going there.
func turnEnds() ([]turnEnd, error) {
	var out []turnEnd
	for _, h := range harness.All() {
		dirs, err := filepath.Glob(filepath.Join("internal", "harness", "testdata", h.Name(), "*"))
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			end, found, err := readTurnEnd(h.Name(), dir)
			if err != nil {
				return nil, err
			}
			if found {
				out = append(out, end)
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no fixtures: run it from the root of the repository")
	}
	return out, nil
}

func readTurnEnd(name, dir string) (end turnEnd, found bool, err error) {
	var event turnpost.Event
	data, err := os.ReadFile(filepath.Join(dir, "event.json"))
	if err == nil {
		err = json.Unmarshal(data, &event)
	}
	if err != nil || event.Kind != turnpost.TurnEnd || !event.Accepts.Continue {
		return end, false, err
	}
	end.harness, end.native, end.cwd = name, event.Native, event.Cwd
	if end.stdin, err = os.ReadFile(filepath.Join(dir, "stdin.json")); err != nil {
		return end, false, err
	}
	env, err := os.ReadFile(filepath.Join(dir, "env.txt"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return end, false, err
	}
	end.env = strings.Fields(string(env))
	return end, true, nil
}

// in makes another event of it, in a directory: two equal ones at once are one.
func (e turnEnd) in(dir string, n int) []byte {
	stdin := e.stdin
	if e.cwd != "" {
		stdin = bytes.ReplaceAll(stdin, []byte(e.cwd), []byte(dir))
	}
	return bytes.Replace(stdin, []byte("{"), []byte(`{"turnpost_bench":"`+strconv.Itoa(n)+`",`), 1)
}

// harnessCalls measures the hook client with each harness's own event at the
// turn's end, nothing unread, all in turn. It has a hub of its own: some of
// these sessions are said to be this very process, which would no longer speak
// as a person.
func (b *bench) harnessCalls() error {
	ends, err := turnEnds()
	if err != nil {
		return err
	}
	own := &bench{ctx: b.ctx, dir: b.path("harnesses"), runs: b.runs}
	if err := os.MkdirAll(own.path("repo"), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"turnpost", "turnpost-hook", "bare"} {
		if err := os.Link(b.path(name), own.path(name)); err != nil {
			return err
		}
	}
	h, err := own.start()
	if err != nil {
		return err
	}
	bare, hooks, err := own.turns(ends, h.file.Socket)
	if stopped := h.stop(); err == nil {
		err = stopped
	}
	if err == nil {
		err = own.heard(ends)
	}
	if err != nil {
		return err
	}
	floor := bare.row("bare program, one POST")
	for n, end := range ends {
		median := hooks[n].row("hook, " + end.harness)
		fmt.Printf("%-34s %.2f\n", "hook / bare", median/floor)
	}
	return nil
}

// turns lets the bare program and the hooks take turns.
func (b *bench) turns(ends []turnEnd, socket string) (bare series, hooks []series, err error) {
	hooks = make([]series, len(ends))
	for i := range b.runs + 10 {
		floor, err := b.call([]byte(`{"kind":"retry","harness":"bare","native":"bare"}`), nil, b.path("bare"), socket)
		if err != nil {
			return nil, nil, err
		}
		if i >= 10 { // after the warm-up
			bare = append(bare, floor)
		}
		for n, end := range ends {
			took, err := b.call(end.in(b.path("repo"), i), append(end.env, "TURNPOST_AGENT=@bench-"+end.harness), b.path("turnpost-hook"), end.harness)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", end.harness, err)
			}
			if i >= 10 {
				hooks[n] = append(hooks[n], took)
			}
		}
	}
	return bare, hooks, nil
}

// heard holds that the hub knows a session of each harness: a hook that fails is
// quick and silent.
func (b *bench) heard(ends []turnEnd) error {
	db, err := store.Open(b.ctx, b.state().Database())
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(b.ctx, func(tx rules.Tx) error {
		for _, end := range ends {
			if _, err := tx.SessionByNative(end.harness, end.native); err != nil {
				return fmt.Errorf("the hub heard nothing of %s: %w", end.harness, err)
			}
		}
		return nil
	})
}
