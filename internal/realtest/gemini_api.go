package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
)

// gemini is Google's generateContent API. What a request wants is the verb at
// the end of its path: /v1beta/models/MODEL:streamGenerateContent.
type gemini struct{}

// geminiVerb returns the verb of a path, "" for a path of something else.
func geminiVerb(urlPath string) string {
	_, verb, _ := strings.Cut(path.Base(urlPath), ":")
	switch verb {
	case "streamGenerateContent", "generateContent", "countTokens":
		return verb
	}
	return ""
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text             string          `json:"text"`
		FunctionCall     json.RawMessage `json:"functionCall"`
		FunctionResponse struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

func (g gemini) read(req *http.Request, body []byte) (Request, error) {
	var raw struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	model, verb, _ := strings.Cut(path.Base(req.URL.Path), ":")
	r := Request{Model: model, System: raw.System.text(), stream: verb == "streamGenerateContent"}
	for _, content := range raw.Contents {
		role := content.Role
		if role == "model" {
			role = "assistant"
		}
		r.Messages = append(r.Messages, Message{Role: role, Text: content.text()})
	}
	if verb == "countTokens" {
		return r, nil // of the main loop it is not
	}
	for _, tool := range raw.Tools {
		for _, function := range tool.Functions {
			r.Tools = append(r.Tools, function.Name)
		}
	}
	return r, nil
}

func (c geminiContent) text() string {
	var parts []string
	for _, part := range c.Parts {
		result := string(part.FunctionResponse.Response)
		var response struct {
			Output string `json:"output"`
		}
		if json.Unmarshal(part.FunctionResponse.Response, &response) == nil && response.Output != "" {
			result = response.Output
		}
		parts = append(parts, part.Text, string(part.FunctionCall), result)
	}
	return joinLines(parts)
}

// joinLines joins the parts that are not empty.
func joinLines(parts []string) string {
	var full []string
	for _, part := range parts {
		if part != "" {
			full = append(full, part)
		}
	}
	return strings.Join(full, "\n")
}

// refuse names the kind as Google does: "RESOURCE_EXHAUSTED".
func (gemini) refuse(w http.ResponseWriter, status int, kind, text string) {
	writeJSON(w, status, object{"error": object{"code": status, "message": text, "status": kind}})
}

// answer holds the count of tokens too: each verb reads its own keys.
func (gemini) answer(w http.ResponseWriter, r Request, _ int, s Step) {
	part := object{"text": s.text}
	if s.tool != "" {
		part = object{"functionCall": object{"name": s.tool, "args": s.input}}
	}
	answer := object{
		"candidates": []object{{
			"content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": object{
			"promptTokenCount": s.tokens, "candidatesTokenCount": 12, "totalTokenCount": s.tokens + 12,
		},
		"totalTokens":  1,
		"modelVersion": r.Model,
	}
	if r.stream {
		events(w)("", answer)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}
