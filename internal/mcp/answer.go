package mcp

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"turnpost"
)

// maxLine is how much of a summary or a name a list shows, in runes.
const maxLine = 300

// refusal is a tool error: what is wrong, and what to do about it.
func refusal(err error) *mcp.CallToolResult {
	text := "error: " + oneLine(err.Error(), 4*maxLine)
	hint := ""
	var coded *turnpost.Error
	if errors.As(err, &coded) {
		hint = coded.Hint
		if hint == "" && coded.Code == turnpost.Unavailable {
			hint = "nothing was sent; tell your user that `turnpost up -d` starts the hub"
		}
	}
	if hint != "" {
		text += "\nhint: " + oneLine(hint, 4*maxLine)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// headline is an item in one line. The summary comes last: whatever it says,
// it cannot pass for a label.
func headline(item turnpost.Item, labels ...string) string {
	where := "dm"
	if item.Channel != "" {
		where = oneLine(item.Channel, maxLine)
	}
	kind := string(item.Kind)
	if item.ReplyTo != "" {
		kind += " to " + oneLine(item.ReplyTo, maxLine)
	}
	author := oneLine(item.Author, maxLine)
	if item.Human {
		author += " " + turnpost.YourUser
	}
	parts := []string{oneLine(item.ID, maxLine), where, kind, author}
	if item.Urgent {
		parts = append(parts, "urgent")
	}
	parts = append(parts, labels...)
	return strings.Join(append(parts, oneLine(item.Summary, maxLine)), " · ")
}

// handles joins handles, "nobody" for none.
func handles(all []string) string {
	if len(all) == 0 {
		return "nobody"
	}
	return oneLine(strings.Join(all, ", "), maxLine)
}

// inboxText is an inbox, or what a wait brought.
func inboxText(in turnpost.Inbox, empty string) string {
	handle := oneLine(in.Handle, maxLine)
	if len(in.Entries) == 0 {
		if in.Unread > 0 {
			empty += fmt.Sprintf(" %d still open: inbox with all shows them.", in.Unread)
		}
		return empty
	}
	lines := make([]string, len(in.Entries))
	items := make([]turnpost.Item, len(in.Entries))
	var todo []turnpost.Item
	last, ackable := int64(0), true
	for i, entry := range in.Entries {
		var labels []string
		switch {
		case !entry.Delivery.State.Open():
			labels = append(labels, string(entry.Delivery.State))
		case entry.Delivery.Attempt > 0:
			labels = append(labels, "shown before")
		}
		lines[i], items[i] = headline(entry.Item, labels...), entry.Item
		last = max(last, entry.Delivery.Seq)
		if entry.Delivery.State.Open() {
			todo = append(todo, entry.Item)
			ackable = ackable && !entry.Item.Kind.NeedsAction()
		}
	}
	text := fmt.Sprintf("%d of %d open for you, %s. %s\n%s", len(todo), in.Unread, handle, turnpost.Trust(items), frame(lines))
	if tail := turnpost.ProtocolTail(todo); tail != "" {
		text += "\n" + tail
	}
	// A position closes everything below it: only where all of that is here.
	if len(todo) > 0 && len(todo) == in.Unread && ackable {
		text += fmt.Sprintf(" All of them: ack with through %d.", last)
	}
	return text
}

// postedText says what became of a draft.
func postedText(posted turnpost.Posted, did string) string {
	text := oneLine(posted.Item.ID, maxLine) + " " + did
	if posted.Again {
		text += " before, with this key"
	}
	text += "."
	for _, expect := range posted.Expect {
		text += "\n" + oneLine(expect.Handle, maxLine) + ": " + string(expect.Class)
		if !expect.Until.IsZero() {
			text += " " + clock(expect.Until, time.Now())
		}
	}
	return text
}

// clock is a time as people on this machine read it, with the day when it is
// not today.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}
