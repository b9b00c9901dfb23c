package mcp

import (
	"context"
	"fmt"

	"turnpost"
)

// channelVerb is what to do with a channel.
type channelVerb string

// listChannels is the default; the others are the hub's own words.
const listChannels channelVerb = "list"

func channelVerbs() []channelVerb {
	return []channelVerb{listChannels, "create", "join", "leave", "archive"}
}

type channelsArgs struct {
	Do   channelVerb `json:"do,omitempty"`
	Name string      `json:"name,omitempty" jsonschema:"such as #general, for all but list"`
	All  bool        `json:"all,omitempty" jsonschema:"list archived ones too"`
	asker
}

func channels() tool {
	return define("channels", "List, create, join, leave or archive channels.", settle,
		func(ctx context.Context, hub turnpost.Hub, in channelsArgs) (string, error) {
			if in.Do == "" || in.Do == listChannels {
				return channelList(ctx, hub, in.All)
			}
			if in.Name == "" {
				return "", turnpost.Invalidf("name", "missing").WithHint("say which channel to %s", in.Do)
			}
			channel, err := hub.Channel(ctx, turnpost.ChannelRequest{Name: in.Name, Do: string(in.Do)})
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%s: %s done. Members: %s.", oneLine(channel.Name, maxLine), in.Do, handles(channel.Members)), nil
		})
}

func channelList(ctx context.Context, hub turnpost.Hub, all bool) (string, error) {
	found, err := hub.Channels(ctx, turnpost.ChannelQuery{All: all})
	if err != nil {
		return "", err
	}
	if len(found.Channels) == 0 {
		return "There are no channels.", nil
	}
	lines := make([]string, len(found.Channels))
	for i, channel := range found.Channels {
		lines[i] = fmt.Sprintf("%s · %d items · members: %s", oneLine(channel.Name, maxLine), channel.LastSeq, handles(channel.Members))
		if !channel.ArchivedAt.IsZero() {
			lines[i] += " · archived"
		}
	}
	return frame(lines), nil
}
