package store

import (
	"errors"
	"fmt"
	"runtime/debug"

	sqlite3 "modernc.org/sqlite/lib"

	"turnpost"
)

// class is what an error of the database means for us.
type class int

const (
	refused  class = iota // this statement only: a constraint, a value
	diskFull              // nothing more fits now; later it may
	blocked               // somebody else is in the way, memory is short: this transaction is lost
	diskDead              // the file or the disk cannot be trusted any more
)

// classify looks for an SQLite result code in err.
func classify(err error) class {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return refused
	}
	switch code := coded.Code(); code & 0xff {
	case sqlite3.SQLITE_FULL:
		return diskFull
	case sqlite3.SQLITE_IOERR:
		if code == sqlite3.SQLITE_IOERR_SHMSIZE {
			return diskFull // the log's index could not grow
		}
		return diskDead
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return diskDead
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG,
		sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_MISUSE:
		return refused
	}
	return blocked
}

// explain wraps an error of the database; what a person can mend gets a code,
// plain words and a hint.
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*turnpost.Error](err); ok {
		return err
	}
	switch classify(err) {
	case diskFull:
		return turnpost.Errorf(turnpost.Unavailable, "disk full: %s: nothing was stored", what).
			WithHint("free some space on the disk of the state directory; the hub goes on by itself")
	case blocked:
		return turnpost.Errorf(turnpost.Unavailable, "the store is not available: %s: %v", what, err).
			WithHint("see whether another program uses the store's file, or whether memory is short; then try again")
	case diskDead:
		return turnpost.Errorf(turnpost.Unavailable, "the store cannot be read or written: %s: %v", what, err).
			WithHint("check the disk; if the file is damaged, stop the hub and put a backup in its place")
	}
	return fmt.Errorf("%s: %w", what, err)
}

// brokenError is what a store answers that has stopped writing.
func brokenError(cause error) error {
	return turnpost.Errorf(turnpost.Unavailable, "the store takes no more writes: its disk failed: %v", cause).
		WithHint("check the disk and the system's log, then start the hub again")
}

// panicked is a panic in a caller's function.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("update panicked: %v\n%s", p.value, p.stack) }

// coded is the panic as a caller sees it: without the stack.
func (p *panicked) coded() error {
	return turnpost.Errorf(turnpost.Internal, "update panicked: %v", p.value)
}

// newPanicked keeps a recovered value with the stack of its panic.
func newPanicked(value any) *panicked { return &panicked{value, debug.Stack()} }
