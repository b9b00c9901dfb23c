//go:build unix

package work_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/work"
)

// TestMain makes the test binary a worker too, one that can be killed.
func TestMain(m *testing.M) {
	if url := os.Getenv("WORK_TEST_HUB"); url != "" {
		_, err := work.Run(context.Background(), work.Config{
			Hub: client.New(client.Address{URL: url}), RunID: runID, Worker: "w-1",
			Dir: os.Getenv("WORK_TEST_DIR"), Environ: os.Environ(), Parallel: 3,
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start starts a worker in a process of its own.
func (s setting) start(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "WORK_TEST_HUB="+s.hub.URL, "WORK_TEST_DIR="+s.dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says "killed"
}

// TestKilledInMidCommand holds that a command whose worker died is not run
// again, and that nothing of it is left.
func TestKilledInMidCommand(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh(`echo x >> ran; echo $$ > pid; sleep 600`), s.sh(`echo quick`))
	worker := s.start(t)
	pid := filepath.Join(s.cwd, "pid")
	await(t, func() bool {
		_, err := os.Stat(filepath.Join(s.dir, "e-1", "process.json"))
		return err == nil && fileNumber(pid) > 0
	})
	if _, err := work.Run(t.Context(), s.config()); turnpost.CodeOf(err) != turnpost.Conflict ||
		err.Error() != fmt.Sprintf("process %d works at this run already", worker.Process.Pid) {
		t.Errorf("a second worker: %v", err)
	}
	kill(t, worker)
	if !alive(fileNumber(pid)) {
		t.Error("the command ended with its worker; this test shows nothing")
	}

	s.work(t)
	post := s.hub.posted(t, "e-1")
	if want := "interrupted: the worker died while it ran; it was not run again"; post.Status != turnpost.EffectError || post.Value != want {
		t.Errorf("posted %+v", post)
	}
	wantFile(t, filepath.Join(s.cwd, "ran"), "x\n")
	wantGone(t, pid)
	s.hub.posted(t, "e-2")

	s.work(t) // nothing is left to say
	s.hub.posted(t, "e-1")
}

// TestKilledBeforeThePost holds that the result of a command is posted, once,
// by the next worker.
func TestKilledBeforeThePost(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh(`echo x >> ran; echo the result`))
	arrived, never := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(never) })
	s.hub.onPost(func(turnpost.EffectPost) error {
		arrived <- struct{}{}
		<-never
		return turnpost.Errorf(turnpost.Unavailable, "gone")
	})
	worker := s.start(t)
	<-arrived
	kill(t, worker)
	s.hub.onPost(nil)

	s.work(t)
	post := s.hub.posted(t, "e-1")
	if post.Status != turnpost.EffectOK {
		t.Errorf("posted %+v", post)
	}
	wantParts(t, post.Value, "exit status 0", "\nthe result\n")
	wantFile(t, filepath.Join(s.cwd, "ran"), "x\n")
}
