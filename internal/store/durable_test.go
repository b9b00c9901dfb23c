//go:build linux

package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

// childEnv makes this test binary a program that uses a store.
const childEnv = "TURNPOST_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	child := map[string]func(path string) error{
		"many": postMany, "some": postSome, "fill": fillTmpfs,
	}[os.Getenv(childEnv)]
	if child == nil {
		os.Exit(m.Run())
	}
	if err := child(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// startChild runs this binary as a child on a store, behind another program if
// one is given.
func startChild(t *testing.T, as, path string, behind ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := append(behind, self, path)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), childEnv+"="+as)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

const childWriters = 16

// postMany posts from many goroutines until somebody kills it and prints the
// summary of each post once it is acknowledged.
func postMany(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	round := count(panicking{}, s, `SELECT COUNT(*) FROM items`)
	var all sync.WaitGroup
	for w := range childWriters {
		all.Go(func() {
			for n := 0; ; n++ {
				summary := fmt.Sprintf("%d/%d/%d", round, w, n)
				err := s.Update(ctx, func(tx hub.Tx) error { return postSummary(tx, summary) })
				if err != nil {
					panic(err)
				}
				s.Later(func(tx hub.Tx) error { return tx.AddActivity(turnpost.Activity{Text: summary}) })
				fmt.Fprintln(os.Stdout, summary) // unbuffered, one write
			}
		})
	}
	all.Wait()
	return nil
}

func postSummary(tx hub.Tx, summary string) error {
	item, err := tx.AddItem(turnpost.Item{Kind: turnpost.Question, Author: "@web", To: []string{"@api"}, Summary: summary, State: turnpost.ItemOpen})
	if err != nil {
		return err
	}
	_, err = tx.AddDelivery(turnpost.Delivery{Handle: "@api", Item: item.ID, Kind: item.Kind, State: turnpost.Stored})
	return err
}

// panicking is a testing.TB for the child, which has no test.
type panicking struct{ testing.TB }

func (panicking) Helper()           {}
func (panicking) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// summaries reads what the store holds, oldest first.
func summaries(t *testing.T, s *SQLite) (out []string) {
	t.Helper()
	rows, err := s.readDB.Query(`SELECT summary FROM items ORDER BY number`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var summary string
		if err := rows.Scan(&summary); err != nil {
			t.Fatal(err)
		}
		out = append(out, summary)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// unbroken fails unless every item has its delivery and the sequences have no gap.
func unbroken(t *testing.T, s *SQLite) {
	t.Helper()
	wholeDB(t, s)
	items := count(t, s, `SELECT COUNT(*) FROM items`)
	for _, query := range []string{
		`SELECT COALESCE(MAX(number), 0) FROM items`, `SELECT value FROM counters WHERE name = 'item'`,
		`SELECT COUNT(*) FROM deliveries JOIN items USING (number)`,
		`SELECT COALESCE(MAX(seq), 0) FROM deliveries`, `SELECT last_seq FROM agents WHERE handle = '@api'`,
	} {
		if got := count(t, s, query); got != items {
			t.Errorf("%s: %d, want %d as there are items", query, got, items)
		}
	}
}

// TestKill ends a writing program 20 times at a moment of its own.
func TestKill(t *testing.T) {
	path := filepath.Join(privateDir(t), "turnpost.db")
	s := reopen(t, path)
	fillAgents(t, s, "@api")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	acked := map[string]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		cmd, out := startChild(t, "many", path)
		lines := bufio.NewScanner(out)
		for killAfter := random.IntN(200); lines.Scan(); killAfter-- {
			acked[lines.Text()] = true
			if killAfter == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		s := reopen(t, path)
		stored := map[string]bool{}
		for _, summary := range summaries(t, s) {
			if stored[summary] {
				t.Errorf("round %d: %s is stored twice", round, summary)
			}
			stored[summary] = true
		}
		for summary := range acked {
			if !stored[summary] {
				t.Errorf("round %d: %s was acknowledged and is lost", round, summary)
			}
		}
		unbroken(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d acknowledged, 0 lost, in 20 kills", len(acked))
	if len(acked) < 20 {
		t.Errorf("only %d posts were acknowledged", len(acked))
	}
}

// TestTornLog damages the log as a loss of power can: what opens afterwards is
// always a prefix of what was written.
func TestTornLog(t *testing.T) {
	const posts, tears = 60, 300
	path := filepath.Join(privateDir(t), "turnpost.db")
	s := reopen(t, path)
	fillAgents(t, s, "@api")
	if err := s.Close(); err != nil { // the schema is in the file
		t.Fatal(err)
	}
	s = reopen(t, path)
	for n := range posts {
		if err := s.Update(t.Context(), func(tx hub.Tx) error { return postSummary(tx, fmt.Sprint(n)) }); err != nil {
			t.Fatal(err)
		}
	}
	file, log := readFile(t, path), readFile(t, path+"-wal")

	random := rand.New(rand.NewPCG(3, 4))
	lengths := map[int]bool{}
	for n := range tears {
		torn := slices.Clone(log)
		at := random.IntN(len(torn))
		switch n % 3 {
		case 0:
			torn = torn[:at]
		case 1:
			for i := at; i < min(at+64, len(torn)); i++ {
				torn[i] = byte(random.Uint32())
			}
		case 2:
			clear(torn[at:])
		}
		copied := filepath.Join(privateDir(t), "turnpost.db")
		writeFile(t, copied, file)
		writeFile(t, copied+"-wal", torn)
		s, err := Open(t.Context(), copied)
		if err != nil {
			t.Fatalf("tear %d at %d: %v", n, at, err)
		}
		got := summaries(t, s)
		for k, summary := range got {
			if summary != fmt.Sprint(k) {
				t.Fatalf("tear %d at %d: place %d holds %s", n, at, k, summary)
			}
		}
		unbroken(t, s)
		lengths[len(got)] = true
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(lengths) < 20 || slices.Max(slices.Collect(maps.Keys(lengths))) > posts {
		t.Errorf("the tears left %d different lengths: they did not bite", len(lengths))
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

const tracedPosts = 300

// postSome posts one after the other and prints what became of each, then
// whether it can still read.
func postSome(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	for n := range tracedPosts {
		err := s.Update(ctx, func(tx hub.Tx) error { return postSummary(tx, fmt.Sprint(n)) })
		if err != nil {
			fmt.Fprintf(os.Stdout, "failed %d %s %v\n", n, turnpost.CodeOf(err), err)
			continue
		}
		fmt.Fprintf(os.Stdout, "acked %d\n", n)
	}
	err = s.View(ctx, func(tx hub.Tx) error {
		unread, err := tx.UnreadOf("@api")
		fmt.Fprintf(os.Stdout, "read %d\n", unread)
		return err
	})
	if err != nil {
		return err
	}
	if s.Broken() != nil {
		return nil // as a hub that gives up: without Close
	}
	return s.Close()
}

func strace(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is missing: install it (Debian: apt-get install strace)")
	}
	return path
}

// TestSyncBeforeAnswer watches the system calls: between the last write to the
// log and the answer there is always a sync of the log.
func TestSyncBeforeAnswer(t *testing.T) {
	path := filepath.Join(privateDir(t), "turnpost.db")
	s := reopen(t, path)
	fillAgents(t, s, "@api")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd, out := startChild(t, "some", path, strace(t), "-f", "-qq", "-y", "-s", "16", "-o", trace,
		"-e", "trace=write,pwrite64,fsync,fdatasync", "-e", "signal=none")
	printed, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}

	written := regexp.MustCompile(`pwrite64\(\d+<[^>]*-wal>`)
	syncing := regexp.MustCompile(`^(\d+) +(?:fsync|fdatasync)\(\d+<[^>]*-wal>(?:\) += 0| <unfinished)`)
	synced := regexp.MustCompile(`^(\d+) +<\.\.\. (?:fsync|fdatasync) resumed>\) += 0`)
	answered := regexp.MustCompile(`write\(1<[^>]*>, "acked (\d+)`)
	dirty, answers := false, 0
	syncs := 0 // since the last answer
	pending := map[string]bool{}
	for line := range strings.Lines(string(readFile(t, trace))) {
		switch {
		case written.MatchString(line):
			dirty = true
		case syncing.MatchString(line):
			if strings.Contains(line, "unfinished") {
				pending[syncing.FindStringSubmatch(line)[1]] = true
				continue
			}
			dirty, syncs = false, syncs+1
		case synced.MatchString(line):
			if pid := synced.FindStringSubmatch(line)[1]; pending[pid] {
				delete(pending, pid)
				dirty, syncs = false, syncs+1
			}
		case answered.MatchString(line):
			if dirty || syncs == 0 {
				t.Errorf("answer %d was given before the log was synced", answers)
			}
			answers++
			syncs = 0
		}
	}
	if answers != tracedPosts {
		t.Errorf("the trace shows %d answers, want %d", answers, tracedPosts)
	}
}

// TestSyncFails makes every sync fail from one of them on: nothing is
// acknowledged after that, and what was acknowledged is there.
func TestSyncFails(t *testing.T) {
	for _, first := range []int{2, 3, 20} {
		t.Run(strconv.Itoa(first), func(t *testing.T) {
			path := filepath.Join(privateDir(t), "turnpost.db")
			s := reopen(t, path)
			fillAgents(t, s, "@api")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			cmd, out := startChild(t, "some", path, strace(t), "-f", "-qq", "-o", os.DevNull,
				"-e", "trace=fsync,fdatasync", "-e", "signal=none",
				"-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d+", first))
			printed, err := io.ReadAll(out)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
			acked, failed, read := 0, 0, -1
			for line := range strings.Lines(string(printed)) {
				var n int
				switch {
				case strings.HasPrefix(line, "acked "):
					acked++
					if failed > 0 {
						t.Errorf("acknowledged after a failed sync: %s", line)
					}
				case strings.HasPrefix(line, "failed "):
					failed++
					if !strings.Contains(line, string(turnpost.Unavailable)+" the store takes no more writes") {
						t.Errorf("not the plain message: %s", line)
					}
				default:
					if _, err := fmt.Sscanf(line, "read %d", &n); err != nil {
						t.Errorf("%s: %v", line, err)
					}
					read = n
				}
			}
			if failed == 0 || acked+failed != tracedPosts {
				t.Errorf("%d acknowledged, %d failed, want %d and some that failed", acked, failed, tracedPosts)
			}
			if read != acked {
				t.Errorf("it reads %d, want the %d that were acknowledged", read, acked)
			}
			s = reopen(t, path)
			if got := len(summaries(t, s)); got < acked || got > acked+1 {
				t.Errorf("%d posts after the restart, want the %d acknowledged, and at most the one that failed", got, acked)
			}
			unbroken(t, s)
		})
	}
}

// TestDiskFullForReal fills a small file system, which takes root to mount;
// TestDiskFull has the same without it.
func TestDiskFullForReal(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("not root: nothing mounted")
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, privateDir(t))
	cmd.Env = append(os.Environ(), childEnv+"=fill")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// fillTmpfs mounts a file system of 3 MB over dir, in a mount namespace of its
// own, fills it, frees some of it and goes on in the same process.
func fillTmpfs(dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m,mode=700"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	ctx := context.Background()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		return err
	}
	s, err := Open(ctx, filepath.Join(dir, "turnpost.db"))
	if err != nil {
		return err
	}
	stored, err := fillDisk(ctx, s, 20_000)
	if err := wantDiskFull(err); err != nil {
		return err
	}
	for range 20 { // it stays full, and stays alive
		if more, err := fillDisk(ctx, s, 20_000); more != 0 || wantDiskFull(err) != nil {
			return fmt.Errorf("%d more stored on a full disk, then %w", more, err)
		}
	}
	if err := s.Broken(); err != nil {
		return fmt.Errorf("a full disk broke the store: %w", err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	more, err := fillDisk(ctx, s, 20_000)
	if err := wantDiskFull(err); err != nil {
		return err
	}
	if more == 0 {
		return fmt.Errorf("nothing is stored although there is space again")
	}
	if stored < 10 {
		return fmt.Errorf("only %d items fitted", stored)
	}
	if got := count(panicking{}, s, `SELECT COUNT(*) FROM items`); got != stored+more {
		return fmt.Errorf("%d items, want %d and %d", got, stored, more)
	}
	wholeDB(panicking{}, s)
	return nil
}
