package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"

	"turnpost"
)

// Lengths in runes of what the page shows of a text on one line.
const (
	nameRunes    = 60
	summaryRunes = 240
	proofRunes   = 160
	textRunes    = 300
)

// name is the handle of a session, or what stands in for one.
func name(s turnpost.Session) string {
	switch {
	case s.Handle != "":
		return line(s.Handle, nameRunes)
	case s.Reports:
		return "reports only"
	}
	return "no handle"
}

// program is the harness with its version.
func program(s turnpost.Session) string {
	return strings.TrimSpace(line(s.Harness, nameRunes) + " " + line(s.Version, 30))
}

// doing is the state in words.
func doing(s turnpost.Session) string {
	switch s.Status.State {
	case turnpost.StateWaiting:
		if s.Status.Wants != turnpost.WantNothing {
			return "waiting: " + line(string(s.Status.Wants), nameRunes)
		}
	case turnpost.StateWedged:
		if class := s.Status.Failure.Class; class != turnpost.FailureNone && class != turnpost.FailureOther {
			return "wedged: " + strings.ReplaceAll(line(string(class), nameRunes), "_", " ")
		}
	}
	return line(string(s.Status.State), nameRunes)
}

// doingMore is what goes with the state: the tool, the harness's own word for
// the failure, the tasks that run on.
func doingMore(s turnpost.Session) string {
	st := s.Status
	var parts []string
	if st.Tool != "" {
		parts = append(parts, line(st.Tool, nameRunes))
	}
	if st.State == turnpost.StateWedged {
		if st.Failure.Native != "" && st.Failure.Native != string(st.Failure.Class) {
			parts = append(parts, line(st.Failure.Native, nameRunes))
		}
		if st.Failure.Detail != "" {
			parts = append(parts, line(st.Failure.Detail, proofRunes))
		}
	}
	if st.Background > 0 {
		parts = append(parts, plural(st.Background, "background task"))
	}
	if st.State == turnpost.StateQuiet {
		parts = append(parts, "turn open, nothing heard")
	}
	if st.State == turnpost.StateUnheard {
		parts = append(parts, "its hooks are missing")
	}
	if s.Unlinked != "" && !s.Reports && s.Live() {
		parts = append(parts, "not linked")
	}
	return strings.Join(parts, " · ")
}

// since is when a session's state began; for one that ended, when that was.
func since(s turnpost.Session) time.Time {
	if !s.EndedAt.IsZero() {
		return s.EndedAt
	}
	return s.Status.Since
}

// where is the place a session works in.
func where(s turnpost.Session) string {
	dir := s.Cwd
	if dir == "" {
		dir = s.Place.Root
	}
	if s.Place.Worktree != "" {
		dir += " (worktree " + s.Place.Worktree + ")"
	}
	return line(dir, textRunes)
}

// process is a session's process for the details.
func process(s turnpost.Session) string {
	if s.Process.Pid == 0 {
		return "not known"
	}
	return fmt.Sprintf("pid %d", s.Process.Pid)
}

// states sums up what live sessions do, those that need somebody first.
func (p page) states() string {
	order := []turnpost.State{
		turnpost.StateWaiting, turnpost.StateWedged, turnpost.StateUnheard, turnpost.StateQuiet,
		turnpost.StateWorking, turnpost.StateIdle,
	}
	count := make(map[turnpost.State]int)
	for _, s := range p.Live {
		count[s.Status.State]++
	}
	var parts []string
	for _, state := range order {
		if n := count[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, " · ")
}

// alerts counts the notices that are meant to be heard.
func (p page) alerts() int {
	n := 0
	for _, notice := range p.Notices {
		if notice.Loud != turnpost.LoudSilent {
			n++
		}
	}
	return n
}

// route is who wrote an item to whom.
func route(it turnpost.Item) string {
	to := make([]string, 0, len(it.To))
	for _, handle := range it.To {
		to = append(to, line(handle, nameRunes))
	}
	const most = 4
	if len(to) > most {
		to = append(to[:most-1], fmt.Sprintf("%d more", len(to)-most+1))
	}
	from := line(it.Author, nameRunes)
	if len(to) == 0 {
		return from
	}
	return from + " → " + strings.Join(to, ", ")
}

// standing is where an open item, or one that was, stands.
func standing(it turnpost.Item) string {
	switch it.State {
	case turnpost.ItemOpen:
		if it.ClaimedBy != "" {
			return "claimed by " + line(it.ClaimedBy, nameRunes)
		}
		return "open"
	case turnpost.ItemAnswered, turnpost.ItemResolved, turnpost.ItemWithdrawn:
		if it.ClosedBy != "" {
			return line(string(it.State), 20) + " by " + line(it.ClosedBy, nameRunes)
		}
		return line(string(it.State), 20)
	}
	return ""
}

// asks tells whether an item still wants something.
func asks(it turnpost.Item) bool { return it.Kind.NeedsAction() && it.State == turnpost.ItemOpen }

// body is the text of an item for reading.
func body(it turnpost.Item) string {
	if it.Body != "" {
		return block(it.Body, turnpost.MaxBody)
	}
	return block(it.Summary, turnpost.MaxSummary)
}

// receipt is where an item stands with one addressee.
func receipt(d turnpost.Delivery) string {
	switch d.State {
	case turnpost.Stored:
		if d.Told {
			return "not seen yet, you were told"
		}
		return "not seen yet"
	case turnpost.Held:
		return "on its way"
	case turnpost.Shown:
		if d.Attempt > 1 {
			return fmt.Sprintf("shown, %d times", d.Attempt)
		}
		return "shown"
	}
	return line(string(d.State), 20)
}

// receiptAt is when that was.
func receiptAt(d turnpost.Delivery) time.Time {
	switch {
	case !d.ClosedAt.IsZero():
		return d.ClosedAt
	case !d.OfferedAt.IsZero():
		return d.OfferedAt
	}
	return d.At
}

// quick tells whether an inbox entry can be closed without opening it: what
// wants an answer cannot.
func quick(e turnpost.Entry) bool { return !e.Item.Kind.NeedsAction() && e.Delivery.State.Open() }

// mine tells whether an item waits for this person.
func (t thread) mine() bool {
	return slices.ContainsFunc(t.Focus.Deliveries, func(d turnpost.Delivery) bool {
		return d.Handle == t.Human && d.State.Open()
	})
}

// sentText says what became of a post. The classes are written for agents,
// whose user is told; here the reader is that user.
func sentText(p turnpost.Posted) string {
	var parts []string
	for _, e := range p.Expect {
		class := strings.NewReplacer("your user is told", "you are told", "your user will be told at", "you will be told at",
			"on your user's page", "on your page").Replace(line(string(e.Class), proofRunes))
		if !e.Until.IsZero() {
			class += " " + e.Until.Local().Format("15:04")
		}
		parts = append(parts, line(e.Handle, nameRunes)+": "+class)
	}
	text := line(p.Item.ID, 40) + " sent."
	if p.Again {
		text = line(p.Item.ID, 40) + " was sent before."
	}
	if len(parts) == 0 {
		return text
	}
	return text + " " + strings.Join(parts, " · ")
}

// stamp is a time for machines.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// clock is a time of day for people; app.js says it in the reader's own zone.
func clock(t, now time.Time) string {
	if now.Sub(t).Abs() < 20*time.Hour {
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// mark makes a text fit for an id attribute.
func mark(parts ...string) string {
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}
	return strings.Map(keep, strings.Join(parts, "-"))
}

// htmxConfig keeps htmx to what the page's security policy and the live regions
// need: no style element, only the stream extension, no answer kept when a page
// is restored, and a morph that leaves alone what the reader opened (open) and
// what app.js set (data-ui-).
const htmxConfig = `{"includeIndicatorCSS":false,"extensions":"sse","history":false,` +
	`"morphIgnore":["data-htmx-powered","data-ui-","open"],` +
	`"sse":{"reconnectDelay":150,"reconnectMaxDelay":2000}}`

func eventsURL(v view) string { return "/events?page=" + url.QueryEscape(v.url()) }

// clockOf lets app.js know the hub's time.
func clockOf(p page) templ.Attributes {
	if !p.Gone.IsZero() {
		return nil
	}
	return templ.Attributes{"data-now": p.Now.UTC().Format(time.RFC3339Nano)}
}

func sayProblem(t trouble) string {
	text := line(t.Message, textRunes)
	if t.Hint != "" {
		text += " — " + line(t.Hint, textRunes)
	}
	return text
}

func problemTitle(code turnpost.Code) string {
	switch code {
	case turnpost.NotFound:
		return "Not found"
	case turnpost.Unavailable:
		return "The hub does not answer"
	case turnpost.Unauthorized, turnpost.Forbidden:
		return "Not for you"
	case turnpost.Internal:
		return "The hub made a mistake"
	}
	return "That did not work"
}

// can is what a session can receive now.
func can(s turnpost.Session) string {
	if !s.Live() || s.Status.State == turnpost.StateUnheard { // nothing proves that such a one still hears
		return ""
	}
	if s.Can == "" {
		return "not known"
	}
	return line(s.Can, proofRunes)
}

// composeKinds are the kinds that start a conversation; answers are replies.
func composeKinds() []turnpost.ItemKind {
	return slices.DeleteFunc(turnpost.ItemKinds(), func(k turnpost.ItemKind) bool { return k == turnpost.Answer })
}

func channelURL(name string) string {
	if name == "" {
		return "/#timeline"
	}
	return "/?channel=" + url.QueryEscape(name) + "#timeline"
}

// timelineOf is what a handle wrote and got.
func timelineOf(handle string) string { return "/timeline?handle=" + url.QueryEscape(handle) }

// replyKind tells /do/reply what a reply to the item is.
func replyKind(it turnpost.Item) string {
	if asks(it) && it.Kind == turnpost.Question {
		return string(turnpost.Question)
	}
	return string(turnpost.Note)
}

func replyVerb(it turnpost.Item) string {
	if replyKind(it) == string(turnpost.Question) {
		return "Answer"
	}
	return "Reply"
}

func replyHint(it turnpost.Item) string {
	if replyKind(it) == string(turnpost.Question) {
		return "The answer closes the question"
	}
	return "Reply to " + line(it.Author, nameRunes)
}

// long tells whether a row cannot show the whole of a text.
func long(s string) bool { return longer(s, 90) }

func longer(s string, max int) bool {
	return strings.Contains(s, "\n") || utf8.RuneCountInString(s) > max
}

// resume is the command that reopens a session, exactly as it will be copied,
// or nothing when it holds what a reader would not see.
func (p page) resume(s turnpost.Session) string {
	command := p.Resume(s)
	if reveal(command, false) != command {
		return ""
	}
	return command
}
