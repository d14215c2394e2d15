package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
)

// ModelInfo is one model a server offers.
type ModelInfo struct {
	ID      string
	OwnedBy string
	Created time.Time // zero when the server does not say
	// ContextTokens is the largest prompt that the model takes; 0 when the server does
	// not say.
	ContextTokens int
}

// Lister lists the models of a server, in the server's order.
type Lister interface {
	Models(ctx context.Context) ([]ModelInfo, error)
}

// listPatience bounds the wait for a list of models.
const listPatience = 10 * time.Second

// Models asks the server for its models.
func (m *OpenAI) Models(ctx context.Context) ([]ModelInfo, error) {
	raw, err := m.c.get(ctx, m.list, listPatience)
	if err != nil {
		return nil, err
	}
	return parseModels(raw)
}

// parseModels reads a list of models in OpenAI's form or in Anthropic's.
func parseModels(raw []byte) ([]ModelInfo, error) {
	var list struct {
		Data []struct {
			ID        string          `json:"id"`
			OwnedBy   any             `json:"owned_by"`
			Created   json.RawMessage `json:"created"`
			CreatedAt json.RawMessage `json:"created_at"`
		} `json:"data"`
	}
	var windows struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &list); err != nil || list.Data == nil {
		return nil, fault.Wrap(fault.Upstream, codeGarbled, "The upstream's list of models is not valid.", err)
	}
	_ = json.Unmarshal(raw, &windows) // as valid as the list above
	out := make([]ModelInfo, 0, len(list.Data))
	for i, m := range list.Data {
		var window listedWindow
		_ = json.Unmarshal(windows.Data[i], &window) // a field of another type says nothing
		info := ModelInfo{ID: m.ID, ContextTokens: window.tokens()}
		info.OwnedBy, _ = m.OwnedBy.(string)
		for _, raw := range []json.RawMessage{m.Created, m.CreatedAt} {
			if at, err := bound.JSONTime(raw); err == nil && at.Unix() > 0 && info.Created.IsZero() { // zero when it is no time
				info.Created = at
			}
		}
		if m.ID != "" {
			out = append(out, info)
		}
	}
	return out, nil
}

// Catalogue caches a server's models for a minute, so that checking a name does not
// cost a call each time.
type Catalogue struct {
	from Lister
	now  func() time.Time
	turn chan struct{} // held during a call; guards the fields below
	list []ModelInfo
	err  error
	at   time.Time // when it was asked; zero for never

	newest atomic.Pointer[[]ModelInfo] // the list, for readers that must not wait; nil before the first
}

const (
	listFresh  = time.Minute
	errorFresh = 5 * time.Second // a failing server is not asked at every request
)

// NewCatalogue caches the list of from.
func NewCatalogue(from Lister, now func() time.Time) *Catalogue {
	return &Catalogue{from: from, now: now, turn: make(chan struct{}, 1)}
}

// Models lists the models. If the server fails, it returns the newest cached list, or
// the fault if there is none.
func (c *Catalogue) Models(ctx context.Context) ([]ModelInfo, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Canceled, "", "The call was cancelled.", ctx.Err())
	}
	age := c.now().Sub(c.at)
	if c.at.IsZero() || age >= listFresh || c.err != nil && age >= errorFresh {
		list, err := c.from.Models(ctx)
		if ctx.Err() != nil {
			return nil, err // the caller gave up; it says nothing about the server
		}
		c.at, c.err = c.now(), err
		if err == nil {
			c.list = list
			c.newest.Store(&list)
		}
	}
	if c.list != nil {
		return slices.Clone(c.list), nil
	}
	return nil, c.err
}

// Has reports whether the server lists a model of this name. It is false when
// the server cannot be asked.
func (c *Catalogue) Has(ctx context.Context, name string) bool {
	list, err := c.Models(ctx)
	return err == nil && slices.ContainsFunc(list, func(m ModelInfo) bool { return m.ID == name })
}

// nameless is sent if a name is required and none is known.
const nameless = "default"

// named returns the first given name, or else the first model listed.
func (c *Catalogue) named(ctx context.Context, names ...string) (string, error) {
	if name := cmp.Or(names...); name != "" {
		return name, nil
	}
	return c.first(ctx)
}

// first is the first model listed. A server that answers but lists nothing
// readable serves one model under any name.
func (c *Catalogue) first(ctx context.Context) (string, error) {
	list, err := c.Models(ctx)
	switch f, ok := errors.AsType[*fault.Error](err); {
	case ok && (f.Status == http.StatusNotFound || f.Status == http.StatusMethodNotAllowed || f.Code == codeGarbled):
		return nameless, nil
	case err != nil:
		return "", err
	case len(list) == 0:
		return "", fault.New(fault.Unavailable, "no_model", "The upstream model server offers no model.")
	}
	return list[0].ID, nil
}
