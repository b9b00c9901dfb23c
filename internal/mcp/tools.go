package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"turnpost"
)

// tools is the list of all tools; a new one is a file tool_X.go and a line
// here. There are at most 14, and their list is at most 10 KB on the wire: every
// agent pays for it in every session.
func tools() []tool {
	return []tool{
		post(),
		reply(),
		inbox(),
		read(),
		ack(),
		wait(),
		pass(),
		claim(),
		resolve(),
		open(),
		channels(),
		agents(),
		notes(),
		run(),
	}
}

// tool is one tool: what clients see of it, and what it does.
type tool struct {
	spec *mcp.Tool
	run  func(context.Context, hubOf, json.RawMessage) (string, error)
}

// hubOf is the hub for one call with that hook_session.
type hubOf func(hookSession string) turnpost.Hub

// effect is what a tool does to the world; it becomes the annotations.
type effect int

const (
	reads  effect = iota // changes nothing but "shown"
	settle               // twice is the same as once
	writes               // twice is two
)

// asker is part of every tool's arguments: over HTTP the token only proves the
// user, this proves the agent.
type asker struct {
	HookSession string `json:"hook_session,omitempty" jsonschema:"from your start line, if asked for"`
}

func (a asker) hookSession() string { return a.HookSession }

// define makes a tool from a typed function. In is a struct with json and
// jsonschema tags that embeds asker; fields without omitempty are required.
func define[In interface{ hookSession() string }](name, about string, does effect, run func(context.Context, turnpost.Hub, In) (string, error)) tool {
	schema := schemaOf[In](name)
	no := false
	return tool{
		spec: &mcp.Tool{
			Name:        name,
			Description: about,
			InputSchema: schema,
			Annotations: &mcp.ToolAnnotations{
				ReadOnlyHint:    does == reads,
				IdempotentHint:  does != writes,
				DestructiveHint: &no,
				OpenWorldHint:   &no,
			},
			// Without it Claude Code shows the model our names only.
			Meta: mcp.Meta{"anthropic/alwaysLoad": true},
		},
		run: func(ctx context.Context, hub hubOf, arguments json.RawMessage) (string, error) {
			var in In
			if err := decode(arguments, schema, &in); err != nil {
				return "", err
			}
			return run(ctx, hub(in.hookSession()), in)
		},
	}
}

// schemaOf derives the schema of a tool's arguments. It panics for a struct
// that has none: a mistake in this package, found by every test.
func schemaOf[In any](name string) *jsonschema.Schema {
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		// The library's own schema for a slice also allows null.
		reflect.TypeFor[[]string]():             {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
		reflect.TypeFor[turnpost.ItemKind]():    oneOf(turnpost.ItemKinds()...),
		reflect.TypeFor[turnpost.Presence]():    oneOf(turnpost.Available, turnpost.Away, turnpost.Offline),
		reflect.TypeFor[openKind]():             oneOf(openKind(turnpost.Question), openKind(turnpost.Task)),
		reflect.TypeFor[channelVerb]():          oneOf(channelVerbs()...),
		reflect.TypeFor[notesVerb]():            oneOf(notesVerbs()...),
		reflect.TypeFor[runVerb]():              oneOf(runVerbs()...),
		reflect.TypeFor[taskKind]():             oneOf(taskKinds()...),
		reflect.TypeFor[turnpost.EffectState](): oneOf(turnpost.EffectOK, turnpost.EffectError),
	}})
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", name, err))
	}
	for _, property := range schema.Properties {
		if len(property.Types) == 2 { // likewise for a pointer: null and its type
			property.Type, property.Types = property.Types[1], nil
		}
	}
	return schema
}

func oneOf[S ~string](words ...S) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, word := range words {
		schema.Enum = append(schema.Enum, string(word))
	}
	return schema
}
