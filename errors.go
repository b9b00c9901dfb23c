package turnpost

import (
	"errors"
	"fmt"
)

// Code says what kind of error it is, for programs.
type Code string

// The codes; api maps each to one HTTP status, cli to one exit code.
const (
	Invalid      Code = "invalid"      // the request is wrong; Field says where
	Unauthorized Code = "unauthorized" // who asks is not known
	Forbidden    Code = "forbidden"    // who asks is known and may not
	NotFound     Code = "not_found"    // no such thing, or not one that the caller may see
	Conflict     Code = "conflict"     // the thing is not in a state that allows it
	TooLarge     Code = "too_large"    // over a documented size
	Unavailable  Code = "unavailable"  // the hub cannot be reached or cannot store now
	Internal     Code = "internal"     // our fault
)

// Error is an error at an edge: a code for programs, a message and a hint for
// people. Messages are lower case and name the field; hints say what to do.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Errorf makes an error of a code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalidf makes an Invalid error about a field.
func Invalidf(field, format string, args ...any) *Error {
	return &Error{Code: Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns the error with what the person can do about it.
func (e *Error) WithHint(format string, args ...any) *Error {
	out := *e
	out.Hint = fmt.Sprintf(format, args...)
	return &out
}

// CodeOf returns the code of err, Internal for an error without one, and ""
// for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var coded *Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return Internal
}
