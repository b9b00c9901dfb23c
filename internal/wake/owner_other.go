//go:build !unix

package wake

import "io/fs"

// mine: where files have no uid, the home directory's own rules hold.
func mine(fs.FileInfo) bool { return true }
