// Package http is a provider with a protocol of ours, for programs that no other package
// knows: three requests with JSON, described in docs/providers.md.
package http

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Provider is a server that speaks the protocol.
type Provider struct{ client *provider.Client }

// New returns the provider at a URL.
func New(url, key string) (*Provider, error) {
	client, err := provider.NewClient(url, provider.Bearer("Bearer", key))
	return &Provider{client}, err
}

// place is a place on the wire.
type place struct {
	Workspace string `json:"workspace"`
	Session   string `json:"session"`
	User      string `json:"user"`
	Assistant string `json:"assistant"`
}

// message is a message on the wire, or a part of a long one.
type message struct {
	ID      int64        `json:"id"`
	Part    int          `json:"part"`
	Role    session.Role `json:"role"`
	Speaker string       `json:"speaker"`
	Text    string       `json:"text"`
	At      time.Time    `json:"at"`
}

func (p *Provider) post(ctx context.Context, path string, in, out any, limit int64) error {
	return p.client.Do(ctx, &provider.Exchange{Method: http.MethodPost, Path: path, In: in, Out: out, Limit: limit})
}

// Recall implements run.Provider.
func (p *Provider) Recall(ctx context.Context, at run.Place, question string, tokens int) (string, error) {
	in := map[string]any{"place": place(at), "question": question, "tokens": tokens}
	var out struct {
		Text *string `json:"text"`
	}
	if err := p.post(ctx, "/recall", in, &out, provider.MaxRecall); err != nil {
		return "", fmt.Errorf("recall: %w", err)
	}
	if out.Text == nil {
		return "", provider.Misshapen(`no "text" in the answer to /recall`)
	}
	return *out.Text, nil
}

// Told implements run.Provider. The server does not store an id and part twice.
func (p *Provider) Told(ctx context.Context, at run.Place, said []run.Said) error {
	pieces := provider.Pieces(said)
	for len(pieces) > 0 {
		n := min(len(pieces), provider.MaxTold)
		list := make([]message, n)
		for i := range list {
			s := &pieces[i]
			list[i] = message{s.ID, s.Part, s.Role, s.Speaker, s.Text, s.At.UTC()}
		}
		if err := p.post(ctx, "/told", map[string]any{"place": place(at), "messages": list}, nil, 0); err != nil {
			return fmt.Errorf("tell: %w", err)
		}
		pieces = pieces[n:]
	}
	return nil
}

// Forget implements run.Provider. A server that cannot erase single messages answers 501.
func (p *Provider) Forget(ctx context.Context, at run.Place, ids []int64) (run.Passed, error) {
	var out struct {
		Confirmed *int   `json:"confirmed"`
		Left      string `json:"left"`
	}
	err := p.post(ctx, "/forget", map[string]any{"place": place(at), "ids": ids}, &out, 0)
	switch {
	case ids != nil && provider.StatusOf(err) == http.StatusNotImplemented:
		return run.Passed{}, run.ErrWholePlace
	case err != nil:
		return run.Passed{}, fmt.Errorf("forget: %w", err)
	case out.Confirmed == nil || *out.Confirmed < 0:
		return run.Passed{}, provider.Misshapen(`no "confirmed" in the answer to /forget`)
	}
	passed := run.Passed{Confirmed: *out.Confirmed}
	if out.Left != "" {
		passed.Left = cmp.Or(provider.Line(out.Left), "The provider still has something of it.")
	}
	return passed, nil
}
