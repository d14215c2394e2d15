package lineage

import (
	"time"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// Stamp counts the tokens of messages and sets their key and time. A message that has a
// time keeps it.
func Stamp(ms []session.Message, key session.Key, at time.Time, count func(string) int) {
	for i := range ms {
		m := &ms[i]
		m.Tokens = Tokens(m, count)
		m.Key, m.RecordedAt = key, at
		if m.SaidAt.IsZero() {
			m.SaidAt = at
		}
	}
}

// NameTools sets the tool names of results whose calls come before them, or are in
// names. It adds the calls to names.
func NameTools(names map[string]string, ms []session.Message) {
	for i := range ms {
		m := &ms[i]
		if m.Role == session.Tool {
			if m.ToolName == "" {
				m.ToolName = names[m.ToolCallID]
			}
			continue
		}
		for _, c := range openai.CallNames(m.ToolCalls) {
			names[c.ID] = c.Name
		}
	}
}
