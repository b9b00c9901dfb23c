package cli

import (
	"context"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"
)

func openCommand(a *app) *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "open [--flags]",
		Short: "Open the page in a browser",
		Long:  "Print a link that signs one browser in, once and within a minute, and open it where there is a browser.",
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "only print the link")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		login, err := hub.Login(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(login)
		}
		a.printer(a.env.Stdout).line("%s", login.URL)
		if printOnly {
			return nil
		}
		if program, args := a.browser(login.URL); program != "" {
			cmd := exec.Command(program, args...) //nolint:noctx // it outlives us
			detach(cmd)
			if err := cmd.Start(); err != nil {
				a.printer(a.env.Stderr).line("turnpost: no browser opened: %v", err)
			}
		}
		return nil
	})
}

// browser is the program that opens a link here, "" when there is none to see.
func (a *app) browser(url string) (program string, args []string) {
	switch runtime.GOOS {
	case "darwin":
		return "open", []string{url}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	if a.env.Getenv("DISPLAY") == "" && a.env.Getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", []string{url}
}
