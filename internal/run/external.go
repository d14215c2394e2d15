package run

import (
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// Bounds of what an external memory adds to a prompt.
const (
	maxExternal     = 512 // tokens
	maxExternalLine = 600 // bytes of a line
)

// askExternal asks the external memory, and returns the function that waits for its answer;
// nil if it is not asked. It is asked only for a question of a person that a model answers.
func (t *laidOut) askExternal(ctx context.Context, l *layout) func() Told {
	r := t.runner
	if r.external == nil || r.models.Upstream == nil || l.quotesRoom < minQuotes {
		return nil
	}
	if t.req.OffRecord || t.req.Source == session.SourceCron || l.question == "" || t.input.asked[0].Role == session.Tool {
		return nil
	}
	return r.external.Ask(ctx, &Asking{
		Owner: t.req.Owner, Key: t.req.Key, Root: t.lineage.Tip.RootID, Speaker: t.speaker(), Question: l.question,
		Tokens: min(l.quotesRoom, maxExternal),
	})
}

// speaker is who said the user's newest message, if the client gives a name.
func (t *laidOut) speaker() string {
	for i := len(t.input.asked) - 1; i >= 0; i-- {
		if m := &t.input.asked[i]; m.Role == session.User {
			return m.Name
		}
	}
	return ""
}

// externalText is what the external memory says, as a model is sent it.
func externalText(b *lineage.External) string {
	if b == nil {
		return ""
	}
	text := "From " + b.Provider + ", another program; may be wrong:\n"
	for _, line := range b.Lines {
		text += line + "\n"
	}
	return text
}

// addExternal waits for the external memory and puts its answer behind our own quotes, within
// the room that they leave. Its text is data of another program: each line is quoted.
func (t *turn) addExternal(wait func() Told, l *layout, r *recollection) {
	if wait == nil {
		return
	}
	told := wait()
	if told.Text == "" {
		return
	}
	b := &lineage.External{Provider: t.runner.external.Name(), Late: told.Late}
	room := min(l.quotesRoom-r.tokens, maxExternal)
	b.Tokens = t.count(externalText(b))
	for line := range strings.Lines(told.Text) {
		quoted := externalLine(line)
		if quoted == "" {
			continue
		}
		cost := t.count(quoted + "\n")
		if b.Tokens+cost > room {
			break
		}
		b.Tokens += cost
		b.Lines = append(b.Lines, quoted)
	}
	if len(b.Lines) > 0 {
		r.tokens, r.outside, r.external = r.tokens+b.Tokens, true, b
	}
}

// externalLine is a line of another program in quotation marks; "" for one without text.
func externalLine(line string) string {
	line = strings.Map(func(c rune) rune {
		if c == '`' || c == '~' { // the fences of code
			return -1
		}
		return c
	}, line)
	if len(line) > maxExternalLine {
		line = strings.ToValidUTF8(line[:maxExternalLine], "") + "…"
	}
	if strings.TrimSpace(cite.Line(line)) == "" {
		return ""
	}
	return "- " + cite.Quoted(line)
}
