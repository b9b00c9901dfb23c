package cli

import (
	"context"
	"errors"
	"fmt"

	"turnpost"
)

// exitRow is one exit status.
type exitRow struct {
	status int
	doc    string
}

// The exit statuses. They are part of what scripts rely on.
const (
	exitDone        = 0
	exitError       = 1
	exitUsage       = 2
	exitRefused     = 3
	exitTimeout     = 4
	exitNoHub       = 5
	exitNotFound    = 6
	exitInterrupted = 130
)

// exits is the table of them, for help and docs/cli.md.
func exits() []exitRow {
	return []exitRow{
		{exitDone, "done"},
		{exitError, "something failed, or a check did"},
		{exitUsage, "the command line, a value or the configuration is wrong"},
		{exitRefused, "refused: a conflict, a plan that has changed, or not allowed for you"},
		{exitTimeout, "nothing came in time"},
		{exitNoHub, "the hub is not running or does not answer"},
		{exitNotFound, "there is no such thing"},
		{exitInterrupted, "interrupted"},
	}
}

// failedChecks ends a command whose output has said already what is wrong.
type failedChecks struct{ failed int }

func (f failedChecks) Error() string { return fmt.Sprintf("%d checks failed", f.failed) }

// tooLate is the error of a wait that brought nothing.
type tooLate struct{ cause *turnpost.Error }

func (t tooLate) Error() string { return t.cause.Error() }
func (t tooLate) Unwrap() error { return t.cause }

// exitStatus is what the process ends with.
func exitStatus(err error) int {
	var late tooLate
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &late):
		return exitTimeout
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	switch turnpost.CodeOf(err) {
	case turnpost.Invalid, turnpost.TooLarge:
		return exitUsage
	case turnpost.Conflict, turnpost.Forbidden, turnpost.Unauthorized:
		return exitRefused
	case turnpost.Unavailable:
		return exitNoHub
	case turnpost.NotFound:
		return exitNotFound
	}
	return exitError
}
