package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

func privateDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a new store in a directory that only its owner can enter.
func open(t testing.TB, options ...Option) *SQLite {
	t.Helper()
	return reopen(t, filepath.Join(privateDir(t), "turnpost.db"), options...)
}

// reopen opens the store at a path and closes it when the test ends.
func reopen(t testing.TB, path string, options ...Option) *SQLite {
	t.Helper()
	s, err := Open(t.Context(), path, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// reportLatency adds the median and the 99th percentile of what was measured.
func reportLatency(b *testing.B, latencies [][]time.Duration) {
	all := slices.Concat(latencies...)
	slices.Sort(all)
	if len(all) == 0 {
		return
	}
	for name, rank := range map[string]float64{"p50-ms": 0.50, "p99-ms": 0.99} {
		at := all[min(int(rank*float64(len(all))), len(all)-1)]
		b.ReportMetric(float64(at.Microseconds())/1000, name)
	}
}

// cpuTime is what this process has used so far: the figure that a busy machine
// does not spoil.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// count reads one number.
func count(t testing.TB, s *SQLite, query string) (n int) {
	t.Helper()
	if err := s.readDB.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// wholeDB fails when the file is damaged, or an index disagrees with its table.
func wholeDB(t testing.TB, s *SQLite) {
	t.Helper()
	var verdict string
	if err := s.readDB.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatal("integrity: ", verdict, err)
	}
}

func goexit() { runtime.Goexit() }
