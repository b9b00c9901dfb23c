package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"turnpost/internal/api/client"
	"turnpost/internal/statedir"
)

// bench is one run.
type bench struct {
	ctx    context.Context
	dir    string // temporary
	runs   int
	filled int // items in the store
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) state() statedir.Dir { return statedir.Dir(b.path("state")) }

// env is the environment of everything that is started: nothing is inherited
// but the path.
func (b *bench) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TURNPOST_HOME=" + string(b.state()),
		"TURNPOST_LISTEN=127.0.0.1:0", "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_PID=1", // a process that lives and is not ours
	}
}

// build builds the programs as they are shipped.
func (b *bench) build() error {
	for name, pkg := range map[string]string{
		"turnpost": "./cmd/turnpost", "turnpost-hook": "./cmd/turnpost-hook", "bare": "./internal/bench/bare",
	} {
		cmd := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.path(name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
	}
	return os.Mkdir(b.path("repo"), 0o700)
}

// hub is a running hub.
type hub struct {
	cmd    *exec.Cmd
	took   time.Duration // from its start until it answered
	client *client.Client
	file   statedir.Hub
}

// start starts a hub and waits until it answers.
func (b *bench) start() (*hub, error) {
	started := time.Now()
	cmd := exec.CommandContext(b.ctx, b.path("turnpost"), "up")
	cmd.Env = b.env()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for time.Since(started) < time.Minute {
		file, err := b.state().ReadHub()
		if err == nil && file.Pid == cmd.Process.Pid {
			c := client.New(client.Address{Socket: file.Socket})
			if health, err := c.Health(b.ctx); err == nil && health.OK {
				return &hub{cmd: cmd, took: time.Since(started), client: c, file: file}, nil
			}
			c.Close()
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	return nil, fmt.Errorf("the hub did not start: %s: %w", said.String(), cmd.Wait())
}

func (h *hub) stop() error {
	defer h.client.Close()
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return h.cmd.Wait()
}

// rss is the memory that the process holds now, in MB.
func (h *hub) rss() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("no VmRSS")
}

// stdin is what the client pipes into a hook at the end of a turn.
func (b *bench) stdin(n int) ([]byte, error) {
	line, err := json.Marshal(map[string]any{
		"session_id": "00000001-aaaa-4bbb-8ccc-dddddddddddd", "transcript_path": b.path("transcript.jsonl"),
		"cwd": b.path("repo"), "prompt_id": fmt.Sprintf("00000002-aaaa-4bbb-8ccc-%012d", n), "permission_mode": "default",
		"effort": map[string]string{"level": "medium"}, "hook_event_name": "Stop", "stop_hook_active": false,
		"last_assistant_message": "Done: the flag is renamed and the tests pass.", "background_tasks": []any{}, "session_crons": []any{},
	})
	return append(line, '\n'), err
}

// call runs a program with stdin, in our environment before its own, and tells
// its wall time; it must print nothing.
func (b *bench) call(stdin []byte, env []string, program string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(b.ctx, program, args...)
	cmd.Env, cmd.Dir = append(slices.Clip(env), b.env()...), b.path("repo")
	cmd.Stdin = bytes.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil || out.Len() > 0 {
		return 0, fmt.Errorf("%s said %q: %w", filepath.Base(program), out.String(), err)
	}
	return took, nil
}

// series is a list of times.
type series []time.Duration

func (s series) quantile(part float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return float64(sorted[min(int(part*float64(len(sorted))), len(sorted)-1)].Microseconds()) / 1000
}

func (s series) row(name string) float64 {
	median := s.quantile(0.5)
	fmt.Printf("%-34s n=%-5d median %8.2f   p95 %8.2f   p99 %8.2f\n", name, len(s), median, s.quantile(0.95), s.quantile(0.99))
	return median
}
