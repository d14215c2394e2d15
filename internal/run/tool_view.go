package run

import (
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// Visible is a transcript in the client's view: without calls of this server's tools
// and their results. The texts around them are joined into one message, which has the
// Seq of the last one. Turns that this server took for itself are left out.
func Visible(ms []session.Message) []session.Message {
	ms = session.Spoken(ms)
	if !session.Any(ms, (*session.Message).RunHere) {
		return ms
	}
	out := make([]session.Message, 0, len(ms))
	said := ""
	for i := range ms {
		m := ms[i]
		switch {
		case m.RunHere():
			continue
		case m.Role == session.User:
			said = "" // the text so far did not become an answer
		case m.Role == session.Assistant:
			m.Content = join(said, m.Content)
			said = ""
			theirs, last := clientCalls(ms[i:])
			if last > 0 && theirs == nil {
				said = m.Content
				continue
			}
			if last > 0 {
				m.ToolCalls, m.Seq = theirs, ms[i+last].Seq
			}
		}
		out = append(out, m)
	}
	return out
}

// clientCalls are the calls of the first message that this server did not run, and the
// index of the last result of those that it ran; 0 for none.
func clientCalls(ms []session.Message) (calls []byte, last int) {
	ours := make(map[string]bool)
	for i := 1; i < len(ms) && ms[i].Role == session.Tool; i++ {
		if ms[i].RunHere() {
			ours[ms[i].ToolCallID] = true
			last = i
		}
	}
	if last == 0 {
		return ms[0].ToolCalls, 0
	}
	return openai.KeepCalls(ms[0].ToolCalls, func(id string) bool { return !ours[id] }), last
}

func join(before, text string) string {
	if before == "" || text == "" {
		return before + text
	}
	return before + separator + text
}
