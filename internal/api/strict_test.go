package api

import (
	"strings"
	"testing"

	"turnpost"
)

// What a run is asked for is nested, and a caller has no say in what only the
// hub sets.
func TestRequestsOfRunsAreRefused(t *testing.T) {
	start, change, ask := decoder[turnpost.RunStart](), decoder[turnpost.RunRequest](), decoder[turnpost.EffectDraft]()
	take, post, notes := decoder[turnpost.EffectTake](), decoder[turnpost.EffectPost](), decoder[turnpost.NotesRequest]()
	of := func(body string) map[string]error {
		read := strings.NewReader
		_, started := start(read(body))
		_, changed := change(read(body))
		_, asked := ask(read(body))
		_, took := take(read(body))
		_, posted := post(read(body))
		_, noted := notes(read(body))
		return map[string]error{"start": started, "change": changed, "ask": asked, "take": took, "post": posted, "notes": noted}
	}
	for _, test := range []struct{ request, body, want string }{
		{"start", `{"goal":"x","proof":"0123"}`, "proof: is not a field of this request"},
		{"start", `{"goal":"x","human":true}`, "human: is not a field of this request"},
		{"start", `{"limits":{"Iterations":5}}`, "limits.Iterations: is not a field of this request"},
		{"start", `{"limits":{"iterations":5,"iterations":9}}`, "limits.iterations: is given twice"},
		{"start", `{"limits":{"iterations":1.5}}`, "limits.iterations: does not take this number 1.5"},
		{"start", `{"limits":{"target":"0.9"}}`, "limits.target: does not take this string"},
		{"start", `{"limits":{"target":1e400}}`, "body: is not valid JSON at byte "},
		{"start", `{"process":{"steps":[{"id":"a","command":{"shell":"rm"}}]}}`, "process.steps[0].command.shell: is not a field of this request"},
		{"start", `{"process":{"steps":[{"id":"a"},{"state":"done"}]}}`, "process.steps[1].state: is not a field of this request"},
		{"start", `{"process":[]}`, "process: does not take this array"},
		{"change", `{"do":"halt","by":"@anna"}`, "by: is not a field of this request"},
		{"change", `{"do":"score","score":NaN}`, "body: is not valid JSON at byte "},
		{"change", `{"do":"score","score":"9"}`, "score: does not take this string"},
		{"ask", `{"kind":"command","trusted":true}`, "trusted: is not a field of this request"},
		{"ask", `{"kind":"command","command":{"args":"make test"}}`, "command.args: does not take this string"},
		{"ask", `{"files":[{"path":"a","Format":"code"}]}`, "files[0].Format: is not a field of this request"},
		{"take", `{"worker":"w","handle":"@api"}`, "handle: is not a field of this request"},
		{"post", `{"effect":"e-1","status":"ok","posted_by":"@anna"}`, "posted_by: is not a field of this request"},
		{"notes", `{"do":"write","author":"@anna"}`, "author: is not a field of this request"},
		{"notes", `{"do":"write","text":"\ud800"}`, `body: has half a character: a \ud800-\udfff without its pair`},
	} {
		if err := of(test.body)[test.request]; turnpost.CodeOf(err) != turnpost.Invalid || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s %s: got %v, want %s", test.request, test.body, err, test.want)
		}
	}
}
