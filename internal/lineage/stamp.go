package lineage

import (
	"time"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// Stamp counts the tokens of messages and gives them their key and time. A message
// that brings a time of its own keeps it.
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

// NameTools gives results the names of the tools that were called, as far as the
// calls stand before them, or in names, which it adds to.
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
