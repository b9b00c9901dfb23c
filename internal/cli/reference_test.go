package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// reference is docs/cli.md: every command as it describes itself.
func reference(env Env) []byte {
	root := (&app{env: env}).root()
	var out bytes.Buffer
	out.WriteString("# Commands\n\nGenerated from the program; `turnpost COMMAND --help` says the same.\n\n")
	out.WriteString("What people and programs write reaches a terminal without control characters. `--json` prints the words of the Go package `turnpost` as they are. Errors go to stderr as `turnpost: error: ...` and `turnpost: hint: ...`.\n\n")
	out.WriteString("| exit status | meaning |\n|---|---|\n")
	for _, row := range exits() {
		fmt.Fprintf(&out, "| %d | %s |\n", row.status, row.doc)
	}
	for _, group := range root.Groups() {
		fmt.Fprintf(&out, "\n## %s\n", strings.ToUpper(group.Title[:1])+group.Title[1:])
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				describe(&out, cmd)
			}
		}
	}
	out.WriteString("\n## Configuration\n\n")
	out.WriteString(configText)
	return out.Bytes()
}

func describe(out *bytes.Buffer, cmd *cobra.Command) {
	fmt.Fprintf(out, "\n### %s\n\n", strings.TrimSuffix(cmd.UseLine(), " [--flags]"))
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	out.WriteString(text + "\n")
	flags := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if flags++; flags == 1 {
			out.WriteString("\n| flag | |\n|---|---|\n")
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		usage := strings.ReplaceAll(f.Usage, "|", "\\|")
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(out, "| %s | %s |\n", name, usage)
	})
	if cmd.Example != "" {
		out.WriteString("\n```sh\n" + cmd.Example + "\n```\n")
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			describe(out, sub)
		}
	}
}

// configText is tested to be a configuration that loads.
const configText = "The hub reads `~/.config/turnpost/config.toml` (`XDG_CONFIG_HOME`) when it starts. A key that is not known, or a value that is wrong, keeps it from starting and is named with its place. Nothing in a repository is ever read.\n\n```toml\n" + configExample + "```\n"

const configExample = `listen = "127.0.0.1:21584"  # the page and MCP over HTTP; "off" for none
escalate = "5m"             # undelivered for so long: you are told
retention = "14d"           # of activity and notices; mail stays

[handles]                   # path = handle, for it and what is below it
"~/src/shop/api" = "@api"

[agents."@api"]
interrupt = "needs-action"  # all, needs-action, urgent or none
act = false                 # true: it may act on items alone

[failures.rate_limit]       # what a failed turn means
presence = "away"           # away, offline, or "" for a turn that only ends
loud = "silent"             # silent, notice or urgent

[wake]
keys = false                # true: type "Turnpost: new mail." into an empty prompt in tmux where nothing else wakes the session

[keep]                      # agents' notes
off = false                 # true: none are kept, and none given back
fresh = "24h"               # older ones are not given back
`
