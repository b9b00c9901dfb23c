package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"turnpost"
)

// runVerb is what to do with a run: the hub's own words, and those for its
// other methods.
type runVerb string

const (
	showRun    runVerb = "show"
	startRun   runVerb = "start"
	askTask    runVerb = "task"
	postEffect runVerb = "post"
	breakpoint runVerb = "breakpoint"
)

type runArgs struct {
	Do            runVerb              `json:"do"`
	Run           string               `json:"run,omitempty" jsonschema:"default: yours"`
	Goal          string               `json:"goal,omitempty"`
	Target        *float64             `json:"target,omitempty" jsonschema:"start: score to reach"`
	MaxIterations int                  `json:"max_iterations,omitempty"`
	Text          string               `json:"text,omitempty" jsonschema:"plan, task, question, result, reason"`
	Score         *float64             `json:"score,omitempty"`
	Proof         string               `json:"proof,omitempty" jsonschema:"told once nothing is missing"`
	Kind          taskKind             `json:"kind,omitempty" jsonschema:"default task, by you"`
	Key           string               `json:"key,omitempty" jsonschema:"idempotency key"`
	Label         string               `json:"label,omitempty"`
	Command       []string             `json:"command,omitempty" jsonschema:"program and arguments, no shell"`
	Dir           string               `json:"dir,omitempty" jsonschema:"default: your repository"`
	To            string               `json:"to,omitempty" jsonschema:"kind agent: its handle"`
	Seconds       int64                `json:"seconds,omitempty" jsonschema:"to sleep; a command's or the run's limit"`
	Effect        string               `json:"effect,omitempty" jsonschema:"such as e-3"`
	Status        turnpost.EffectState `json:"status,omitempty"`
	Files         []string             `json:"files,omitempty" jsonschema:"to look at"`
	asker
}

// taskKind is who does what a task asks for. A breakpoint has its own verb.
type taskKind string

func taskKinds() []taskKind {
	var kinds []taskKind
	for _, kind := range turnpost.EffectKinds() {
		if kind != turnpost.EffectBreakpoint {
			kinds = append(kinds, taskKind(kind))
		}
	}
	return kinds
}

// runDo is one verb: what it needs, what it may have besides, and what it does.
type runDo struct {
	verb  runVerb
	needs []string
	may   string
	do    func(context.Context, turnpost.Hub, runArgs) (string, error)
}

func runDos() []runDo {
	return []runDo{
		{showRun, nil, "run effect", show},
		{startRun, []string{"goal"}, "target max_iterations seconds key", start},
		{runVerb(turnpost.RunPlan), []string{"text"}, "run", change},
		{runVerb(turnpost.RunIterate), nil, "run text", change},
		{runVerb(turnpost.RunDispatch), nil, "run", change},
		{runVerb(turnpost.RunScore), []string{"score"}, "run text", change},
		{runVerb(turnpost.RunComplete), []string{"proof"}, "run text", change},
		{runVerb(turnpost.RunFail), []string{"text"}, "run", change},
		{runVerb(turnpost.RunHalt), nil, "run text", change},
		{runVerb(turnpost.RunResume), nil, "run", change},
		{askTask, nil, "run kind key label text command dir to seconds", ask},
		{postEffect, []string{"effect", "status"}, "run text", postResult},
		{breakpoint, []string{"text"}, "run key label files", ask},
	}
}

func runVerbs() []runVerb {
	var verbs []runVerb
	for _, does := range runDos() {
		verbs = append(verbs, does.verb)
	}
	return verbs
}

func run() tool {
	return define("run", "Be kept at a goal, turn after turn. task asks for work done once, post gives your result, breakpoint asks your user. What others do comes back by itself: end your turn.", writes,
		func(ctx context.Context, hub turnpost.Hub, in runArgs) (string, error) {
			for _, does := range runDos() {
				if does.verb != in.Do {
					continue
				}
				if err := fits(string(in.Do), in, does.needs, strings.Fields(does.may)...); err != nil {
					return "", err
				}
				text, err := does.do(ctx, hub, in)
				return text, flat(err)
			}
			return "", turnpost.Errorf(turnpost.Internal, "nothing does %s", in.Do) // its schema lists the same verbs
		})
}

// flat names the field of an error as the tool's argument is called.
func flat(err error) error {
	var coded *turnpost.Error
	if !errors.As(err, &coded) {
		return err
	}
	renamed := *coded
	switch coded.Field {
	case "limits.iterations":
		renamed.Field = "max_iterations"
	case "limits.target":
		renamed.Field = "target"
	case "limits.seconds", "command.seconds":
		renamed.Field = "seconds"
	case "command.args":
		renamed.Field = "command"
	case "command.dir":
		renamed.Field = "dir"
	case "question", "value":
		renamed.Field = "text"
	default:
		return err
	}
	return &renamed
}

func show(ctx context.Context, hub turnpost.Hub, in runArgs) (string, error) {
	found, err := hub.Run(ctx, turnpost.RunQuery{ID: in.Run})
	if err != nil {
		return "", err
	}
	if in.Effect == "" {
		return runText(found), nil
	}
	for _, effect := range found.Effects {
		if effect.ID == in.Effect {
			return effectText(effect), nil
		}
	}
	return "", turnpost.Errorf(turnpost.NotFound, "%s has no %s", found.ID, in.Effect).WithHint("show without effect lists them")
}

func start(ctx context.Context, hub turnpost.Hub, in runArgs) (string, error) {
	started, err := hub.StartRun(ctx, turnpost.RunStart{
		Goal:   in.Goal,
		Limits: turnpost.Limits{Iterations: in.MaxIterations, Target: in.Target, Seconds: in.Seconds},
		Key:    in.Key,
	})
	if err != nil {
		return "", err
	}
	return standingOf(started) + "\nIt starts your next turn when this one ends. do plan first; do iterate ends an iteration.", nil
}

func change(ctx context.Context, hub turnpost.Hub, in runArgs) (string, error) {
	verb := turnpost.RunVerb(in.Do)
	changed, err := hub.ChangeRun(ctx, turnpost.RunRequest{ID: in.Run, Do: verb, Text: in.Text, Score: in.Score, Proof: in.Proof})
	if err != nil {
		return "", err
	}
	if verb == turnpost.RunDispatch || verb == turnpost.RunResume {
		return runText(changed), nil // what there is to do
	}
	return standingOf(changed) + proofOf(changed), nil
}

// ask asks for an effect; a breakpoint is one whose text is the question.
func ask(ctx context.Context, hub turnpost.Hub, in runArgs) (string, error) {
	draft := turnpost.EffectDraft{
		Run: in.Run, Kind: cmp.Or(turnpost.EffectKind(in.Kind), turnpost.EffectTask),
		Key: in.Key, Label: in.Label, To: in.To, Text: in.Text, Seconds: in.Seconds,
	}
	switch {
	case in.Do == breakpoint:
		draft.Kind, draft.Question, draft.Text = turnpost.EffectBreakpoint, in.Text, ""
		for _, file := range in.Files {
			draft.Files = append(draft.Files, turnpost.RunFile{Path: file})
		}
	case draft.Kind == turnpost.EffectCommand:
		command, err := commandOf(ctx, hub, in)
		if err != nil {
			return "", err
		}
		draft.Command, draft.Seconds = command, 0
	case len(in.Command) > 0:
		return "", turnpost.Invalidf("command", "not for kind %s", draft.Kind).WithHint("add kind: command")
	case in.Dir != "":
		return "", turnpost.Invalidf("dir", "not for kind %s", draft.Kind).WithHint("add kind: command")
	}
	done, err := hub.AskEffect(ctx, draft)
	if err != nil {
		return "", err
	}
	return askedText(done), nil
}

// commandOf is the command that a task asks for, in the caller's repository
// where it names no other directory.
func commandOf(ctx context.Context, hub turnpost.Hub, in runArgs) (*turnpost.Command, error) {
	if len(in.Command) == 0 {
		return nil, turnpost.Invalidf("command", "missing").WithHint("give program and arguments, one string each")
	}
	command := &turnpost.Command{Args: in.Command, Dir: in.Dir, Seconds: int(in.Seconds)}
	if command.Dir != "" {
		return command, nil
	}
	me, err := hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil {
		return nil, err
	}
	if me.Session == nil {
		return nil, turnpost.Invalidf("dir", "missing").WithHint("give an absolute path: no session of yours says where you are")
	}
	command.Dir = cmp.Or(me.Session.Place.Root, me.Session.Cwd)
	return command, nil
}

func postResult(ctx context.Context, hub turnpost.Hub, in runArgs) (string, error) {
	done, err := hub.PostEffect(ctx, turnpost.EffectPost{Run: in.Run, Effect: in.Effect, Status: in.Status, Value: in.Text})
	if err != nil {
		return "", err
	}
	text := oneLine(done.Effect.ID, maxLine) + " of " + oneLine(done.Run, maxLine) + ": " + string(done.Effect.State)
	if done.Again {
		text += ", as posted before"
	}
	return text + ".", nil
}
