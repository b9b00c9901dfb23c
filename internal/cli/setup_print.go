package cli

import (
	"fmt"
	"strings"

	"turnpost/internal/setup"
)

// saySetup prints a plan, or what became of it.
func (a *app) saySetup(p *printer, r setupReport, do setupDo, written bool) {
	switch {
	case r.Plan.Empty() && do.remove:
		p.line("There is nothing of Turnpost to remove.")
	case r.Plan.Empty():
		p.line("Nothing to change: everything is in place.")
	case written && do.remove:
		p.line("Removed from %s.", plural(len(r.Applied.Files), "file"))
	case written:
		p.line("Applied: %s written.", plural(len(r.Applied.Files), "file"))
	case do.remove:
		p.line("This is what would be removed. Nothing is written yet.")
	default:
		p.line("This is what would change. Nothing is written yet.")
	}
	for _, h := range r.Harnesses {
		version := h.Version
		if version == "" {
			version = "version unknown"
		}
		p.line("")
		p.line("%s %s, %s settings", p.paint(bold, h.Name), version, h.Scope)
		if h.Mode == "http" {
			p.line("  Mode http reports status only: nothing is delivered and nothing wakes. The session needs TURNPOST_TOKEN in its environment.")
		}
		for _, w := range h.Warnings {
			p.line("  %s %s", p.paint(warn, "warning:"), w)
		}
	}
	a.sayFiles(p, r.Plan)
	for _, w := range r.Plan.Warnings {
		p.line("%s %s", p.paint(warn, "warning:"), w)
	}
	for _, left := range r.Plan.Left {
		p.line("%s %s", p.paint(warn, "stays:"), left)
	}
	if r.Applied != nil {
		for _, backup := range r.Applied.Backups {
			p.line("  %s %s", p.paint(dim, "backup"), p.paint(dim, a.tilde(backup)))
		}
	}
	if do.diff && !r.Plan.Empty() {
		p.line("")
		p.text("", r.Plan.Diff())
	}
	if !do.remove {
		a.sayTools(p, r)
		a.sayOpen(p, r)
	}
	a.sayAfter(p, r, do, written)
}

// sayFiles prints what changes in each file: entries that do the same together.
func (a *app) sayFiles(p *printer, plan setup.Plan) {
	for _, file := range plan.Files {
		name := a.tilde(file.Path)
		if file.Target != file.Path {
			name += " → " + a.tilde(file.Target)
		}
		p.line("")
		p.line("  %s", name)
		t := table{whole: true}
		for _, g := range groupLines(file.Lines) {
			t.row(p.doing(g.do), g.kinds(), g.what)
			t.note(g.where)
		}
		p.table("    ", t)
	}
}

func (p *printer) doing(do string) styled {
	switch do {
	case "add":
		return p.paint(good, do)
	case "remove":
		return p.paint(bad, do)
	}
	return p.paint(dim, do)
}

// lineGroup is the entries of a file that are equal but for their place.
type lineGroup struct {
	do, kind, what string
	count          int
	where          string // the places of hooks, the reason of others
}

func (g lineGroup) kinds() string {
	if g.count == 1 {
		return g.kind
	}
	return fmt.Sprintf("%d %ss", g.count, g.kind)
}

func groupLines(lines []setup.Line) []lineGroup {
	var out []lineGroup
	at := map[string]int{}
	for _, l := range lines {
		place, what, ok := strings.Cut(l.What, ": ")
		if !ok || l.Kind != "hook" {
			out = append(out, lineGroup{do: l.Do, kind: l.Kind, what: l.What, count: 1, where: l.Why})
			continue
		}
		key := l.Do + "\x00" + l.Kind + "\x00" + what
		i, seen := at[key]
		if !seen {
			at[key] = len(out)
			out = append(out, lineGroup{do: l.Do, kind: l.Kind, what: what, count: 1, where: place})
			continue
		}
		out[i].count++
		out[i].where += ", " + place
	}
	return out
}

// sayTools prints the one line that only the harness's own program may write.
func (a *app) sayTools(p *printer, r setupReport) {
	for _, h := range r.Harnesses {
		if h.MCP == "" {
			continue
		}
		p.line("")
		if h.MCPFound {
			p.line("The tools are registered in %s.", h.Name)
			continue
		}
		p.line("The tools that agents reply with: register them once, with %s's own command:", h.Name)
		p.line("  %s", p.paint(accent, h.MCP))
	}
}

// sayOpen prints what each open session can do now.
func (a *app) sayOpen(p *printer, r setupReport) {
	if len(r.Sessions) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.paint(bold, "open sessions"))
	var t table
	for _, s := range r.Sessions {
		t.row(sessionName(s), a.tilde(s.Cwd), s.Can)
	}
	p.table("  ", t)
}

// sayAfter prints what comes next.
func (a *app) sayAfter(p *printer, r setupReport, do setupDo, written bool) {
	p.line("")
	switch {
	case r.Next != "":
		if !do.diff {
			p.line("--diff shows every byte. To do exactly this:")
		} else {
			p.line("To do exactly this:")
		}
		p.line("  %s", p.paint(accent, r.Next))
	case written && do.remove:
		p.line("Sessions that are open keep running our hooks until they read their settings again.")
	case written:
		if r.Start != "" {
			p.line("Start the service with:")
			p.line("  %s", p.paint(accent, r.Start))
		}
		p.line("Sessions that are open hear of it at their next turn end; a new one at once. Check with:")
		p.line("  %s", p.paint(accent, "turnpost setup --check"))
	default:
		p.line("Check with:")
		p.line("  %s", p.paint(accent, "turnpost setup --check"))
	}
}
