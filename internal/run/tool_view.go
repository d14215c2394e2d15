package run

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// Visible is a transcript as its client knows it: without the calls of tools
// that this server ran, their results, and with what was said around them in
// one piece. A message that stands for several has the Seq of the last one.
func Visible(ms []session.Message) []session.Message {
	if !slices.ContainsFunc(ms, session.Message.RunHere) {
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
			said = "" // what was said before never came to an answer
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

// clientCalls are the calls of the first message that this server did not run,
// and where the last result of those it did run stands; 0 for none.
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

// paired makes calls and results match, as models demand it: the results stand
// in the order of the calls, and calls that were given up, although others of
// the same message were answered, are left out.
func paired(ms []session.Message) []session.Message {
	copied := false
	for i := range ms {
		end := i + 1
		for end < len(ms) && ms[end].Role == session.Tool {
			end++
		}
		if len(ms[i].ToolCalls) == 0 || end == i+1 {
			continue
		}
		place := make(map[string]int)
		for n, c := range openai.UnmarshalCalls(ms[i].ToolCalls) {
			place[c.ID] = n
		}
		answered := make(map[string]bool)
		for _, m := range ms[i+1 : end] {
			answered[m.ToolCallID] = true
		}
		byPlace := func(a, b session.Message) int { return place[a.ToolCallID] - place[b.ToolCallID] }
		open := slices.ContainsFunc(ms[i+1:end], session.Message.RunHere) || end < len(ms)
		open = open && slices.ContainsFunc(openai.UnmarshalCalls(ms[i].ToolCalls), func(c openai.Call) bool { return !answered[c.ID] })
		if !open && slices.IsSortedFunc(ms[i+1:end], byPlace) {
			continue
		}
		if !copied {
			ms, copied = slices.Clone(ms), true
		}
		slices.SortStableFunc(ms[i+1:end], byPlace)
		if open {
			ms[i].ToolCalls = openai.KeepCalls(ms[i].ToolCalls, func(id string) bool { return answered[id] })
			ms[i].Wire = nil
		}
	}
	return ms
}
