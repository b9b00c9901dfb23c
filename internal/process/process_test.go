package process_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/process"
)

func TestOwnProcess(t *testing.T) {
	pid := os.Getpid()
	start := process.Start(pid)
	if start == "" {
		t.Fatal("no start stamp of the own process")
	}
	if again := process.Start(pid); again != start {
		t.Errorf("stamp changed: %q, then %q", start, again)
	}
	if strings.ContainsAny(start, " \n") {
		t.Errorf("stamp %q holds space", start)
	}
	if got := process.Parent(pid); got != os.Getppid() {
		t.Errorf("parent %d, want %d", got, os.Getppid())
	}
	if !process.Alive(turnpost.Process{Pid: pid, Start: start}) {
		t.Error("the own process is not alive")
	}
	if !process.Alive(turnpost.Process{Pid: pid}) {
		t.Error("the own process is not alive without a stamp")
	}
	if process.Alive(turnpost.Process{Pid: pid, Start: start + "0"}) {
		t.Error("a reused pid counts as alive")
	}
}

func TestNoProcess(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 30} {
		if got := process.Start(pid); got != "" {
			t.Errorf("Start(%d) = %q", pid, got)
		}
		if process.Alive(turnpost.Process{Pid: pid}) {
			t.Errorf("%d is alive", pid)
		}
		if got := process.Parent(pid); got != 0 {
			t.Errorf("Parent(%d) = %d", pid, got)
		}
	}
}

// A killed process stays as a zombie until its parent reaps it: it must count
// as gone at once.
func TestZombieIsGone(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := turnpost.Process{Pid: cmd.Process.Pid, Start: process.Start(cmd.Process.Pid)}
	if !process.Alive(p) {
		t.Fatal("the child is not alive")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// Not yet reaped: Wait comes last.
	for process.Alive(p) {
	}
	if process.Alive(turnpost.Process{Pid: p.Pid}) {
		t.Error("a zombie is alive without a stamp")
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child was not killed")
	}
	if process.Alive(p) {
		t.Error("the reaped child is alive")
	}
}

// The name of the program may hold what separates the fields of /proc/PID/stat.
func TestOddProgramName(t *testing.T) {
	name := t.TempDir() + "/a) R 1 (b"
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if got := process.Parent(cmd.Process.Pid); got != os.Getpid() {
		t.Errorf("parent %d, want %d", got, os.Getpid())
	}
	_, ticks, ok := strings.Cut(process.Start(cmd.Process.Pid), ":")
	if _, err := strconv.Atoi(ticks); ok && err != nil {
		t.Errorf("ticks %q", ticks)
	}
}
