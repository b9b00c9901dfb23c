package setup

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"turnpost/internal/harness"
)

// suspicious parts timeouts in seconds from those in milliseconds: nobody gives
// a hook 17 minutes, or less than a second.
const suspicious = 1000

// hookSettings looks at what others have in hook settings of the shape that most
// harnesses share: the switch that turns all hooks off, timeouts in the wrong
// unit, and which lines there are beside ours.
func (c *checker) hookSettings(target string, data []byte, editor jsonEditor, ours []recordEntry) {
	doc, err := editor.parse(data)
	if err != nil || doc.blank() {
		return
	}
	if off := member(&doc.root, "disableAllHooks"); off != nil {
		if literal, ok := off.Value.(hujson.Literal); ok && literal.Bool() {
			c.add(CheckSwitchedOn, Failed, target, "disableAllHooks is true: no hook runs", "take that line out")
		}
	}
	unit := time.Duration(0)
	if timed, ok := c.req.Harness.(harness.Timed); ok {
		unit = timed.TimeoutUnit()
	}
	hooks := member(&doc.root, "hooks")
	if hooks == nil {
		return
	}
	for _, event := range children(hooks) {
		if event.name == nil {
			continue
		}
		for _, group := range children(event.value) {
			handlers := []child{group}
			if grouped := member(group.value, "hooks"); grouped != nil {
				handlers = children(grouped)
			}
			for _, handler := range handlers {
				if !isOurs(handler.value, text(event.name), ours) {
					c.foreign(target, text(event.name), handler.value, unit)
				}
			}
		}
	}
}

func isOurs(handler *hujson.Value, event string, ours []recordEntry) bool {
	for _, entry := range ours {
		if entry.Pointer != joinPointer([]string{"hooks", event}) {
			continue
		}
		value, err := parseValue(entry.value())
		if err != nil {
			continue
		}
		wanted := soleHandler(value)
		if wanted == nil {
			wanted = value
		}
		if sameValue(handler, wanted) || sameCommand(handler, wanted) {
			return true
		}
	}
	return false
}

func (c *checker) foreign(target, event string, handler *hujson.Value, unit time.Duration) {
	what := event + ": "
	for _, key := range []string{"command", "url", "type"} {
		if v := member(handler, key); v != nil {
			what += text(v)
			break
		}
	}
	c.add(CheckOthers, OK, what, "not Turnpost's, in "+target, "")
	timeout := member(handler, "timeout")
	if timeout == nil {
		return
	}
	number := strings.TrimSpace(string(timeout.Pack()))
	value, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
	case unit == time.Second && value >= suspicious:
		c.add(CheckTimeouts, Warning, what,
			fmt.Sprintf("timeout %s is in seconds: %s", number, time.Duration(min(value, 1e9))*time.Second),
			fmt.Sprintf("if milliseconds were meant, write %g", value/1000))
	case unit == time.Millisecond && value > 0 && value < suspicious:
		c.add(CheckTimeouts, Warning, what,
			fmt.Sprintf("timeout %s is in milliseconds: %s", number, time.Duration(value*float64(time.Millisecond))),
			fmt.Sprintf("if seconds were meant, write %g", value*1000))
	}
}

// commandOf returns the command line of a handler, or of a group of one.
func commandOf(value json.RawMessage) string {
	type handler struct {
		Type    string
		Command string
		Args    []string
	}
	var group struct {
		handler
		Hooks []handler
	}
	if json.Unmarshal(value, &group) != nil {
		return ""
	}
	one := group.handler
	if len(group.Hooks) == 1 {
		one = group.Hooks[0]
	}
	if len(group.Hooks) > 1 || one.Args != nil || one.Type != "command" && one.Type != "" {
		return ""
	}
	return one.Command
}
