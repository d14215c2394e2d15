package run

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
)

// answer gathers the pieces of a reply.
type answer struct {
	responder lineage.Responder
	model     string
	text      strings.Builder
	calls     []openai.Call
	finish    string
	usage     *Usage
	used      []memory.FactID // as far as the responder says
	whole     bool            // the caller wants the answer in one piece
	said      string          // what the client was told before text, around calls of our tools
	raw       []byte          // the upstream's own completion, then
}

// add takes in a piece.
func (a *answer) add(d *Delta) {
	a.text.WriteString(d.Content)
	for _, part := range d.ToolCalls {
		a.calls = openai.JoinCall(a.calls, part.Index, part.ID, part.Name, part.Arguments)
	}
	if d.FinishReason != "" {
		a.finish = d.FinishReason
	}
	if d.Usage != nil {
		a.usage = d.Usage
	}
	if d.Model != "" {
		a.model = d.Model
	}
	a.used = append(a.used, d.Used...)
	if a.whole {
		a.raw = d.Raw
	}
}

// note takes in what the client is not to be sent.
func (a *answer) note(d *Delta) {
	if d.Usage != nil {
		a.usage = d.Usage
	}
	if d.Model != "" {
		a.model = d.Model
	}
}

// own is the text of the newest answer alone.
func (a *answer) own() string {
	if a.said == "" {
		return a.text.String()
	}
	return strings.TrimPrefix(a.text.String(), separator)
}

// again makes room for the next answer of the same turn.
func (a *answer) again() {
	a.said += a.text.String()
	a.text.Reset()
	a.calls, a.finish, a.usage, a.raw = nil, "", nil, nil
}

// empty reports whether nothing came that could be kept.
func (a *answer) empty() bool { return a.text.Len() == 0 && len(a.calls) == 0 && a.finish != "stop" }

// done is the reply as a whole.
func (a *answer) done() Answer {
	out := Answer{Content: a.said + a.text.String(), FinishReason: a.finish, Raw: a.raw}
	if len(a.calls) > 0 {
		out.ToolCalls = openai.MarshalCalls(a.calls)
	}
	return out
}
