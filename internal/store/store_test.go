package store

import (
	"path/filepath"
	"testing"

	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest/storetest"
)

// open opens a store in a directory that only its owner can enter.
func open(t testing.TB, options ...Option) *SQLite {
	t.Helper()
	return reopen(t, filepath.Join(privateDir(t), "turnpost.db"), options...)
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) hub.Store { return open(t) })
}
