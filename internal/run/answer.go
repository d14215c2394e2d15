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
	used      []memory.FactID // as far as the responder reports them
	recall    *Recall         // how sure the recall responder is; nil if a model answered
	whole     bool            // the caller does not stream
	said      string          // the text sent before, around calls of this server's tools
	raw       []byte          // the upstream's unchanged completion, if whole
}

// add adds a piece.
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
	if d.Recall != nil {
		a.recall = d.Recall
	}
	if a.whole {
		a.raw = d.Raw
	}
}

// note records the parts of a piece that are not sent to the client.
func (a *answer) note(d *Delta) {
	if d.Usage != nil {
		a.usage = d.Usage
	}
	if d.Model != "" {
		a.model = d.Model
	}
}

// own is the text of the newest answer only.
func (a *answer) own() string {
	if a.said == "" {
		return a.text.String()
	}
	return strings.TrimPrefix(a.text.String(), separator)
}

// again resets the answer for the next call of the model in the same turn.
func (a *answer) again() {
	a.said += a.text.String()
	a.text.Reset()
	a.calls, a.finish, a.usage, a.raw = nil, "", nil, nil
}

// empty reports whether there is no content to store.
func (a *answer) empty() bool { return a.text.Len() == 0 && len(a.calls) == 0 && a.finish != "stop" }

// drop forgets what was received.
func (a *answer) drop() {
	a.text.Reset()
	a.calls, a.raw = nil, nil
}

// done is the complete reply.
func (a *answer) done() Answer {
	out := Answer{Content: a.said + a.text.String(), FinishReason: a.finish, Raw: a.raw}
	if len(a.calls) > 0 {
		out.ToolCalls = openai.MarshalCalls(a.calls)
	}
	return out
}
