package harness

import (
	"path/filepath"
	"strings"

	"turnpost/internal/document"
)

// qwenInbox is the inbox of the session with its key, "" where it has none. By
// the program's own "Cross-Session Protocol" (0.24.4, version 1) that key tells
// the processes that the session started from others; with it a text is delivered
// without a review, unless the user asked for one.
func qwenInbox(getenv func(string) string) (socket, key string) {
	socket, key = getenv("QWEN_CODE_MESSAGING_SOCKET"), getenv("QWEN_CODE_MESSAGING_TOKEN")
	if !keepable(socket) || key == "" || len(key) > maxWord || strings.ContainsAny(key, "\x00\n") {
		return "", ""
	}
	return filepath.Clean(socket), key
}

// Letter is two lines: the token, the text. A session that the socket does not
// hold any more answers that it was meant for another.
func (qwen) Letter(l Letter) []byte {
	var auth, frame, message document.Writer
	auth.Open("")
	auth.Number("msgV", 1)
	auth.Text("type", "auth")
	auth.Text("token", l.Key)
	auth.Close()

	message.Open("")
	message.Text("role", "user")
	message.Text("content", l.Text)
	message.Close()

	frame.Open("")
	frame.Number("msgV", 1)
	frame.Text("msgId", l.ID)
	frame.Text("type", "user")
	frame.Text("from", l.Reply)
	frame.Text("replyToken", l.ReplyKey)
	frame.Text("fromName", "turnpost") // what the terminal shows
	frame.Text("toSessionId", l.Session)
	frame.Text("priority", "next")
	frame.Raw("message", message.Bytes())
	frame.Close()
	return append(append(append(auth.Bytes(), '\n'), frame.Bytes()...), '\n')
}

// Receipt reads one line of what came back. Only "delivered" means that the
// model is told; what is held, because the user asked for that, waits for them.
func (qwen) Receipt(line []byte, id string) LetterState {
	doc, err := document.Parse(line)
	if err != nil || doc.Text("action", maxWord) != "delivery_status" || doc.Text("origMsgId", maxWord) != id {
		return LetterUnknown
	}
	switch doc.Text("status", maxWord) {
	case "delivered":
		return LetterTaken
	case "dropped", "expired":
		return LetterBusy
	case "held", "denied", "refused", "misaddressed":
		return LetterClosed
	}
	return LetterUnknown // a word of a later version
}
