package wake

import "turnpost/internal/statedir"

// All is every way to ring; a new one is a file and a line here. report takes
// the errors of rings that go on in the background.
func All(dir statedir.Dir, report func(error)) Methods {
	return Methods{
		bell{dir},
		command{commandTime, report},
	}
}
