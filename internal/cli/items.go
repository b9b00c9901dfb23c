package cli

import (
	"fmt"
	"strings"
	"time"

	"turnpost"
)

// where says in which place an item is: its channel, or who it is for.
func where(item turnpost.Item) string {
	if item.Channel != "" {
		return item.Channel
	}
	if len(item.To) == 0 {
		return "dm"
	}
	to := strings.Join(item.To[:min(len(item.To), 3)], ", ")
	if more := len(item.To) - 3; more > 0 {
		to += fmt.Sprintf(" and %d more", more)
	}
	return to
}

// author marks people, as only the hub can.
func author(item turnpost.Item) string {
	if item.Human {
		return item.Author + " (person)"
	}
	return item.Author
}

// kind is what an item is, with what makes it stand out.
func (p *printer) kind(item turnpost.Item) styled {
	text := string(item.Kind)
	if item.ReplyTo != "" {
		text += " to " + item.ReplyTo
	}
	if item.Urgent {
		return p.paint(bad, text+", urgent")
	}
	if item.Kind.NeedsAction() {
		return p.paint(accent, text)
	}
	return p.paint(plain, text)
}

// entries prints an inbox or what a wait brought.
func (p *printer) entries(entries []turnpost.Entry, now time.Time) {
	t := table{head: []string{"id", "kind", "from", "in", "when", "state", "summary"}}
	for _, e := range entries {
		t.row(p.paint(bold, e.Item.ID), p.kind(e.Item), author(e.Item), inPlace(e.Item), clock(e.Item.At, now), string(e.Delivery.State), e.Item.Summary)
	}
	p.table("", t)
}

// inPlace is the channel of an item in one's own inbox.
func inPlace(item turnpost.Item) string {
	if item.Channel == "" {
		return "dm"
	}
	return item.Channel
}

// item prints an item whole, with its receipts.
func (p *printer) item(item turnpost.Item, now time.Time) {
	p.line("%s  %s  %s → %s  %s  %s", p.paint(bold, item.ID), p.kind(item), author(item), where(item), clock(item.At, now), p.itemState(item))
	p.text("  ", item.Summary)
	if strings.TrimSpace(item.Body) != "" {
		p.line("")
		p.text("  ", item.Body)
	}
	if item.Result != "" {
		p.line("")
		p.text("  Result: ", item.Result)
	}
	var t table
	for _, d := range item.Deliveries {
		t.row(p.paint(dim, d.Handle), p.paint(dim, deliveryState(d, now)))
	}
	if len(t.rows) > 0 {
		p.line("")
	}
	p.table("  ", t)
}

func (p *printer) itemState(item turnpost.Item) styled {
	text := string(item.State)
	switch {
	case item.State == turnpost.ItemOpen && item.ClaimedBy != "":
		return p.paint(accent, "claimed by "+item.ClaimedBy)
	case item.State == turnpost.ItemOpen:
		return p.paint(accent, text)
	case item.State == turnpost.ItemDone:
		return ""
	case item.ClosedBy != "":
		text += " by " + item.ClosedBy
	}
	return p.paint(dim, text)
}

// deliveryState is a receipt: where the item stands for one addressee.
func deliveryState(d turnpost.Delivery, now time.Time) string {
	at := d.At
	switch {
	case !d.State.Open():
		at = d.ClosedAt
	case d.State == turnpost.Shown:
		at = d.OfferedAt
	}
	text := string(d.State) + " " + clock(at, now)
	if d.Attempt > 1 {
		text += fmt.Sprintf(", %d times offered", d.Attempt)
	}
	return text
}
