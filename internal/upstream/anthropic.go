package upstream

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// anthropicVersion is the version of the API this code was written for.
const anthropicVersion = "2023-06-01"

// Anthropic is a model behind Anthropic's Messages API. Prompts arrive in OpenAI's form
// and are translated, and so are the answers; their deltas therefore have no Raw.
//
// Parameters that the API lacks are left out: seed, penalties, logprobs,
// response_format, reasoning_effort. A parameter that would change the answer's shape,
// such as n > 1, is refused. A thinking model's thoughts are passed on as Reasoning.
// Thinking is switched on by the extras of a prompt only, and not between the calls of
// tools and their results, because its signed blocks would have to be kept and sent back.
type Anthropic struct {
	c              *client
	messages, list *url.URL
	models         *Catalogue
}

var _ run.Model = (*Anthropic)(nil)

// NewAnthropic makes the model. The base URL is the one that Anthropic's own libraries
// take, without /v1; one with /v1 means the same.
func NewAnthropic(o Options) *Anthropic {
	o.BaseURL = strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1")
	header := http.Header{"Anthropic-Version": {anthropicVersion}}
	if o.Key != "" {
		header.Set("X-Api-Key", o.Key.Reveal())
	}
	m := &Anthropic{c: newClient(o, header)}
	m.c.typed = true
	m.messages, m.list = m.c.at("/v1/messages"), m.c.at("/v1/models")
	if m.list != nil {
		q := m.list.Query()
		q.Set("limit", "1000")
		m.list.RawQuery = q.Encode()
	}
	m.models = NewCatalogue(m, m.c.opt.Now)
	return m
}

// Models asks the server for its models.
func (m *Anthropic) Models(ctx context.Context) ([]ModelInfo, error) {
	raw, err := m.c.get(ctx, m.list, listPatience)
	if err != nil {
		return nil, err
	}
	return parseModels(raw)
}

// Stream sends the prompt and returns when the server has accepted it.
func (m *Anthropic) Stream(ctx context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	model, err := m.models.named(ctx, p.Model, m.c.opt.Model)
	if err != nil {
		return nil, err
	}
	data, err := messagesRequest(p, model)
	if err != nil {
		return nil, err
	}
	a, err := m.c.post(ctx, m.messages, data, p.Streaming)
	if err != nil {
		return nil, err
	}
	if !a.events() {
		return m.whole(a, p.Streaming)
	}
	if p.Streaming {
		return m.pieces(a), nil
	}
	return collect(m.pieces(a))
}

// reported is the fault for an error inside a response of status 200.
func (m *Anthropic) reported(e *anthropicError) *fault.Error {
	f := m.c.refused(0, e.openai())
	if f.Code == "" {
		f.Code = codeError
	}
	return f
}
