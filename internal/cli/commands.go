package cli

import "github.com/spf13/cobra"

// group is commands that belong together in help.
type group struct {
	cobra.Group
	commands []func(*app) *cobra.Command
}

// groups is the table of all commands: a new one is a file and a line here.
func groups() []group {
	return []group{
		{cobra.Group{ID: "hub", Title: "the hub"}, []func(*app) *cobra.Command{
			upCommand,
			downCommand,
			statusCommand,
			openCommand,
			watchCommand,
			doctorCommand,
			backupCommand,
			demoCommand,
		}},
		{cobra.Group{ID: "mail", Title: "questions, tasks and notes"}, []func(*app) *cobra.Command{
			askCommand,
			postCommand,
			replyCommand,
			inboxCommand,
			readCommand,
			ackCommand,
			passCommand,
			resolveCommand,
			tasksCommand,
			waitCommand,
		}},
		{cobra.Group{ID: "work", Title: "notes and runs"}, []func(*app) *cobra.Command{
			contextCommand,
			runCommand,
		}},
		{cobra.Group{ID: "who", Title: "agents and channels"}, []func(*app) *cobra.Command{
			agentsCommand,
			channelsCommand,
			whoamiCommand,
			nameCommand,
			pauseCommand,
		}},
		{cobra.Group{ID: "setup", Title: "this machine"}, []func(*app) *cobra.Command{
			setupCommand,
			trustCommand,
			uninstallCommand,
			hookCommand,
			mcpCommand,
			versionCommand,
		}},
	}
}
