package upstream

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// OpenAI is a model behind any server that speaks OpenAI's chat completions:
// OpenAI, OpenRouter, Ollama, llama.cpp, vLLM, LM Studio and many more.
type OpenAI struct {
	c          *client
	chat, list *url.URL
	models     *Catalogue
	buffers    sync.Pool // of *[]byte, for messages
}

var _ run.Model = (*OpenAI)(nil)

// New makes the model. It does not call the server.
func New(o Options) *OpenAI {
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key.Reveal())
	}
	m := &OpenAI{c: newClient(o, header)}
	m.chat, m.list = m.c.at("/chat/completions"), m.c.at("/models")
	m.models = NewCatalogue(m, m.c.opt.Now)
	m.buffers.New = func() any { return new([]byte) }
	return m
}

// Stream sends the prompt and returns when the server has accepted it. The
// caller ranges over the sequence or cancels ctx; either ends the call.
func (m *OpenAI) Stream(ctx context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	model, err := m.models.named(ctx, p.Model, m.c.opt.Model)
	if err != nil {
		return nil, err
	}
	data, err := m.request(p, model)
	if err != nil {
		return nil, err
	}
	a, err := m.c.post(ctx, m.chat, data, p.Streaming)
	if err != nil {
		return nil, err
	}
	events := a.events()
	if events != p.Streaming {
		m.c.opt.Log.DebugContext(ctx, "the upstream answered in another form than asked for", "model", model, "streaming", events)
	}
	if !events {
		return m.whole(a, p.Streaming)
	}
	if p.Streaming {
		return m.pieces(a), nil
	}
	return collect(m.pieces(a))
}

// request is the body to send: the client's, with messages and model replaced.
func (m *OpenAI) request(p *run.Prompt, model string) ([]byte, error) {
	sets := make([]openai.Set, 0, 4)
	if messages, rewrites := toSend(p); rewrites {
		buf := m.buffers.Get().(*[]byte)
		defer m.release(buf)
		*buf = appendMessages((*buf)[:0], messages)
		sets = append(sets, openai.Set{Name: "messages", Value: *buf})
	}
	name := quote(nil, model)
	body := p.Body
	if body == nil {
		body = bare(name, sets[0].Value, p.Streaming)
		sets = sets[:0]
	} else {
		sets = append(sets, openai.Set{Name: "model", Value: name})
	}
	if p.Tools != nil {
		sets = append(sets, openai.Set{Name: "tools", Value: p.Tools})
	}
	if p.NoCalls {
		sets = append(sets, openai.Set{Name: "tool_choice", Value: []byte(`"none"`)})
	}
	if len(sets) == 0 {
		return body, nil
	}
	data, err := openai.Splice(body, sets...)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "", "The request body is not a JSON object.", err)
	}
	return data, nil
}

// toSend are the messages of the prompt; rewrites is false if those of the body go as they
// are.
func toSend(p *run.Prompt) (ms []session.Message, rewrites bool) {
	if !p.Raw || p.Body == nil {
		return p.Messages, true
	}
	for _, m := range openai.ResultMessages(p.Body) {
		ms = append(ms, session.Message{Role: session.Role(m.Role), Wire: m.Raw})
	}
	return ms, ms != nil
}

// release keeps a buffer for the next call, unless it grew for a rare large one.
func (m *OpenAI) release(buf *[]byte) {
	if cap(*buf) <= 256<<10 {
		m.buffers.Put(buf)
	}
}

// bare is the body for a prompt that did not come over HTTP.
func bare(model, messages []byte, streaming bool) []byte {
	b := make([]byte, 0, len(model)+len(messages)+96)
	b = append(b, `{"model":`...)
	b = append(b, model...)
	b = append(b, `,"messages":`...)
	b = append(b, messages...)
	if streaming {
		b = append(b, `,"stream":true,"stream_options":{"include_usage":true}`...)
	} else {
		b = append(b, `,"stream":false`...)
	}
	return append(b, '}')
}
