package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

// What of a run one answer shows.
const (
	maxSettled = 20 // effects that are over, and steps
	maxValue   = 500
)

// standingOf is where a run stands, in lines of our own.
func standingOf(r turnpost.Run) string {
	lines := []string{headOf(r)}
	if r.Reason != "" {
		label := "reason: "
		if r.State == turnpost.RunWaiting {
			label = "waits for "
		}
		lines = append(lines, label+oneLine(r.Reason, maxLine))
	}
	if len(r.Missing) > 0 {
		lines = append(lines, "missing: "+oneLine(strings.Join(r.Missing, "; "), 4*maxLine))
	}
	return strings.Join(lines, "\n")
}

// headOf is a run in one line.
func headOf(r turnpost.Run) string {
	iteration := "iteration " + strconv.Itoa(r.Iteration)
	if r.Limits.Iterations > 0 {
		iteration += " of " + strconv.Itoa(r.Limits.Iterations)
	}
	parts := []string{oneLine(r.ID, maxLine), string(r.State), iteration}
	if n := len(r.Scores); n > 0 {
		score := "score " + number(r.Scores[n-1].Value)
		if r.Limits.Target != nil {
			score += " of " + number(*r.Limits.Target)
		}
		parts = append(parts, score)
	}
	if !r.Deadline.IsZero() {
		parts = append(parts, "until "+clock(r.Deadline, time.Now()))
	}
	return strings.Join(parts, " · ")
}

// proofOf says how to complete a run, once the hub tells the proof.
func proofOf(r turnpost.Run) string {
	if r.Proof == "" || r.State.Ended() {
		return ""
	}
	return "\nNothing is missing: do complete with proof " + oneLine(r.Proof, maxLine)
}

// runText is a run with what there is to do and what came back. Goal, results
// and all that is between are the words of others.
func runText(r turnpost.Run) string {
	goal := "goal"
	if r.Human {
		goal += " " + turnpost.YourUser
	}
	lines := append([]string{goal}, quoted(r.Goal, turnpost.MaxGoal)...)
	if r.Plan != "" {
		lines = append(append(lines, "plan"), quoted(r.Plan, maxAnswer/4)...)
	}
	lines = append(lines, stepLines(r.Steps)...)
	lines = append(lines, effectLines(r.Effects)...)
	for _, score := range r.Scores[max(0, len(r.Scores)-5):] {
		line := "score " + number(score.Value) + " · iteration " + strconv.Itoa(score.Iteration) + " · " + oneLine(score.By, maxLine)
		if score.Note != "" {
			line += " · " + oneLine(score.Note, maxLine)
		}
		lines = append(lines, line)
	}
	return standingOf(r) + "\n" + trustIn(lines) + "\n" + frame(lines) + proofOf(r)
}

// stepLines are the steps of a process that are not done, and how many are.
func stepLines(steps []turnpost.Step) []string {
	var lines []string
	done := 0
	for _, step := range steps {
		if step.State == turnpost.StepDone {
			done++
			continue
		}
		if len(lines) >= maxSettled {
			continue
		}
		parts := []string{"step " + oneLine(step.ID, maxLine), string(step.Kind), string(step.State)}
		if step.Effect != "" {
			parts = append(parts, oneLine(step.Effect, maxLine))
		}
		if step.Kind == turnpost.StepGate {
			parts = append(parts, "score "+number(step.Target))
		}
		if step.Text != "" {
			parts = append(parts, oneLine(step.Text, maxLine))
		}
		lines = append(lines, strings.Join(parts, " · "))
	}
	if len(steps) > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d steps done", done, len(steps)))
	}
	return lines
}

// effectLines are the open effects, then the newest ones that are over.
func effectLines(effects []turnpost.Effect) []string {
	var open, over []string
	shown, left := 0, 0
	for i := len(effects) - 1; i >= 0; i-- {
		switch e := effects[i]; {
		case !e.State.Settled() && len(open) < maxSettled:
			open = append(open, effectLine(e))
		case e.State.Settled() && shown < maxSettled:
			shown++
			over = append(over, effectLine(e))
			if e.Value != "" {
				over = append(over, quoted(e.Value, maxValue)...)
			}
		default:
			left++
		}
	}
	lines := append(open, over...)
	if left > 0 {
		lines = append(lines, fmt.Sprintf("%d more effects", left))
	}
	return lines
}

// effectLine is an effect in one line.
func effectLine(e turnpost.Effect) string {
	parts := []string{oneLine(e.ID, maxLine), string(e.Kind), string(e.State)}
	for _, id := range []string{e.Item, e.To} {
		if id != "" {
			parts = append(parts, oneLine(id, maxLine))
		}
	}
	if e.PostedBy != "" {
		by := "by " + oneLine(e.PostedBy, maxLine)
		if e.Kind == turnpost.EffectBreakpoint && e.State == turnpost.EffectOK { // nobody else answers it
			by += " " + turnpost.YourUser
		}
		parts = append(parts, by)
	}
	if !e.Until.IsZero() {
		parts = append(parts, "until "+clock(e.Until, time.Now()))
	}
	what := e.Label
	if what == "" && e.Command != nil {
		what = strings.Join(e.Command.Args, " ")
	}
	if what == "" {
		what = e.Question + e.Text // one of them is empty
	}
	if what != "" {
		parts = append(parts, oneLine(what, maxLine))
	}
	return strings.Join(parts, " · ")
}

// effectText is one effect whole.
func effectText(e turnpost.Effect) string {
	lines := []string{effectLine(e)}
	for _, text := range []string{e.Question, e.Text} {
		if text != "" {
			lines = append(lines, quoted(text, maxAnswer/2)...)
		}
	}
	if e.Value != "" {
		lines = append(append(lines, "  result"), quoted(e.Value, maxAnswer/2)...)
	}
	return trustIn(lines) + "\n" + frame(lines)
}

// trustIn is the label before lines of a run. Only we can mark the user in them.
func trustIn(lines []string) string {
	for _, line := range lines {
		if strings.Contains(line, turnpost.YourUser) {
			return turnpost.Trust([]turnpost.Item{{Human: true}, {}})
		}
	}
	return turnpost.ProtocolTrust
}

// askedText says what becomes of an effect that was asked for, or was before.
func askedText(done turnpost.EffectDone) string {
	e := done.Effect
	text := oneLine(e.ID, maxLine) + " of " + oneLine(done.Run, maxLine)
	if done.Again {
		text += ", asked for before, is " + string(e.State)
	}
	if e.State.Settled() {
		return text + ". " + effectText(e)
	}
	text += ": "
	switch e.Kind {
	case turnpost.EffectTask:
		return text + "do it, then post with effect " + oneLine(e.ID, maxLine) + "."
	case turnpost.EffectBreakpoint:
		text += "your user is asked"
	case turnpost.EffectAgent:
		text += oneLine(e.To, maxLine) + " is asked"
	case turnpost.EffectSleep:
		text += "sleeps until " + clock(e.Until, time.Now())
	case turnpost.EffectCommand:
		text += "`turnpost run work " + oneLine(done.Run, maxLine)
		if e.Trusted {
			text += "` runs it"
		} else {
			text += "` runs it, in your own shell or, with --all, in your user's"
		}
	}
	if e.Item != "" {
		text += ", by " + oneLine(e.Item, maxLine)
	}
	return text + ". The result comes by itself: end your turn if you cannot go on without it."
}

// quoted is at most max bytes of foreign text.
func quoted(text string, max int) []string {
	body, next := part(text, 0, max)
	lines := quote(body)
	if next > 0 {
		lines = append(lines, fmt.Sprintf("  cut at byte %d of %d", next, len(text)))
	}
	return lines
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
