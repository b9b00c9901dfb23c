package setup

import (
	"bytes"
	"encoding/json"
	"fmt"

	"turnpost"
)

// fileEditor owns whole files: a service unit, a plugin. Its only value is the
// content, a JSON string. A file with other content is somebody else's.
type fileEditor struct{}

var _ Editor = fileEditor{}

func (fileEditor) Find(doc []byte, values []Value) ([]Presence, error) {
	content, err := contentOf(values)
	if err != nil {
		return nil, err
	}
	out := make([]Presence, len(values))
	if len(values) == 1 && doc != nil && bytes.Equal(doc, content) {
		out[0] = Exact
	}
	return out, nil
}

func (fileEditor) Insert(doc []byte, values []Value) ([]byte, []string, error) {
	content, err := contentOf(values)
	switch {
	case err != nil:
		return nil, nil, err
	case len(values) == 0, doc != nil && bytes.Equal(doc, content):
		return doc, nil, nil
	case doc != nil:
		return nil, nil, &refusal{reason: "the file exists with other content; Turnpost did not write it so"}
	}
	return content, []string{""}, nil
}

func (fileEditor) Remove(doc []byte, values []Value) ([]byte, []bool, error) {
	content, err := contentOf(values)
	if err != nil {
		return nil, nil, err
	}
	taken := make([]bool, len(values))
	if len(values) == 1 && doc != nil && bytes.Equal(doc, content) {
		taken[0] = true
		return nil, taken, nil
	}
	return doc, taken, nil
}

// Prune has nothing to do: a file without our content was removed with it.
func (fileEditor) Prune(doc []byte, _ []string) ([]byte, error) { return doc, nil }

func contentOf(values []Value) ([]byte, error) {
	if len(values) > 1 {
		return nil, turnpost.Errorf(turnpost.Internal, "%d entries for one whole file", len(values))
	}
	var content string
	for _, value := range values {
		if err := json.Unmarshal(value.JSON, &content); err != nil {
			return nil, fmt.Errorf("content of a whole file: %w", err)
		}
	}
	return []byte(content), nil
}
