package wake

import "turnpost/internal/statedir"

// All is every way to ring; a new one is a file and a line here.
func All(dir statedir.Dir) Methods {
	return Methods{
		bell{dir},
	}
}
