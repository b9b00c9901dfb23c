// Package turnpost holds the words that every other package speaks: events,
// decisions, sessions, items, statuses, failure classes, coded errors and the
// Hub contract. It does no I/O and imports the standard library only.
//
// Turnpost stands at every coding agent's turn boundary. A harness (a
// coding-agent program) runs the hook client at each of its lifecycle events;
// the client turns the harness's own JSON into an Event, asks the Hub, and
// turns the Decision back into what that harness understands.
//
// All times are UTC and marshal as RFC 3339. All sizes are in bytes unless a
// name says runes. Zero values mean "nothing known" or "no opinion".
package turnpost
