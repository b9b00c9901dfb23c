package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"turnpost"
)

type readArgs struct {
	IDs    []string `json:"ids" jsonschema:"at most 50"`
	Thread bool     `json:"thread,omitempty" jsonschema:"the whole threads they are in"`
	From   int      `json:"from,omitempty" jsonschema:"byte of the body to go on from, for one id"`
	asker
}

// maxAnswer is how many bytes of bodies one answer carries: clients cut or
// drop what is much longer.
const maxAnswer = 32 << 10

func read() tool {
	return define("read", "Read whole items, with their bodies.", reads,
		func(ctx context.Context, hub turnpost.Hub, in readArgs) (string, error) {
			if in.From < 0 || in.From > 0 && (len(in.IDs) != 1 || in.Thread) {
				return "", turnpost.Invalidf("from", "only with one id and no thread")
			}
			found, err := hub.Read(ctx, turnpost.ReadQuery{IDs: in.IDs, Thread: in.Thread})
			if err != nil {
				return "", err
			}
			if len(found.Items) == 0 {
				return "No such items.", nil
			}
			return itemsText(found.Items, in.From), nil
		})
}

// itemsText is whole items. from is where the body of the first one starts.
func itemsText(items []turnpost.Item, from int) string {
	var lines, rest []string
	trust := turnpost.Trust(items)
	room := maxAnswer
	for i, item := range items {
		if i > 0 && room <= 0 {
			rest = append(rest, oneLine(item.ID, maxLine))
			continue
		}
		lines = append(lines, headline(item), standing(item))
		body, next := part(item.Body, from, room)
		if body != "" {
			lines = append(lines, quote(body)...)
		}
		if next > 0 {
			lines = append(lines, fmt.Sprintf("  cut at byte %d of %d: read it alone, from %d", next, len(item.Body), next))
		}
		if item.Result != "" {
			result, _ := part(item.Result, 0, max(room-len(body), maxLine))
			lines = append(append(lines, "  result"), quote(result)...)
			trust = turnpost.ProtocolTrust // whoever the author is: somebody else closed it
		}
		room -= len(body) + len(item.Result)
		from = 0
	}
	text := trust + "\n" + frame(lines)
	if len(rest) > 0 {
		text += "\nNot shown, read again: " + strings.Join(rest, ", ") + "."
	}
	return text
}

// part is at most room bytes of text from an offset on, in whole characters,
// and where to go on, 0 at the end.
func part(text string, from, room int) (string, int) {
	from = min(from, len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	end := from + room
	if end >= len(text) {
		return text[from:], 0
	}
	for end > from && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[from:end], end
}

// standing is where an item stands, in one line of our own.
func standing(item turnpost.Item) string {
	parts := []string{"to " + handles(item.To)}
	if item.State != "" {
		parts = append(parts, string(item.State))
	}
	if !item.At.IsZero() {
		parts = append(parts, clock(item.At, time.Now()))
	}
	if item.ClaimedBy != "" {
		parts = append(parts, "claimed by "+oneLine(item.ClaimedBy, maxLine))
	}
	if item.ClosedBy != "" {
		parts = append(parts, "closed by "+oneLine(item.ClosedBy, maxLine))
	}
	for _, delivery := range item.Deliveries {
		parts = append(parts, oneLine(delivery.Handle, maxLine)+" "+string(delivery.State))
	}
	return "  " + strings.Join(parts, " · ")
}
