package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func contextCommand(a *app) *cobra.Command {
	cmd := readContext(a, "context [--flags]", "Show an agent's notes; write, append to, log, clear or hand them over")
	cmd.Long = "An agent's notes are its working state in its own words: what it is at, in now.md, and what was decided on the way. " +
		"They outlive its sessions: a new session, one that was cleared or compacted, is given them while they are fresh. " +
		"An agent has its own; people may read and write those of any handle."
	cmd.Args = takes(0, 0, "")
	cmd.AddCommand(
		readContext(a, "read [@handle] [--flags]", "Print the notes, their age, what was decided, and where the files are"),
		writeContext(a, turnpost.NotesWrite, "Replace now.md", "written"),
		writeContext(a, turnpost.NotesAppend, "Add to now.md", "added to"),
		logContext(a),
		clearContext(a),
		handoffCommand(a),
	)
	return cmd
}

// notes asks the hub, and prints what say does of the answer.
func (a *app) notes(ctx context.Context, in turnpost.NotesRequest, asJSON bool, say func(*printer, turnpost.Notes)) error {
	hub, err := a.hub(ctx)
	if err != nil {
		return err
	}
	notes, err := hub.Notes(ctx, in)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(notes)
	}
	say(a.printer(a.env.Stdout), notes)
	return nil
}

func readContext(a *app, use, short string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: takes(0, 1, ""), ValidArgsFunction: a.completeHandles}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		in := turnpost.NotesRequest{Do: turnpost.NotesRead}
		if len(args) > 0 {
			in.Handle = args[0]
		}
		return a.notes(ctx, in, *asJSON, a.sayNotes)
	})
}

// sayNotes prints notes whole.
func (a *app) sayNotes(p *printer, notes turnpost.Notes) {
	now := a.env.Now()
	switch {
	case notes.At.IsZero():
		p.line("%s has no notes.", p.paint(bold, notes.Handle))
	case notes.Stub:
		p.line("%s, a stub that Turnpost wrote before a compaction, %s%s", p.paint(bold, notes.Handle), since(notes.At, now), a.about(notes))
	default:
		p.line("%s, written %s%s", p.paint(bold, notes.Handle), since(notes.At, now), a.about(notes))
	}
	if strings.TrimSpace(notes.Now) != "" {
		p.line("")
		p.text("  ", notes.Now)
	}
	if len(notes.Decisions) > 0 {
		p.line("")
		p.line("%s", p.paint(bold, "decisions"))
		for _, d := range notes.Decisions {
			p.line("  %s  %s", p.paint(dim, clock(d.At, now)), d.Author)
			p.text("    ", d.Text)
			if d.Why != "" {
				p.text("    why: ", d.Why)
			}
		}
		if notes.More > 0 {
			p.line("  and %d more in files", notes.More)
		}
	}
	p.line("")
	p.line("%s", p.paint(dim, "files in "+a.tilde(notes.Dir)))
}

// about says which place notes are about.
func (a *app) about(notes turnpost.Notes) string {
	if notes.Place == "" {
		return ""
	}
	return ", about " + a.tilde(notes.Place)
}

// writeContext is write or append.
func writeContext(a *app, do turnpost.NotesVerb, short, did string) *cobra.Command {
	in := turnpost.NotesRequest{Do: do}
	cmd := &cobra.Command{
		Use:   string(do) + " [TEXT] [--flags]",
		Short: short,
		Long:  short + ". TEXT is Markdown; where it is - or left out, it is read from stdin.",
		Args:  takes(0, -1, ""),
	}
	asJSON := a.notesFlags(cmd, &in)
	return a.does(cmd, func(ctx context.Context, args []string) (err error) {
		if in.Text, err = a.textArgument(args, turnpost.MaxNotes); err != nil {
			return err
		}
		return a.notes(ctx, in, *asJSON, func(p *printer, notes turnpost.Notes) {
			p.line("the notes of %s are %s: %s in now.md", notes.Handle, did, plural(len(notes.Now), "byte"))
		})
	})
}

// notesFlags are those of the verbs that write.
func (a *app) notesFlags(cmd *cobra.Command, in *turnpost.NotesRequest) (asJSON *bool) {
	cmd.Flags().StringVar(&in.Handle, "handle", "", "whose notes, for people")
	return jsonFlag(cmd)
}

func logContext(a *app) *cobra.Command {
	in := turnpost.NotesRequest{Do: turnpost.NotesLog}
	cmd := &cobra.Command{
		Use:     "log TEXT --why TEXT [--flags]",
		Short:   "Add a decision, a file of its own that stays",
		Example: `turnpost context log "Sessions live in SQLite" --why "one file, and nobody to run a server"`,
		Args:    takes(1, -1, "TEXT"),
	}
	cmd.Flags().StringVar(&in.Why, "why", "", "why it was decided so")
	asJSON := a.notesFlags(cmd, &in)
	return a.does(cmd, func(ctx context.Context, args []string) (err error) {
		if in.Text, err = a.textArgument(args, turnpost.MaxNoteDecision); err != nil {
			return err
		}
		if strings.TrimSpace(in.Why) == "" {
			return turnpost.Invalidf("why", "is missing").WithHint("say why it was decided so: --why TEXT")
		}
		return a.notes(ctx, in, *asJSON, func(p *printer, notes turnpost.Notes) {
			file := ""
			if len(notes.Decisions) > 0 {
				file = ": " + notes.Decisions[0].File
			}
			p.line("decision of %s noted%s", notes.Handle, file)
		})
	})
}

func clearContext(a *app) *cobra.Command {
	in := turnpost.NotesRequest{Do: turnpost.NotesClear}
	cmd := &cobra.Command{Use: "clear [--flags]", Short: "Put now.md away; decisions stay"}
	asJSON := a.notesFlags(cmd, &in)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		return a.notes(ctx, in, *asJSON, func(p *printer, notes turnpost.Notes) {
			p.line("now.md of %s is put away; its decisions stay", notes.Handle)
		})
	})
}

func handoffCommand(a *app) *cobra.Command {
	var in turnpost.HandoffRequest
	cmd := &cobra.Command{
		Use:   "handoff @other [TEXT] [--flags]",
		Short: "Pass notes, claimed tasks and what is open to another handle",
		Long: "Post one task to the other handle: the notes, and what is open. What was claimed is the other's then, and open questions and tasks are its to answer. " +
			"TEXT is what to say besides; - reads it from stdin.",
		Example:           `turnpost context handoff @review "The tests of auth are left"`,
		Args:              takes(1, -1, "@other"),
		ValidArgsFunction: a.completeHandles,
	}
	cmd.Flags().StringVar(&in.Handle, "handle", "", "whose work, for people")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) (err error) {
		in.To = args[0]
		if in.Text, err = a.textOf(strings.Join(args[1:], " ")); err != nil {
			return err
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		posted, err := hub.Handoff(ctx, in)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(posted)
		}
		a.sayPosted(a.printer(a.env.Stdout), posted)
		return nil
	})
}
