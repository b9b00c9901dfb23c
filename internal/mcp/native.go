package mcp

import (
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// nativeOf is the session that a harness names in a call's _meta, in its own
// words. Codex names both, equal to the session of its hooks (seen in 0.171.0);
// a process of it hosts many.
func nativeOf(meta mcp.Meta) string {
	for _, name := range []string{"threadId", "sessionId"} {
		if id, ok := meta[name].(string); ok && plainID(id) {
			return id
		}
	}
	return ""
}

// plainID tells whether an id is one that an adapter would take.
func plainID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return id != "" && len(id) <= 128 && strings.Trim(id[:1], letters) == "" && strings.Trim(id, letters+"-_") == ""
}
