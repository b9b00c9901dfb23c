package run

import (
	"fmt"
	"slices"
	"strings"

	"turnpost"
)

const (
	maxStepName = 64
	maxRetries  = 100
)

// CheckProcess tells what is wrong with a process: ids, unknown needs, cycles,
// steps without what their kind asks for. The Field of the error is the place in
// it, "steps[2].needs".
func CheckProcess(p turnpost.RunProcess) error {
	switch {
	case p.Name == "":
		return turnpost.Invalidf("name", "is missing")
	case len(p.Name) > maxName:
		return tooLarge("name", len(p.Name), maxName)
	case len(p.Steps) == 0:
		return turnpost.Invalidf("steps", "are missing")
	case len(p.Steps) > turnpost.MaxRunSteps:
		return turnpost.Invalidf("steps", "are %d, at most %d are allowed", len(p.Steps), turnpost.MaxRunSteps)
	}
	if err := checkNames(p.Steps); err != nil {
		return err
	}
	for i, def := range p.Steps {
		if err := checkStep(fmt.Sprintf("steps[%d].", i), def); err != nil {
			return err
		}
	}
	return checkGraph(p.Steps)
}

// checkNames holds that a name is that of one step or of one group.
func checkNames(defs []turnpost.StepDef) error {
	first := make(map[string]int)
	for i, def := range defs {
		field := fmt.Sprintf("steps[%d].id", i)
		if err := checkName(field, def.ID); err != nil {
			return err
		}
		if other, ok := first[def.ID]; ok {
			return turnpost.Invalidf(field, "%s is the id of steps[%d] too", def.ID, other)
		}
		first[def.ID] = i
	}
	for i, def := range defs {
		if def.Group == "" {
			continue
		}
		field := fmt.Sprintf("steps[%d].group", i)
		if err := checkName(field, def.Group); err != nil {
			return err
		}
		if other, ok := first[def.Group]; ok {
			return turnpost.Invalidf(field, "%s is the id of steps[%d]", def.Group, other).
				WithHint("needs name steps and groups alike: give the group another name")
		}
	}
	return nil
}

func checkName(field, name string) error {
	if name == "" {
		return turnpost.Invalidf(field, "is missing")
	}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	if len(name) > maxStepName || strings.Trim(name, letters+"_-") != "" || !strings.ContainsRune(letters, rune(name[0])) {
		return turnpost.Invalidf(field, "%.80q is not a name", name).
			WithHint("use small letters, digits, '-' and '_', at most %d", maxStepName)
	}
	return nil
}

// checkStep checks one step by itself.
func checkStep(at string, def turnpost.StepDef) error {
	if def.Retries < 0 || def.Retries > maxRetries {
		return turnpost.Invalidf(at+"retries", "is %d", def.Retries).WithHint("use 0 to %d", maxRetries)
	}
	kinds := []turnpost.StepKind{turnpost.StepGate}
	for _, kind := range turnpost.EffectKinds() {
		kinds = append(kinds, turnpost.StepKind(kind))
	}
	if !slices.Contains(kinds, def.Kind) {
		err := turnpost.Invalidf(at+"kind", "%.40q is not a kind of step", string(def.Kind))
		return didYouMean(err, string(def.Kind), kinds, "use task, agent, command, breakpoint, sleep or gate")
	}
	if def.Kind == turnpost.StepGate {
		return checkGate(at, def)
	}
	switch {
	case def.Target != 0:
		return turnpost.Invalidf(at+"target", "does not go with kind %s", def.Kind)
	case def.Again != "":
		return turnpost.Invalidf(at+"again", "does not go with kind %s", def.Kind)
	}
	c := content{
		kind: turnpost.EffectKind(def.Kind), command: def.Command, files: def.Files, to: def.To, text: def.Text, asks: "question",
		seconds: def.Seconds,
	}
	if def.Kind == turnpost.StepBreakpoint {
		c.question, c.asks, c.text = def.Text, "text", ""
	}
	return c.check(at)
}

func checkGate(at string, def turnpost.StepDef) error {
	if len(def.Text) > turnpost.MaxRunText {
		return tooLarge(at+"text", len(def.Text), turnpost.MaxRunText)
	}
	for _, p := range []struct {
		field string
		given bool
	}{
		{"command", def.Command != nil},
		{"files", len(def.Files) > 0},
		{"to", def.To != ""},
		{"seconds", def.Seconds != 0},
		{"retries", def.Retries != 0},
		{"optional", def.Optional},
	} {
		if p.given {
			return turnpost.Invalidf(at+p.field, "does not go with kind gate")
		}
	}
	if !finite(def.Target) {
		return turnpost.Invalidf(at+"target", "is not a number")
	}
	if len(def.Text) > turnpost.MaxRunText {
		return tooLarge(at+"text", len(def.Text), turnpost.MaxRunText)
	}
	return nil
}

// checkGraph holds that needs lead somewhere and not in a circle, and that a gate
// goes on from where it can be reached again.
func checkGraph(defs []turnpost.StepDef) error {
	var names, ids []string
	for _, def := range defs {
		ids = append(ids, def.ID)
		if def.Group != "" && !slices.Contains(names, def.Group) {
			names = append(names, def.Group)
		}
	}
	names = append(slices.Clone(ids), names...)
	for i, def := range defs {
		for j, name := range def.Needs {
			field := fmt.Sprintf("steps[%d].needs", i)
			if !slices.Contains(names, name) {
				return didYouMean(turnpost.Invalidf(field, "%.80q is neither a step nor a group", name), name, names, "")
			}
			if slices.Contains(def.Needs[:j], name) {
				return turnpost.Invalidf(field, "%s is there twice", name)
			}
		}
	}
	needs, err := needed(defs)
	if err != nil {
		return turnpost.Invalidf("steps", "%v", err)
	}
	if circle := cycle(needs); circle != nil {
		var words []string
		for i, at := range circle {
			words = append(words, defs[at].ID+" needs "+defs[circle[(i+1)%len(circle)]].ID)
		}
		return turnpost.Invalidf(fmt.Sprintf("steps[%d].needs", circle[0]), "go in a circle: %s", strings.Join(words, ", "))
	}
	for i, def := range defs {
		if def.Again == "" {
			continue
		}
		field := fmt.Sprintf("steps[%d].again", i)
		from := slices.Index(ids, def.Again)
		if from < 0 {
			return didYouMean(turnpost.Invalidf(field, "%.80q is not a step", def.Again), def.Again, ids, "")
		}
		if len(between(needs, from, i)) == 0 {
			return turnpost.Invalidf(field, "%s does not lead to %s", def.Again, def.ID).
				WithHint("name a step that %s needs, by itself or by others", def.ID)
		}
	}
	return nil
}

// cycle is the first circle in the order of the steps, beginning with its first
// step; nil: there is none.
func cycle(needs [][]int) []int {
	done := make([]bool, len(needs))
	var way, found []int
	var visit func(at int)
	visit = func(at int) {
		if found != nil || done[at] {
			return
		}
		if i := slices.Index(way, at); i >= 0 {
			found = slices.Clone(way[i:])
			return
		}
		way = append(way, at)
		for _, n := range needs[at] {
			visit(n)
		}
		way = way[:len(way)-1]
		done[at] = true
	}
	for i := range needs {
		visit(i)
	}
	if found == nil {
		return nil
	}
	first := slices.Index(found, slices.Min(found))
	return append(found[first:len(found):len(found)], found[:first]...)
}

// didYouMean adds the nearest of the names that are known as a hint.
func didYouMean[T ~string](err *turnpost.Error, got string, names []T, otherwise string) error {
	best, least := "", max(2, len(got)/3)+1
	for _, name := range names {
		if d := distance(got, string(name)); d < least {
			best, least = string(name), d
		}
	}
	switch {
	case best != "":
		return err.WithHint("did you mean %s?", best)
	case otherwise != "":
		return err.WithHint("%s", otherwise)
	}
	return err
}

// distance is how many letters have to be changed, added or left out.
func distance(a, b string) int {
	if len(a) > maxStepName {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
