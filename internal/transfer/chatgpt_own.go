package transfer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// ownInstructions notes what a person told about themselves in the settings. The content has that
// within words of the program, and the metadata of most exports has it as it was written.
func (g *chatgpt) ownInstructions(out *Conversation, m *gptMessage) {
	at := m.CreateTime.Time
	if at.IsZero() {
		at = out.Started
	}
	written := &m.Metadata.Settings
	for _, text := range []string{
		cmp.Or(written.Profile, unwrapped(m.Content.Profile)), cmp.Or(written.Instructions, unwrapped(m.Content.Instructions)),
	} {
		text = strings.TrimSpace(text)
		if first, known := g.own[text]; text != "" && (!known || at.Before(first)) {
			g.own[text] = at
		}
	}
}

// unwrapped is what a person wrote in the settings, without the words that the program puts before
// it: these begin always alike, and what was written stands behind them in a fence.
func unwrapped(text string) string {
	const wrapper, fence = "The user provided ", "```"
	_, written, fenced := strings.Cut(text, fence)
	if !fenced || !strings.HasPrefix(text, wrapper) {
		return text
	}
	return strings.TrimSuffix(strings.TrimSpace(written), fence)
}

// instructions takes the person's own instructions as a conversation, once.
func (g *chatgpt) instructions(files []*File) error {
	texts := slices.SortedFunc(maps.Keys(g.own), func(a, b string) int {
		return cmp.Or(g.own[a].Compare(g.own[b]), strings.Compare(a, b))
	})
	id := strings.TrimSuffix("custom-instructions:"+g.user, ":") // two accounts may be imported one after the other
	c := &Conversation{System: "chatgpt", ID: id, Title: "Custom instructions", File: files[0]}
	for _, text := range texts {
		c.Messages = append(c.Messages, Message{ID: hashID(text), Role: roleUser, Text: text, At: g.own[text]})
	}
	if len(texts) == 0 {
		return nil
	}
	return g.take(c)
}
