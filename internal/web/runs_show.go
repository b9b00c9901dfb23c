package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

// standsText says where a run stands, as a sentence.
func standsText(r turnpost.Run) string {
	id := line(r.ID, 40)
	reason := line(r.Reason, proofRunes)
	switch {
	case r.State == turnpost.RunRunning && reason == "":
		return id + " goes on."
	case reason == "":
		return id + " is " + line(string(r.State), 20) + "."
	}
	return id + " is " + line(string(r.State), 20) + ": " + reason
}

// runStates sums up what runs do, those that need somebody first.
func (p page) runStates() string {
	count := make(map[turnpost.RunState]int)
	for _, r := range p.Runs {
		count[r.State]++
	}
	var parts []string
	if n := len(p.Asks); n > 0 {
		parts = append(parts, fmt.Sprintf("%d for you", n))
	}
	for _, state := range []turnpost.RunState{turnpost.RunWaiting, turnpost.RunRunning} {
		if n := count[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, " · ")
}

// ages of a run: since it started, or ended.
func runSince(r turnpost.Run) time.Time {
	if !r.EndedAt.IsZero() {
		return r.EndedAt
	}
	return r.StartedAt
}

// paused tells whether a run rests until a person says otherwise: one that runs
// has no other reason to give.
func paused(r turnpost.Run) bool { return r.State == turnpost.RunRunning && r.Reason != "" }

// haltable and resumable tell which way a run can be steered.
func haltable(r turnpost.Run) bool { return !r.State.Ended() }

func resumable(r turnpost.Run) bool {
	return paused(r) || r.State == turnpost.RunFailed || r.State == turnpost.RunHalted
}

// more is a limit that is used up, with what a resumed run could be given.
type more struct {
	Name, Label string
	Value       int64
}

// spent are the limits that would halt a resumed run at once.
func spent(r turnpost.Run, now time.Time) []more {
	if !r.State.Ended() {
		return nil
	}
	var out []more
	if n := r.Limits.Iterations; n > 0 && r.Iteration >= n {
		out = append(out, more{"iterations", "iterations in all", int64(2 * n)})
	}
	if n := r.Limits.Turns; n > 0 && r.Turns >= n {
		out = append(out, more{"turns", "turns in all", int64(2 * n)})
	}
	if n := r.Limits.Tokens; n > 0 && r.Tokens >= n {
		out = append(out, more{"tokens", "tokens in all", 2 * n})
	}
	if !r.Deadline.IsZero() && !now.Before(r.Deadline) {
		out = append(out, more{"minutes", "minutes from now", max(1, r.Limits.Seconds/60)})
	}
	return out
}

// of is "3 of 5", or "3" without a limit.
func of[N int | int64](n, limit N) string {
	if limit <= 0 {
		return big(int64(n))
	}
	return big(int64(n)) + " of " + big(int64(limit))
}

// big writes a number as people read it: 1,204 and 48k.
func big(n int64) string {
	switch {
	case n >= 10_000_000:
		return strconv.FormatInt(n/1_000_000, 10) + "M"
	case n >= 10_000:
		return strconv.FormatInt(n/1000, 10) + "k"
	case n >= 1000:
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return strconv.FormatInt(n, 10)
}

// number writes a score.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// score is the last score of a run in words, "" before the first.
func score(r turnpost.Run) string {
	if len(r.Scores) == 0 {
		if r.Limits.Target != nil {
			return "no score yet, of " + number(*r.Limits.Target)
		}
		return ""
	}
	text := "score " + number(r.Scores[len(r.Scores)-1].Value)
	if r.Limits.Target != nil {
		text += " of " + number(*r.Limits.Target)
	}
	return text
}

// left is how long a run may still go on.
func left(r turnpost.Run, now time.Time) string {
	if r.Deadline.IsZero() || r.State.Ended() {
		return ""
	}
	if d := r.Deadline.Sub(now); d >= 10*time.Second {
		return ago(d) + " left"
	}
	return "its time is over"
}

// effectName is what an effect is about, on one line.
func effectName(e turnpost.Effect) string {
	for _, text := range []string{e.Label, e.Question, e.Text} {
		if strings.TrimSpace(text) != "" {
			return line(text, summaryRunes)
		}
	}
	switch {
	case e.Command != nil:
		return line(commandText(*e.Command), summaryRunes)
	case !e.Until.IsZero():
		return "until " + e.Until.Local().Format("15:04:05")
	}
	return line(e.Step, nameRunes)
}

// commandText writes a command as one would type it. Words that hold anything
// but plain characters are quoted, so that one word is not taken for two.
func commandText(c turnpost.Command) string {
	words := make([]string, 0, len(c.Args))
	for _, arg := range c.Args {
		if arg == "" || strings.ContainsFunc(arg, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
		}) {
			arg = quoted(arg)
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// quoted writes one word between quotes of a shell, plainly where it can.
func quoted(word string) string {
	if strings.Contains(word, "'") && !strings.ContainsAny(word, "\"$`\\!") {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// effectState says where an effect stands, for whoever waits for it.
func effectState(e turnpost.Effect) string {
	text := line(string(e.State), 20)
	switch {
	case e.State == turnpost.EffectPending && e.Kind == turnpost.EffectBreakpoint:
		return "waits for you"
	case e.State == turnpost.EffectPending && e.Kind == turnpost.EffectCommand && !e.Trusted:
		return "pending, its agent's own"
	case e.State == turnpost.EffectPending && e.Kind == turnpost.EffectAgent && e.To != "":
		return "waits for " + line(e.To, nameRunes)
	case e.State == turnpost.EffectRunning && e.Worker != "":
		return text + " at " + line(e.Worker, nameRunes)
	}
	return text
}

// effectAt is when an effect came to where it stands.
func effectAt(e turnpost.Effect) time.Time {
	switch {
	case !e.EndedAt.IsZero():
		return e.EndedAt
	case !e.StartedAt.IsZero():
		return e.StartedAt
	}
	return e.At
}

// effectAbout is the second line of an effect's row.
func effectAbout(e turnpost.Effect) string {
	parts := []string{effectState(e), "iteration " + strconv.Itoa(e.Iteration)}
	if e.Step != "" {
		text := "step " + line(e.Step, nameRunes)
		if e.Attempt > 1 {
			text += fmt.Sprintf(", attempt %d", e.Attempt)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// openEffects counts what is not settled.
func openEffects(all []turnpost.Effect) int {
	n := 0
	for _, e := range all {
		if !e.State.Settled() {
			n++
		}
	}
	return n
}

// effectsCount is "12, 2 open".
func effectsCount(all []turnpost.Effect) string {
	if len(all) == 0 {
		return ""
	}
	text := big(int64(len(all)))
	if n := openEffects(all); n > 0 {
		text += ", " + big(int64(n)) + " open"
	}
	return text
}

// stepText is what a step does.
func stepText(s turnpost.Step) string {
	var parts []string
	switch {
	case s.Kind == turnpost.StepGate:
		text := "passes at a score of " + number(s.Target)
		if s.Again != "" {
			text += ", else again from " + line(s.Again, nameRunes)
		}
		parts = append(parts, text)
	case s.Command != nil:
		parts = append(parts, line(commandText(*s.Command), summaryRunes))
	case s.Kind == turnpost.StepSleep:
		parts = append(parts, "for "+span(s.Seconds))
	}
	if s.To != "" {
		parts = append(parts, "to "+line(s.To, nameRunes))
	}
	if s.Text != "" {
		parts = append(parts, line(s.Text, summaryRunes))
	}
	return strings.Join(parts, " · ")
}

// stepAbout is what else there is to a step.
func stepAbout(s turnpost.Step) string {
	parts := []string{line(string(s.Kind), 20)}
	if s.Attempt > 1 || s.Retries > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", max(1, s.Attempt)))
	}
	if s.Retries > 0 {
		parts = append(parts, fmt.Sprintf("retries allowed: %d", s.Retries))
	}
	if s.Optional {
		parts = append(parts, "optional")
	}
	if s.Group != "" {
		parts = append(parts, "in "+line(s.Group, nameRunes))
	}
	if len(s.Needs) > 0 {
		needs := make([]string, 0, len(s.Needs))
		for _, n := range s.Needs {
			needs = append(needs, line(n, nameRunes))
		}
		parts = append(parts, "after "+strings.Join(needs, ", "))
	}
	return strings.Join(parts, " · ")
}

// stepsDone is "3 of 7 done".
func stepsDone(steps []turnpost.Step) string {
	n := 0
	for _, s := range steps {
		if s.State == turnpost.StepDone {
			n++
		}
	}
	return fmt.Sprintf("%d of %d done", n, len(steps))
}

// lastScores are the newest scores, newest first.
func lastScores(r turnpost.Run) []turnpost.Score {
	out := slices.Clone(r.Scores[max(0, len(r.Scores)-scoreRows):])
	slices.Reverse(out)
	return out
}

// entryText is what a journal's entry says.
func entryText(e turnpost.RunEvent) string {
	var parts []string
	add := func(texts ...string) {
		for _, text := range texts {
			if text != "" {
				parts = append(parts, text)
			}
		}
	}
	add(line(e.Task, 40))
	switch {
	case e.Start != nil:
		add(line(e.Start.Goal, summaryRunes))
	case e.Effect != nil:
		add(line(e.Effect.ID, 40), line(string(e.Effect.Kind), 20), effectName(*e.Effect))
	case e.Kind == turnpost.IterationStart || e.Kind == turnpost.IterationEnd:
		add("iteration " + strconv.Itoa(e.Iteration))
		if e.Own {
			add("said by the agent")
		}
	case e.Score != nil:
		add(number(*e.Score))
	case e.Tokens > 0:
		add(big(e.Tokens) + " tokens")
	}
	if e.Session != "" {
		add("session " + line(e.Session, nameRunes))
	}
	for _, id := range e.Steps {
		add(line(id, nameRunes))
	}
	if e.Worker != "" {
		add("at " + line(e.Worker, nameRunes))
	}
	add(line(e.Item, 40), line(string(e.Result), 20), line(string(e.State), 20), line(e.Text, summaryRunes))
	return strings.Join(parts, " · ")
}

// by is who made a journal's entry.
func by(e turnpost.RunEvent) string {
	if e.By == "" {
		return "hub"
	}
	return line(e.By, nameRunes)
}

// span writes seconds as 90s, 10m or 4h30m.
func span(seconds int64) string {
	text := (time.Duration(seconds) * time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// limits is what may end a run, in words.
func limits(l turnpost.Limits) string {
	var parts []string
	add := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, big(n)+" "+what)
		}
	}
	add(int64(l.Iterations), "iterations")
	add(int64(l.Turns), "turns")
	add(l.Tokens, "tokens")
	if l.Seconds > 0 {
		parts = append(parts, span(l.Seconds))
	}
	if l.Target != nil {
		parts = append(parts, "a score of "+number(*l.Target)+" to be complete")
	}
	add(int64(l.Stall), "turns without progress")
	return strings.Join(parts, " · ")
}
