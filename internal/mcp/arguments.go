package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"turnpost"
)

// decode fills in from a call's arguments, or says which one is wrong. Names
// count exactly, case included, and only once: encoding/json alone would let
// "HOOK_SESSION" stand for hook_session and the last of two win. null is the
// same as absent.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, in any) error {
	given, err := object(arguments)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		property, known := schema.Properties[name]
		if !known {
			return turnpost.Invalidf(name, "no such argument").WithHint("arguments: %s", strings.Join(schema.PropertyOrder, ", "))
		}
		if string(value) == "null" {
			delete(given, name)
			continue
		}
		if err := checkWord(name, value, property); err != nil {
			return err
		}
	}
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok {
			return turnpost.Invalidf(name, "missing").WithHint("%s", describe(schema.Properties[name]))
		}
	}
	exact, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	if err := json.Unmarshal(exact, in); err != nil {
		var mistyped *json.UnmarshalTypeError
		if !errors.As(err, &mistyped) {
			return turnpost.Invalidf("arguments", "not readable: %v", err)
		}
		name, _, _ := strings.Cut(mistyped.Field, ".")
		return turnpost.Invalidf(name, "wrong type: %s", mistyped.Value).WithHint("%s", describe(schema.Properties[name]))
	}
	return nil
}

// object splits a JSON object into its members.
func object(arguments json.RawMessage) (map[string]json.RawMessage, error) {
	given := make(map[string]json.RawMessage)
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 || string(arguments) == "null" {
		return given, nil
	}
	broken := turnpost.Invalidf("arguments", "not a JSON object")
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, broken
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, broken
		}
		name, ok := token.(string)
		if !ok {
			return nil, broken
		}
		if _, twice := given[name]; twice {
			return nil, turnpost.Invalidf(name, "given twice")
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, broken
		}
		given[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, broken
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, broken
	}
	return given, nil
}

// checkWord holds a value to the words that its schema lists, if any.
func checkWord(name string, value json.RawMessage, property *jsonschema.Schema) error {
	if len(property.Enum) == 0 {
		return nil
	}
	var word string
	if err := json.Unmarshal(value, &word); err != nil || !slices.Contains(property.Enum, any(word)) {
		return turnpost.Invalidf(name, "not one of its words").WithHint("%s", describe(property))
	}
	return nil
}

// describe says in one line what a value has to be.
func describe(property *jsonschema.Schema) string {
	if property == nil {
		return "see the tool's schema"
	}
	kind := property.Type
	switch {
	case len(property.Enum) > 0:
		words := make([]string, len(property.Enum))
		for i, word := range property.Enum {
			words[i] = fmt.Sprint(word)
		}
		kind = "one of " + strings.Join(words, ", ")
	case property.Items != nil:
		kind = "a list of " + property.Items.Type + "s"
	}
	if property.Description == "" {
		return "give " + kind
	}
	return "give " + kind + ": " + property.Description
}

// fits holds the arguments of a tool with verbs to those that its verb needs,
// and may have besides: what would be ignored is a mistake.
func fits(verb string, in any, needs []string, may ...string) error {
	data, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return fmt.Errorf("decode arguments: %w", err)
	}
	takes := slices.Concat(needs, may)
	hint := verb + " takes " + strings.Join(takes, ", ")
	if len(takes) == 0 {
		hint = verb + " takes no other arguments"
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "do" && name != "hook_session" && !slices.Contains(takes, name) {
			return turnpost.Invalidf(name, "not for %s", verb).WithHint("%s", hint)
		}
	}
	for _, name := range needs {
		if _, ok := given[name]; !ok {
			return turnpost.Invalidf(name, "missing").WithHint("%s", hint)
		}
	}
	return nil
}
