package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"turnpost/internal/harness"
	"turnpost/internal/setup"
	"turnpost/internal/statedir"
)

// uninstallReport is what uninstall did, or would do.
type uninstallReport struct {
	Plan    setup.Plan `json:"plan"`
	Written bool       `json:"written"`
	Down    bool       `json:"down"`           // a hub was running and is stopped
	Stop    string     `json:"stop,omitempty"` // the service's own command, to be run before
	Purged  []string   `json:"purged,omitempty"`
	Run     []string   `json:"run,omitempty"`  // what only other programs can take away
	Left    []string   `json:"left,omitempty"` // what stays
}

func uninstallCommand(a *app) *cobra.Command {
	var purge, dryRun bool
	cmd := &cobra.Command{
		Use:   "uninstall [--flags]",
		Short: "Take Turnpost out of all settings, and stop the hub",
		Long: "Undo setup in every place where it was applied, stop the hub, and say what is left. " +
			"With --purge the state goes too: all mail, and the backups of your settings.",
	}
	cmd.Flags().BoolVar(&purge, "purge", false, "delete the mail and everything else that Turnpost keeps")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show it, and do nothing")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		r, err := a.uninstall(ctx, purge, dryRun)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(r)
		}
		a.sayUninstall(a.printer(a.env.Stdout), r)
		return nil
	})
}

func (a *app) uninstall(ctx context.Context, purge, dryRun bool) (uninstallReport, error) {
	var r uninstallReport
	dir, err := a.state()
	if err != nil {
		return r, err
	}
	s := setup.New(string(dir), a.env.Now)
	// The usual places too, for the case that the record is lost.
	var places []setup.Place
	targets, err := a.targets(ctx, setupOptions{scope: "user", mode: "command"})
	if err != nil {
		r.Left = append(r.Left, "entries that the record does not know, if any: "+err.Error())
	}
	for _, t := range targets {
		if t.problem != nil {
			continue
		}
		places = append(places, t.place())
		if client, ok := t.harness.(harness.MCPClient); ok {
			file, dialect, pointer := client.MCPEntry(a.env.Getenv)
			if found, err := setup.Has(file, dialect, pointer); (found || err != nil) && client.MCPRemove() != "" {
				r.Run = append(r.Run, client.MCPRemove())
			}
		}
	}
	if service, err := a.service(); err == nil {
		if err := enabled(service); err != nil && !dryRun {
			return r, err
		}
		places = append(places, service.Place)
		for _, entry := range service.Place.Entries {
			if _, err := os.Stat(entry.File); err == nil {
				r.Stop = service.Stop
			}
		}
	}
	if r.Plan, err = s.PlanUninstall(places...); err != nil {
		return r, err
	}
	r.Left = append(r.Left, r.Plan.Left...)
	if !dryRun {
		if _, err := s.Apply(ctx, r.Plan, ""); err != nil {
			return r, err
		}
		r.Written = true
		if hub, err := dir.ReadHub(); err == nil {
			r.Down = answers(hub)
			if err := a.endHub(ctx, dir, hub); err != nil {
				return r, err
			}
		}
		if purge {
			if r.Purged, err = purgeState(dir); err != nil {
				return r, err
			}
		}
	}
	if _, err := os.Stat(string(dir)); err == nil {
		what := "mail and backups of settings; turnpost uninstall --purge deletes them"
		if purge {
			what = "what is in there is not Turnpost's"
		}
		r.Left = append(r.Left, fmt.Sprintf("%s (%s)", dir, what))
	}
	r.Left = append(r.Left, a.env.Program+" (the program)")
	if hook, ok := a.hookBeside(); ok {
		r.Left = append(r.Left, hook+" (the hook client)")
	}
	if path, err := a.configPath(); err == nil {
		if _, err := os.Stat(path); err == nil {
			r.Left = append(r.Left, path+" (your configuration)")
		}
	}
	return r, nil
}

// endHub stops a hub, or forgets one that died.
func (a *app) endHub(ctx context.Context, dir statedir.Dir, hub statedir.Hub) error {
	if !answers(hub) {
		return removeHub(dir)
	}
	return stopHub(ctx, dir, hub)
}

// purgeState removes what we keep, file by file: TURNPOST_HOME may be a
// directory that holds other things too.
func purgeState(dir statedir.Dir) (gone []string, err error) {
	names := []string{
		dir.Database(), dir.Database() + "-wal", dir.Database() + "-shm", dir.Lock(), dir.HubFile(), dir.Token(),
		dir.Log(), dir.Log() + ".1", dir.Spool(), dir.Spool() + ".taken", dir.HealMark(), dir.Socket(),
		dir.Trusted(), dir.Trusted() + ".lock",
		filepath.Join(string(dir), "setup.json"), filepath.Join(string(dir), "setup.lock"),
	}
	for _, name := range names {
		err := os.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return gone, fmt.Errorf("purge: %w", err)
		}
		gone = append(gone, name)
	}
	for _, name := range []string{dir.Bells(), dir.Contexts(), dir.Pointers(), dir.Runs(), filepath.Join(string(dir), "backups")} {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(name); err != nil {
			return gone, fmt.Errorf("purge: %w", err)
		}
		gone = append(gone, name)
	}
	// Something of somebody else in it keeps it.
	if os.Remove(string(dir)) == nil {
		gone = append(gone, string(dir))
	}
	return gone, nil
}

func (a *app) sayUninstall(p *printer, r uninstallReport) {
	switch {
	case r.Plan.Empty():
		p.line("There is nothing of Turnpost in any settings.")
	case r.Written:
		p.line("Removed from %s.", plural(len(r.Plan.Files), "file"))
	default:
		p.line("This is what would be removed. Nothing is written yet.")
	}
	p.line("")
	a.sayFiles(p, r.Plan, func(string) bool { return true })
	for _, w := range r.Plan.Warnings {
		p.line("%s %s", p.paint(warn, "warning:"), w)
	}
	if r.Down {
		p.line("")
		p.line("The hub is down.")
	}
	if len(r.Purged) > 0 {
		p.line("")
		p.line("Deleted: %s of state.", plural(len(r.Purged), "file"))
	}
	if r.Stop != "" {
		r.Run = append([]string{r.Stop}, r.Run...)
	}
	if len(r.Run) > 0 {
		p.line("")
		p.line("To be run by you:")
		for _, command := range r.Run {
			p.line("  %s", p.paint(accent, command))
		}
	}
	p.line("")
	p.line("Left:")
	for _, left := range r.Left {
		p.line("  %s", left)
	}
}
