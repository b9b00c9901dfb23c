package harness

import (
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// fillOpencodePrompt: the plugin marks the texts that it put in, and passes on
// no other text but one that looks like ours.
func fillOpencodePrompt(e *turnpost.Event, doc document.Object) {
	offers, own := ownText(doc.Text("prompt", maxPrompt))
	e.Offers, e.Machine = offers, own || doc.Flag("own")
}

func fillOpencodeAsk(e *turnpost.Event, doc document.Object) {
	fillTool(e, doc)
	e.Wants = turnpost.WantPermission
	if e.Name == "question.asked" {
		e.Wants = turnpost.WantAnswer
	}
}

// fillOpencodeReply: a person answered, and the tool goes on or does not.
func fillOpencodeReply(e *turnpost.Event, doc document.Object) {
	fillTool(e, doc)
	if doc.Text("reply", maxWord) == "reject" {
		e.Kind = turnpost.ToolFailed
	}
}

// Retries that count as a turn that failed. 1.18.33 gives up after five; older
// ones went on for ever. A wait can be hours long: it is what the vendor asks
// for.
const (
	opencodeMaxRetries = 5
	opencodeMaxWait    = 60 // seconds
)

func fillOpencodeRetry(e *turnpost.Event, doc document.Object) {
	if doc.Number("attempt") < opencodeMaxRetries && doc.Number("wait") < opencodeMaxWait {
		return
	}
	message := doc.Text("message", maxDetail)
	e.Kind = turnpost.TurnFailed
	e.Failure = turnpost.Failure{Class: opencodeRetried(message), Native: clip(message, maxWord), Detail: message}
}

// opencodeRetried reads the class out of the message: a retry says no more. The
// words are those of 1.18.33.
func opencodeRetried(message string) turnpost.FailureClass {
	message = strings.ToLower(message)
	for _, row := range []struct {
		words string
		class turnpost.FailureClass
	}{
		{"overloaded|capacity|unavailable|exhausted|529|503", turnpost.FailureOverloaded},
		{"rate limit|rate-limit|rate_limit|rate increased|too many requests|too_many_requests|429|usage limit|free usage", turnpost.FailureRateLimit},
		{"credit|billing|quota|402", turnpost.FailureBilling},
	} {
		for word := range strings.SplitSeq(row.words, "|") {
			if strings.Contains(message, word) {
				return row.class
			}
		}
	}
	return turnpost.FailureServer
}

// fillOpencodeIdle: only a turn whose last message is the agent's and says that
// it is done is one to keep going. A turn without such an end was stopped by a
// person: a permission was refused, or a retry aborted, which leaves no error.
func fillOpencodeIdle(e *turnpost.Event, doc document.Object) {
	finish, failed := doc.Text("finish", maxWord), doc.Text("error", maxWord)
	switch {
	case failed == "MessageAbortedError":
		e.Kind = turnpost.Interrupt
	case failed != "":
		e.Kind = turnpost.TurnFailed
		e.Failure = opencodeFailure(failed, doc.Text("error_status", 3), doc.Text("error_message", maxDetail))
	case finish == "", finish == "tool-calls":
		e.Kind = turnpost.Interrupt
	case finish == "length":
		e.Kind = turnpost.TurnFailed
		e.Failure = turnpost.Failure{Class: turnpost.FailureMaxOutput, Native: finish}
	case finish == "stop" && !doc.Flag("summary"): // of a compaction
		e.Last = doc.Text("last_assistant_message", maxLast)
		e.Tokens = doc.Number("tokens")
	default:
		e.Accepts = turnpost.Accepts{}
	}
}

// opencodeFailure: the names are those of its API's schema.
func opencodeFailure(name, status, message string) turnpost.Failure {
	f := turnpost.Failure{Class: turnpost.FailureOther, Native: name, Detail: message}
	if status != "" {
		f.Native = clip(name, maxWord-4) + " " + status
	}
	switch name {
	case "ProviderAuthError":
		f.Class = turnpost.FailureAuth
	case "MessageOutputLengthError":
		f.Class = turnpost.FailureMaxOutput
	case "ContextOverflowError", "ContentFilterError", "StructuredOutputError":
		f.Class = turnpost.FailureInvalidRequest
	case "APIError":
		if f.Class = statusFailure(status); status == "" { // the service was not reached
			f.Class = turnpost.FailureServer
		}
	case "UnknownError":
		if strings.HasPrefix(message, "Model not found") {
			f.Class = turnpost.FailureModelNotFound
		}
	}
	return f
}
