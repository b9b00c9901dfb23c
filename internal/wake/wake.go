// Package wake holds the ways to ring a session: one file a method, one line
// in all.go. A ring carries no text: it makes the session's own hook ask the
// hub. Rings are hints; the hub repeats one that was not heard.
package wake

import (
	"fmt"

	"turnpost"
)

// Method rings sessions of one kind.
type Method interface {
	// Name is what turnpost.Wake.Method says.
	Name() string
	// Announced tells whether the session with that key was told of its bell.
	Announced(key string) bool
	// Ring pokes the session with that key.
	Ring(key string) error
	// Forget takes away what is kept for a key that nobody listens to any more.
	Forget(key string) error
}

// Methods rings by whatever method a session names.
type Methods []Method

// Knows tells whether there is such a method.
func (m Methods) Knows(method string) bool {
	_, ok := m.find(method)
	return ok
}

// Announced tells whether the session behind wake was told of its bell.
func (m Methods) Announced(wake turnpost.Wake) bool {
	method, ok := m.find(wake.Method)
	return ok && wake.Key != "" && method.Announced(wake.Key)
}

// Forget takes away what is kept for a session that will not be rung again.
func (m Methods) Forget(wake turnpost.Wake) error {
	method, ok := m.find(wake.Method)
	if !ok || wake.Key == "" {
		return nil
	}
	return method.Forget(wake.Key)
}

// Ring pokes the session behind wake.
func (m Methods) Ring(wake turnpost.Wake) error {
	method, ok := m.find(wake.Method)
	if !ok {
		return fmt.Errorf("no way to ring by %q", wake.Method)
	}
	return method.Ring(wake.Key)
}

func (m Methods) find(name string) (Method, bool) {
	for _, method := range m {
		if method.Name() == name {
			return method, true
		}
	}
	return nil, false
}
