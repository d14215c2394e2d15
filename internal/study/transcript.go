package study

import (
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// batchBytes bounds how much one call reads.
	batchBytes = 16 << 10
	// shownOfUser and shownOfOthers bound one message, in bytes: other people's
	// messages only give context to the user's.
	shownOfUser   = 4 << 10
	shownOfOthers = 400
)

// transcript renders messages for a model, numbered and with secrets hidden, and
// returns the messages it shows. The text is empty if no message is the user's.
func transcript(ms []session.Message) (string, []session.Message) {
	var b strings.Builder
	users := false
	for i := range ms {
		m := &ms[i]
		text, limit := secret.Mask(m.Content), shownOfOthers
		if m.Role == session.User {
			limit = shownOfUser
			users = users || strings.TrimSpace(text) != ""
		}
		if len(text) > limit {
			text = language.Gist(text, limit)
		}
		line := fmt.Sprintf("[%d] %s, %s: %s\n", m.Seq, cite.Speaker(nil, string(m.Role), m.Name), m.SaidAt.Format("2006-01-02"), cite.Line(text))
		if i > 0 && b.Len()+len(line) > batchBytes {
			ms = ms[:i]
			break
		}
		b.WriteString(line)
	}
	if !users {
		return "", ms
	}
	return b.String(), ms
}
