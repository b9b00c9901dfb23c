// Command turnpost-hook is the hook client alone: what harnesses run at each
// of their events. It is small and static, because every package that a
// program links is initialised at every call.
package main

import (
	"os"

	"turnpost/internal/hook"
)

func main() { os.Exit(hook.Main(os.Args[1:])) }
