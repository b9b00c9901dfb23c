package wake

import "turnpost/internal/statedir"

// All is every way to ring; a new one is a file and a line here. report takes
// the errors of rings that go on in the background. more are the ways that not
// every caller can go: Command, Inbox, Keys.
func All(dir statedir.Dir, report func(error), more ...Method) Methods {
	return append(Methods{
		bell{dir},
		feed{kept{dir}},
	}, more...)
}
