package cli

import (
	"fmt"
	"slices"
	"strings"

	"turnpost/internal/harness"
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
		a.sayHarness(p, h, r.Plan, do, len(r.Harnesses) == 1)
	}
	a.sayFiles(p, r.Plan, func(owner string) bool {
		return !slices.ContainsFunc(r.Harnesses, func(h harnessReport) bool { return h.Owner == owner })
	})
	for _, b := range r.Blocked {
		p.line("")
		p.line("%s %s, %s", p.paint(bold, b.Name), knownVersion(b.Version), p.paint(bad, "not planned"))
		p.line("  %s", a.tilde(b.Reason))
		if b.Hint != "" {
			p.line("  → %s", b.Hint)
		}
	}
	if len(r.Unproved) > 0 && !do.remove {
		them := "them"
		if len(r.Unproved) == 1 {
			them = "it"
		}
		p.line("")
		p.line("%s", p.paint(dim, "Here too, and left out: "+strings.Join(r.Unproved, ", ")+". Turnpost knows "+them+" by documentation only; --harness NAME plans for one."))
	}
	if len(r.Plan.Warnings)+len(r.Plan.Left) > 0 {
		p.line("")
	}
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
		a.sayOpen(p, r)
	}
	a.sayAfter(p, r, do, written)
}

// named is a harness with its version, and how far what we know of it was proved
// where no test runs the program itself.
func (p *printer) named(name, version string, proof harness.Proof) styled {
	head := string(p.paint(bold, name)) + " " + line(knownVersion(version))
	if label := proofLabel(proof); label != "" {
		head += " (" + label + ")"
	}
	return styled(head)
}

func proofLabel(proof harness.Proof) string {
	switch proof {
	case harness.Real:
		return ""
	case harness.Status:
		return "status only, by its documentation"
	}
	return "by its documentation, not run against the program"
}

func knownVersion(version string) string {
	if version == "" {
		return "version unknown"
	}
	return version
}

// sayHarness prints all that concerns one harness; alone, also what is long.
func (a *app) sayHarness(p *printer, h harnessReport, plan setup.Plan, do setupDo, alone bool) {
	ours := func(owner string) bool { return owner == h.Owner }
	changes := h.changedBy(plan)
	if do.remove && !changes {
		return
	}
	p.line("")
	p.line("%s, %s settings", p.named(h.Name, h.Version, h.Proof), h.Scope)
	if h.Mode == "http" {
		p.line("  Mode http reports status only: nothing is delivered and nothing wakes. The session needs TURNPOST_TOKEN in its environment.")
	}
	for _, w := range h.Warnings {
		p.line("  %s %s", p.paint(warn, "warning:"), w)
	}
	if a.sayFiles(p, plan, ours); !changes && len(h.Warnings) == 0 && h.ByHand == nil {
		p.line("  in place")
	}
	if do.remove {
		return
	}
	if changes && h.Caution != "" {
		p.line("  %s %s", p.paint(warn, "know:"), h.Caution)
	}
	if h.Review != "" && slices.Contains(plan.Unreviewed, h.Owner) {
		p.line("  It runs hooks only after a review: %s. Or let setup record it: --trust", h.Review)
	}
	if h.ByHand != nil {
		a.sayByHand(p, h, alone)
	}
	switch {
	case h.MCP == "":
	case h.MCPFound:
		p.line("  The tools are registered.")
	default:
		p.line("  The tools that agents reply with: register them once, with its own command:")
		p.line("    %s", p.paint(accent, h.MCP))
	}
}

// changedBy tells whether a plan does something for the harness.
func (h harnessReport) changedBy(plan setup.Plan) bool {
	return slices.ContainsFunc(plan.Files, func(f setup.FileChange) bool {
		return slices.ContainsFunc(f.Lines, func(l setup.Line) bool { return l.Owner == h.Owner })
	})
}

// sayByHand prints what is left for a person.
func (a *app) sayByHand(p *printer, h harnessReport, alone bool) {
	where := "in a terminal"
	if h.ByHand.File != "" {
		where = "in " + a.tilde(h.ByHand.File)
	}
	if !alone && strings.Count(strings.TrimSpace(h.ByHand.Text), "\n") > 0 {
		p.line("  By hand, %s: turnpost setup --harness %s shows the lines.", where, h.Name)
		return
	}
	p.line("  By hand, %s:", where)
	p.text("    ", h.ByHand.Text)
}

// sayFiles prints what changes for some owners in each file: entries that do
// the same together.
func (a *app) sayFiles(p *printer, plan setup.Plan, owned func(owner string) bool) {
	for _, file := range plan.Files {
		lines := slices.DeleteFunc(slices.Clone(file.Lines), func(l setup.Line) bool { return !owned(l.Owner) })
		if len(lines) == 0 {
			continue
		}
		name := a.tilde(file.Path)
		if file.Target != file.Path {
			name += " → " + a.tilde(file.Target)
		}
		var t table
		t.whole = true
		if len(lines) == 1 && lines[0].Kind == "file" {
			t.row(p.doing(lines[0].Do), "file", name+", "+lines[0].What)
			p.table("  ", t)
			continue
		}
		p.line("  %s", name)
		for _, g := range groupLines(lines) {
			t.row(p.doing(g.do), g.kinds(), a.tilde(g.what))
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
			g := lineGroup{do: l.Do, kind: l.Kind, what: l.What, count: 1, where: l.Why}
			if l.Kind == "trust" { // there is one for each hook
				g.where = ""
			}
			if n := len(out); n > 0 && l.Kind == "trust" && l.Do == "remove" && out[n-1].kind == l.Kind {
				out[n-1].count++
				out[n-1].what = "the reviews of our hooks"
				continue
			}
			out = append(out, g)
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

// sayOpen prints what each open session can do now.
func (a *app) sayOpen(p *printer, r setupReport) {
	if len(r.Sessions) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.paint(bold, "open sessions"))
	var t table
	for _, s := range r.Sessions {
		t.row(sessionName(s), s.Harness, a.tilde(s.Cwd), s.Can)
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
		if len(r.Blocked) > 0 {
			p.line("Not planned, and so not written: %s. Set them up when that is mended.", strings.Join(blockedNames(r), ", "))
		}
		if r.Start != "" {
			p.line("Start the service with:")
			p.line("  %s", p.paint(accent, r.Start))
		}
		a.sayWhen(p, r)
		p.line("Check with:")
		p.line("  %s", p.paint(accent, "turnpost setup --check"))
	default:
		p.line("Check with:")
		p.line("  %s", p.paint(accent, "turnpost setup --check"))
	}
}

// sayWhen prints when sessions hear of what was written, which each program has
// its own way to.
func (a *app) sayWhen(p *printer, r setupReport) {
	var t table
	var when []string
	names := map[string][]string{}
	for _, h := range r.Harnesses {
		if !h.changedBy(r.Plan) {
			continue
		}
		if names[h.Open] == nil {
			when = append(when, h.Open)
		}
		names[h.Open] = append(names[h.Open], h.Name)
	}
	switch len(when) {
	case 0:
	case 1:
		p.line("A new session hears of it at once, one that is open %s.", when[0])
	default:
		p.line("A new session hears of it at once; one that is open:")
		for _, moment := range when {
			t.row(moment, strings.Join(names[moment], ", "))
		}
		p.table("  ", t)
	}
}

func blockedNames(r setupReport) []string {
	var names []string
	for _, b := range r.Blocked {
		names = append(names, b.Name)
	}
	return names
}
