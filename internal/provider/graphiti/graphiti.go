// Package graphiti is the provider Graphiti, by the server that comes with it. A place is a
// group, and a message is an episode with a name of ours.
package graphiti

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Provider is a server of Graphiti.
type Provider struct {
	client *provider.Client
	sure   provider.Sure
}

// New returns the provider at a URL.
func New(base, key string) (*Provider, error) {
	client, err := provider.NewClient(base, provider.Bearer("Bearer", key))
	return &Provider{client: client}, err
}

// StoresWithin implements provider.Slow: the server queues messages, and a model reads each before it
// is stored.
func (*Provider) StoresWithin() time.Duration { return 10 * time.Minute }

// maxFacts is how many facts a question brings.
const maxFacts = 20

// Recall implements run.Provider.
func (g *Provider) Recall(ctx context.Context, p run.Place, question string, _ int) (string, error) {
	var out struct {
		Facts *[]struct {
			Fact *string `json:"fact"`
		} `json:"facts"`
	}
	err := g.client.Do(ctx, &provider.Exchange{
		Method: http.MethodPost, Path: "/search", Out: &out, Limit: provider.MaxRecall,
		In: map[string]any{"group_ids": []string{provider.Joined(p)}, "query": question, "max_facts": maxFacts},
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("recall: %w", err)
	case out.Facts == nil:
		return "", provider.Misshapen("no facts")
	}
	var lines []string
	for _, f := range *out.Facts {
		if f.Fact == nil {
			return "", provider.Misshapen("a fact without a text")
		}
		lines = append(lines, *f.Fact)
	}
	return strings.Join(lines, "\n"), nil
}

// episodeName is the name of a piece's episode. The server draws the ids itself: one that a message brings is
// that of an episode which it must have already.
func episodeName(mark string) string { return "hermes " + mark }

// Told implements run.Provider.
func (g *Provider) Told(ctx context.Context, p run.Place, said []run.Said) error {
	pieces, group := provider.Pieces(said), provider.Joined(p)
	if !g.sure.Take(group, said) {
		stored, err := g.episodes(ctx, group)
		if err != nil {
			return err
		}
		rest := pieces[:0:0]
		for i := range pieces {
			if !stored[episodeName(pieces[i].Mark())] {
				rest = append(rest, pieces[i])
			}
		}
		pieces = rest
	}
	for len(pieces) > 0 {
		n := min(len(pieces), provider.MaxTold)
		list := make([]map[string]any, n)
		for i := range list {
			list[i] = messageOf(p, &pieces[i])
		}
		var out struct {
			Success bool `json:"success"`
		}
		err := g.client.Do(ctx, &provider.Exchange{
			Method: http.MethodPost, Path: "/messages", In: map[string]any{"group_id": group, "messages": list}, Out: &out,
		})
		if err == nil && !out.Success {
			err = provider.Misshapen("no success")
		}
		if err != nil {
			return fmt.Errorf("add messages: %w", err)
		}
		pieces = pieces[n:]
	}
	g.sure.Set(group, said, nil)
	return nil
}

// messageOf is a piece on the wire.
func messageOf(p run.Place, s *provider.Piece) map[string]any {
	role := p.User
	switch {
	case s.Role == session.Assistant:
		role = p.Assistant
	case s.Speaker != "":
		role = s.Speaker
	}
	return map[string]any{
		"name": episodeName(s.Mark()), "role_type": s.Role, "role": role, "content": s.Text,
		"timestamp": s.At.UTC().Format(time.RFC3339), "source_description": "hermes",
	}
}

// maxEpisodes is how many of the newest episodes are searched.
const maxEpisodes = 1000

// episodes are the names of the newest episodes of a group.
func (g *Provider) episodes(ctx context.Context, group string) (map[string]bool, error) {
	var list []struct {
		UUID *string `json:"uuid"`
		Name string  `json:"name"`
	}
	err := g.client.Do(ctx, &provider.Exchange{
		Method: http.MethodGet, Path: "/episodes/" + url.PathEscape(group), Query: url.Values{"last_n": {strconv.Itoa(maxEpisodes)}}, Out: &list,
	})
	if err != nil { // the list of a group that does not exist is empty
		return nil, fmt.Errorf("list episodes: %w", err)
	}
	stored := make(map[string]bool, len(list))
	for i := range list {
		if list[i].UUID == nil {
			return nil, provider.Misshapen("an episode without an id")
		}
		stored[list[i].Name] = true
	}
	return stored, nil
}
