// Package wake holds the ways to ring a session: one file a method, one line
// in all.go. A ring carries no text: it makes the session's own hook ask the
// hub. Rings are hints; the hub repeats one that was not heard.
package wake

import (
	"fmt"
	"time"

	"turnpost"
)

// Method rings sessions of one kind. Its methods return at once: one that runs
// a program does so in the background.
type Method interface {
	// Name is what turnpost.Wake.Method says.
	Name() string
	// Says is what people call it: a session hears its turn end and ...
	Says() string
	// Announced tells whether the session was told of its bell.
	Announced(turnpost.Wake) bool
	// Patience is how long after a ring the session has surely heard it.
	Patience() time.Duration
	// Ring pokes a session of that harness.
	Ring(harness string, wake turnpost.Wake) error
	// Forget takes away what is kept for a session that will not be rung again.
	Forget(turnpost.Wake) error
}

// Methods rings by whatever method a session names.
type Methods []Method

// Knows tells whether there is such a method.
func (m Methods) Knows(method string) bool {
	_, ok := m.find(method)
	return ok
}

// Says is what people call the method, "" for one that there is not.
func (m Methods) Says(name string) string {
	method, ok := m.find(name)
	if !ok {
		return ""
	}
	return method.Says()
}

// Announced tells whether the session behind wake was told of its bell.
func (m Methods) Announced(wake turnpost.Wake) bool {
	method, ok := m.find(wake.Method)
	return ok && wake.Key != "" && method.Announced(wake)
}

// Patience is how long after a ring by that method it has surely been heard.
func (m Methods) Patience(name string) time.Duration {
	method, ok := m.find(name)
	if !ok {
		return 0
	}
	return method.Patience()
}

// Forget takes away what is kept for a session that will not be rung again.
func (m Methods) Forget(wake turnpost.Wake) error {
	method, ok := m.find(wake.Method)
	if !ok || wake.Key == "" {
		return nil
	}
	return method.Forget(wake)
}

// Ring pokes the session behind wake.
func (m Methods) Ring(harness string, wake turnpost.Wake) error {
	method, ok := m.find(wake.Method)
	if !ok {
		return fmt.Errorf("no way to ring by %q", wake.Method)
	}
	if wake.Key == "" {
		return fmt.Errorf("ring by %q: the session has no key", wake.Method)
	}
	return method.Ring(harness, wake)
}

func (m Methods) find(name string) (Method, bool) {
	for _, method := range m {
		if method.Name() == name {
			return method, true
		}
	}
	return nil, false
}
