package upstream

import (
	"iter"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// whole reads an answer that came as one completion. It becomes one delta with the
// completion in Raw. If a stream was asked for, it becomes a piece and an end without
// Raw, because a completion is not a chunk.
func (m *OpenAI) whole(a *answer, streaming bool) (iter.Seq2[run.Delta, error], error) {
	defer a.close()
	raw, err := a.all(m.c.opt.MaxBody)
	if err != nil {
		return nil, err
	}
	chunk, err := openai.ParseChunk(raw)
	if err != nil {
		return nil, fault.Wrap(fault.Upstream, codeGarbled, "The upstream's answer is not a completion.", err)
	}
	if chunk.Error != nil {
		return nil, m.reported(chunk.Error)
	}
	if len(chunk.Choices) == 0 {
		return nil, fault.New(fault.Upstream, codeGarbled, "The upstream's answer holds no choices.")
	}
	d := delta(&chunk)
	d.Finishes = true // it is complete, even if the server gives no reason
	if d.FinishReason == "" {
		d.FinishReason = "stop"
	}
	if !streaming {
		d.Raw = mended(raw, &chunk, &d)
		return each(d), nil
	}
	end := run.Delta{FinishReason: d.FinishReason, Finishes: true, Usage: d.Usage, Model: d.Model}
	d.FinishReason, d.Finishes, d.Usage = "", false, nil
	return each(d, end), nil
}

// reported is the fault for an error inside a response of status 200. Several servers
// put the intended status into its code.
func (m *OpenAI) reported(e *openai.Error) *fault.Error {
	status := 0
	if code, ok := e.Code.(float64); ok && code >= 400 && code < 600 {
		status = int(code)
	}
	f := m.c.refused(status, e)
	if f.Code == "" {
		f.Code = codeError
	}
	return f
}

// collect gathers a stream that the server sent although none was asked for. Its delta
// has no Raw, because there was no completion.
func collect(pieces iter.Seq2[run.Delta, error]) (iter.Seq2[run.Delta, error], error) {
	var all run.Delta
	var content, reasoning strings.Builder
	for d, err := range pieces {
		if err != nil {
			return nil, err
		}
		content.WriteString(d.Content)
		reasoning.WriteString(d.Reasoning)
		all.ToolCalls = joinCalls(all.ToolCalls, d.ToolCalls)
		if d.FinishReason != "" {
			all.FinishReason = d.FinishReason
		}
		if d.Usage != nil {
			all.Usage = d.Usage
		}
		if d.Model != "" {
			all.Model = d.Model
		}
		all.Finishes = all.Finishes || d.Finishes
	}
	all.Content, all.Reasoning = content.String(), reasoning.String()
	return each(all), nil
}

// joinCalls adds parts of tool calls to the calls they belong to.
func joinCalls(calls, parts []run.ToolCall) []run.ToolCall {
	for _, part := range parts {
		i := slices.IndexFunc(calls, func(c run.ToolCall) bool { return c.Index == part.Index })
		if i < 0 {
			calls = append(calls, part)
			continue
		}
		if part.ID != "" {
			calls[i].ID = part.ID
		}
		calls[i].Name += part.Name
		calls[i].Arguments += part.Arguments
	}
	return calls
}

// each is the sequence of the given deltas.
func each(ds ...run.Delta) iter.Seq2[run.Delta, error] {
	return func(yield func(run.Delta, error) bool) {
		for _, d := range ds {
			if !yield(d, nil) {
				return
			}
		}
	}
}
