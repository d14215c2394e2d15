package anthropic

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Claude Code is recognized by the shapes of its requests:
//
//	metadata.user_id names its session, as JSON or as user_…_account_…_session_…
//	a text block of writtenByClient, such as <system-reminder>, is written by the program
//	a request without tools and without marks for the cache is a task of the program
//	a last message that begins as one of taskPrompts is a task of the program, too, and
//	so is a last message that the program wrote as a whole

// AgentHeader is the header by which Claude Code names the agent that works for a session.
// An agent gets its input from a model.
const AgentHeader = "X-Claude-Code-Agent-Id"

// taskPrompts begin the paragraphs by which Claude Code asks for texts of its own: the
// summary of a conversation, a suggestion of the next input, a recap.
var taskPrompts = []string{
	"Your task is to create a detailed summary of ",
	"[SUGGESTION MODE: ",
	"The user stepped away and is coming back.",
}

// writtenByClient are the elements that Claude Code adds to what a person writes.
var writtenByClient = []string{
	"system-reminder", "local-command-caveat", "local-command-stdout", "local-command-stderr",
	"command-name", "command-message", "command-args",
}

// isReminder reports whether a block is instructions of the client, and not what a person
// has written: it holds nothing but elements of the client.
func isReminder(b *block) bool {
	text := strings.TrimSpace(b.Text)
	if b.Type != "text" || text == "" {
		return false
	}
	for text != "" {
		rest, ok := cutElement(text)
		if !ok {
			return false
		}
		text = strings.TrimSpace(rest)
	}
	return true
}

// isNotification reports whether a message holds nothing but instructions of the client.
func isNotification(blocks []block) bool {
	for i := range blocks {
		if !isReminder(&blocks[i]) {
			return false
		}
	}
	return len(blocks) > 0
}

// cutElement is the text after an element of the client; ok is false if the text begins
// with none.
func cutElement(text string) (rest string, ok bool) {
	for _, tag := range writtenByClient {
		if inner, begins := strings.CutPrefix(text, "<"+tag+">"); begins {
			_, rest, ok = strings.Cut(inner, "</"+tag+">")
			return rest, ok
		}
	}
	return "", false
}

// isBilling reports whether a system text is a header for Anthropic's servers. Its hash
// changes with every request, which would keep the beginning of prompts out of caches.
func isBilling(text string) bool { return strings.HasPrefix(text, "x-anthropic-billing-header:") }

// sessionOf matches the older form of Claude Code's metadata.user_id.
var sessionOf = regexp.MustCompile(`^user_[0-9a-f]+_account_[0-9a-f-]*_session_([0-9a-f-]{8,64})$`)

// Session is the session of Claude Code that a request names; "" for none.
func (r *Request) Session() string {
	id, _ := r.session()
	return id
}

// session is the session that metadata.user_id names. ok is false if the member is no
// session, but a name of a person.
func (r *Request) session() (id string, ok bool) {
	if m := sessionOf.FindStringSubmatch(r.UserID); m != nil {
		return m[1], true
	}
	var in struct {
		Session *string `json:"session_id"`
	}
	if !strings.HasPrefix(r.UserID, "{") || json.Unmarshal([]byte(r.UserID), &in) != nil || in.Session == nil {
		return "", false
	}
	return *in.Session, true
}

// Task reports whether a request of Claude Code is a task of the program itself: a title,
// a check of the key, the summary of a conversation, a notification of the model.
func (r *Request) Task() bool {
	if _, ok := r.session(); !ok {
		return false
	}
	return len(r.in.Tools) == 0 && !r.said.cached || r.said.asksForTask() || r.said.notifies
}

// asksForTask reports whether the last text of the user is one of the prompts of tasks.
func (c *conversation) asksForTask() bool {
	if len(c.last) == 0 {
		return false
	}
	text := c.last[len(c.last)-1].Text
	for _, begin := range taskPrompts {
		if strings.HasPrefix(text, begin) || strings.Contains(text, "\n\n"+begin) {
			return true
		}
	}
	return false
}

// joined are the instructions of a request as one text.
func joined(system []string) string { return strings.Join(system, "\n\n") }
