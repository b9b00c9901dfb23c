package setup

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"turnpost/internal/harness"
)

// suspicious is a timeout that only somebody who thinks in milliseconds writes
// where seconds are counted: 1000 s are 17 minutes.
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
	inSeconds := false
	if timed, ok := c.req.Harness.(harness.Timed); ok {
		inSeconds = timed.TimeoutUnit() == time.Second
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
			handlers := member(group.value, "hooks")
			if handlers == nil {
				continue
			}
			for _, handler := range children(handlers) {
				if !isOurs(handler.value, text(event.name), ours) {
					c.foreign(target, text(event.name), handler.value, inSeconds)
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
		if wanted := soleHandler(value); wanted != nil && (sameValue(handler, wanted) || sameCommand(handler, wanted)) {
			return true
		}
	}
	return false
}

func (c *checker) foreign(target, event string, handler *hujson.Value, inSeconds bool) {
	what := event + ": "
	for _, key := range []string{"command", "url", "type"} {
		if v := member(handler, key); v != nil {
			what += text(v)
			break
		}
	}
	c.add(CheckOthers, OK, what, "not Turnpost's, in "+target, "")
	timeout := member(handler, "timeout")
	if !inSeconds || timeout == nil {
		return
	}
	number := strings.TrimSpace(string(timeout.Pack()))
	if value, err := strconv.ParseFloat(number, 64); err == nil && value >= suspicious {
		c.add(CheckTimeouts, Warning, what,
			fmt.Sprintf("timeout %s is in seconds: %s", number, time.Duration(min(value, 1e9))*time.Second),
			fmt.Sprintf("if milliseconds were meant, write %g", value/1000))
	}
}
