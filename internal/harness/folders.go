package harness

import "strings"

// Foldered is a harness that runs no hook in a directory until its user has
// said there that it is trusted.
type Foldered interface {
	// FolderTrust lists values of which any one says that a directory, absolute,
	// is trusted. They are looked for and never written.
	FolderTrust(getenv func(string) string, dir string) []Entry
}

// UserFoldered is a Foldered harness that does not even run the hooks of its
// user's own settings there.
type UserFoldered interface {
	Foldered
	UserHooksNeedTrust() bool
}

var (
	_ Foldered     = claudeCode{}
	_ UserFoldered = gemini{}
)

// FolderTrust: measured on 2.1.328; -p never asks.
func (h claudeCode) FolderTrust(getenv func(string) string, dir string) []Entry {
	file, dialect, _ := h.MCPEntry(getenv)
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(dir)
	return []Entry{{File: file, Dialect: dialect, Pointer: "/projects/" + escaped, Key: "hasTrustDialogAccepted", Value: true}}
}
