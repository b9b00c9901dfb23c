// Command turnpost is the hub, the command line and the MCP server.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"turnpost/internal/cli"
	"turnpost/internal/hook"
)

var version = "0.1.0-dev" // the linker sets it for a release

func main() {
	if len(os.Args) > 2 && os.Args[1] == "hook" && !strings.HasPrefix(os.Args[2], "-") {
		os.Exit(hook.Main(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	os.Exit(cli.Run(ctx, cli.System(version), os.Args[1:]))
}
