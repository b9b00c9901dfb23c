package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

	"turnpost"
	"turnpost/internal/process"
)

const (
	defaultLimit = 600 * time.Second // of a command that says nothing else
	grace        = 2 * time.Second   // between asking processes to end and ending them; for what still holds the output
)

// execute runs a command to its end and says what came of it. Whatever is wrong
// is a result too.
func (w *worker) execute(ctx context.Context, effect turnpost.Effect) Result {
	result, err := w.run(ctx, effect)
	if err != nil {
		return Result{Status: turnpost.EffectError, Value: fit("was not run: " + err.Error())}
	}
	return result
}

func (w *worker) run(ctx context.Context, effect turnpost.Effect) (Result, error) {
	command := effect.Command
	if command == nil || len(command.Args) == 0 {
		return Result{}, errors.New("it names no program")
	}
	if info, err := os.Stat(command.Dir); err != nil || !filepath.IsAbs(command.Dir) || !info.IsDir() {
		return Result{}, fmt.Errorf("there is no directory %q", command.Dir)
	}
	dir, err := w.dirOf(effect.ID)
	if err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Result{}, fmt.Errorf("make directory of %s: %w", effect.ID, err)
	}
	stdout, err := newOutput(filepath.Join(dir, "stdout"))
	if err != nil {
		return Result{}, err
	}
	defer stdout.close()
	stderr, err := newOutput(filepath.Join(dir, "stderr"))
	if err != nil {
		return Result{}, err
	}
	defer stderr.close()

	limit := time.Duration(command.Seconds) * time.Second
	if limit <= 0 {
		limit = defaultLimit
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var told atomic.Int64 // when it was told to end, unix nanoseconds
	cmd := exec.CommandContext(limited, command.Args[0], command.Args[1:]...)
	cmd.Dir, cmd.Env = command.Dir, w.Environ
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = grace
	ownGroup(cmd)
	cmd.Cancel = func() error {
		told.Store(time.Now().UnixNano())
		return askToEnd(cmd.Process.Pid)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	leader := turnpost.Process{Pid: cmd.Process.Pid, Start: process.Start(cmd.Process.Pid)}
	// Without the note nobody could end what outlives a worker that is killed;
	// that is a lesser harm than not to run.
	_ = note(filepath.Join(dir, processFile), leader)
	err = cmd.Wait()
	took := time.Since(start)
	at := told.Load()
	switch {
	case at != 0:
		awaitGroup(leader, time.Until(time.Unix(0, at).Add(grace)))
		endGroup(leader)
	case errors.Is(err, exec.ErrWaitDelay):
		endGroup(leader) // it left something behind that holds the output
	}

	status, how := turnpost.EffectError, endOf(cmd.ProcessState, err)
	switch {
	case at != 0 && ctx.Err() != nil:
		how = "ended, because its worker was told to end"
	case at != 0:
		how = "ended, because it took longer than " + limit.String()
	case cmd.ProcessState.Success():
		status = turnpost.EffectOK
	}
	return Result{Status: status, Value: value(how, took, stdout, stderr)}, nil
}

// endOf says how a process ended by itself.
func endOf(state *os.ProcessState, err error) string {
	if state == nil {
		return fmt.Sprintf("cannot be waited for: %v", err)
	}
	return state.String() // "exit status 1", "signal: killed"
}

// note remembers which process a command is.
func note(path string, leader turnpost.Process) error {
	data, err := json.Marshal(leader)
	if err != nil {
		return fmt.Errorf("encode process: %w", err)
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}

// endRest ends what is left of a command whose worker died, as far as it is
// proved to be that.
func (w *worker) endRest(effect string) {
	dir, err := w.dirOf(effect)
	if err != nil {
		return
	}
	data, err := os.ReadFile(filepath.Join(dir, processFile))
	if err != nil {
		return
	}
	var leader turnpost.Process
	if json.Unmarshal(data, &leader) != nil || leader.Pid <= 1 || leader.Start == "" || !process.Alive(leader) {
		return
	}
	if askToEnd(leader.Pid) == nil {
		awaitGroup(leader, grace)
		endGroup(leader)
	}
}
