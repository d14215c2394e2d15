// Package mem0 is the provider Mem0: its platform, or a server of one's own. Each message is
// a request of its own, so that the memories which Mem0 draws from it can be erased with it.
package mem0

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// DefaultURL is Mem0's platform.
const DefaultURL = "https://api.mem0.ai"

// Provider is a server of Mem0.
type Provider struct {
	client *provider.Client
	own    bool // a server of one's own, with other routes
	sure   provider.Sure
}

// New returns the provider at a URL; "" is the platform. Every other host is a server of
// one's own.
func New(base, key string) (*Provider, error) {
	if base == "" {
		base = DefaultURL
	}
	own := !strings.HasSuffix(strings.Split(provider.Host(base), ":")[0], "mem0.ai")
	return open(base, key, own)
}

func open(base, key string, own bool) (*Provider, error) {
	header := provider.Bearer("Token", key)
	if own {
		header = http.Header{"X-Api-Key": {key}}
	}
	client, err := provider.NewClient(base, header)
	return &Provider{client: client, own: own}, err
}

// memory is something that Mem0 knows.
type memory struct {
	ID       string            `json:"id"`
	Memory   *string           `json:"memory"`
	Metadata provider.Metadata `json:"metadata"`
}

// memories are a list of memories: alone, or as the results of a search.
type memories []memory

// UnmarshalJSON reads both forms.
func (m *memories) UnmarshalJSON(text []byte) error {
	var found struct {
		Results *[]memory `json:"results"`
	}
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]memory)(m))
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	if found.Results == nil {
		return errors.New("no results")
	}
	*m = *found.Results
	return nil
}

// ids are the ids of the memories.
func (m memories) ids() []string {
	ids := make([]string, len(m))
	for i := range m {
		ids[i] = m[i].ID
	}
	return ids
}

// Recall implements run.Provider.
func (m *Provider) Recall(ctx context.Context, p run.Place, question string, _ int) (string, error) {
	x := &provider.Exchange{
		Method: http.MethodPost, Path: "/v3/memories/search/", Limit: provider.MaxRecall,
		In: map[string]any{"query": question, "filters": map[string]string{"user_id": provider.Joined(p)}},
	}
	if m.own {
		x.Path = "/search"
	}
	var out memories
	x.Out = &out
	if err := m.client.Do(ctx, x); err != nil {
		return "", fmt.Errorf("recall: %w", err)
	}
	var lines []string
	for i := range out {
		if out[i].Memory == nil {
			return "", provider.Misshapen("a memory without a text")
		}
		lines = append(lines, *out[i].Memory)
	}
	return strings.Join(lines, "\n"), nil
}

// Told implements run.Provider.
func (m *Provider) Told(ctx context.Context, p run.Place, said []run.Said) error {
	pieces, user := provider.Pieces(said), provider.Joined(p)
	var ids map[int64]bool
	if !m.sure.Take(user, said) {
		marks := make(map[string]bool)
		err := m.each(ctx, user, func(list memories) bool {
			for i := range list {
				marks[list[i].Metadata.Mark] = true
			}
			return true
		})
		if err != nil && !errors.Is(err, errMuch) { // what is told is among the newest
			return fmt.Errorf("look for messages: %w", err)
		}
		pieces, ids = provider.Without(pieces, marks)
	}
	for i := range pieces {
		if err := m.add(ctx, user, &pieces[i]); err != nil {
			return fmt.Errorf("add a message: %w", err)
		}
	}
	m.sure.Set(user, said, ids)
	return nil
}

// add adds a piece of a message.
func (m *Provider) add(ctx context.Context, user string, s *provider.Piece) error {
	said := map[string]any{"role": s.Role, "content": s.Text}
	if s.Speaker != "" {
		said["name"] = s.Speaker
	}
	in := map[string]any{
		"user_id": user, "messages": []any{said},
		"metadata": map[string]any{"hermes_id": s.Mark(), "said_at": s.At.UTC().Format(time.RFC3339)},
	}
	path := "/v3/memories/add/"
	if m.own {
		path = "/memories"
	} else {
		in["timestamp"] = s.At.Unix()
	}
	return m.client.Do(ctx, &provider.Exchange{Method: http.MethodPost, Path: path, In: in, Out: &added{}})
}

// added is the answer to a message: the platform's event, which it works on later, or a list of what
// was drawn from the message.
type added struct{}

// UnmarshalJSON refuses other answers.
func (*added) UnmarshalJSON(text []byte) error {
	var event struct {
		ID string `json:"event_id"`
	}
	if text[0] == '{' && json.Unmarshal(text, &event) == nil && event.ID != "" {
		return nil
	}
	var list memories
	return list.UnmarshalJSON(text)
}

// pageSize is how many memories a page of the platform has, and maxPages how many are read.
const pageSize, maxPages = 100, 100

// noPage matches what the platform says of a page behind the last one.
var noPage = regexp.MustCompile(`(?i)^invalid page\b`)

// errMuch says that a user has more memories than are read.
var errMuch = fault.New(fault.Upstream, "provider_answer", "Mem0 has more memories of the place than hermes reads.")

// each reads all memories of a user, a page at a time, until the function returns false. The
// list ends with a page that has nothing new: the server may make its pages shorter than asked.
func (m *Provider) each(ctx context.Context, user string, read func(memories) bool) error {
	if m.own {
		return m.eachOwn(ctx, user, read)
	}
	var seen provider.Asked
	for n := 1; n <= maxPages; n++ {
		var out memories
		err := m.client.Do(ctx, &provider.Exchange{
			Method: http.MethodPost, Path: "/v2/memories/", Query: url.Values{"page": {strconv.Itoa(n)}, "page_size": {strconv.Itoa(pageSize)}},
			In:  map[string]any{"filters": map[string]any{"AND": []any{map[string]string{"user_id": user}}}},
			Out: &out, Absent: noPage,
		})
		if n > 1 && provider.Absent(err) {
			return nil // behind the last page
		}
		if err != nil {
			return err
		}
		if len(seen.New(out.ids())) == 0 || !read(out) {
			return nil
		}
	}
	return errMuch
}

// ownMost is how many memories a server of one's own is asked for. It lists no more, and has no pages.
const ownMost = 1000

// eachOwn is each for a server of one's own.
func (m *Provider) eachOwn(ctx context.Context, user string, read func(memories) bool) error {
	out, err := m.list(ctx, user, ownMost)
	if err != nil || !read(out) {
		return err
	}
	cut, err := m.cut(ctx, user, len(out))
	if err == nil && cut {
		err = errMuch
	}
	return err
}

// list asks a server of one's own for at most so many memories of a user.
func (m *Provider) list(ctx context.Context, user string, most int) (memories, error) {
	var out memories
	err := m.client.Do(ctx, &provider.Exchange{
		Method: http.MethodGet, Path: "/memories", Query: url.Values{"user_id": {user}, "top_k": {strconv.Itoa(most)}}, Out: &out,
	})
	return out, err
}

// cut reports whether a list of so many memories may lack others. Versions of the server that do not look at
// how many they are asked for end each list after 20 or after 100.
func (m *Provider) cut(ctx context.Context, user string, listed int) (bool, error) {
	if listed != 20 && listed != 100 {
		return listed >= ownMost, nil
	}
	one, err := m.list(ctx, user, 1)
	return len(one) > 1, err
}

// maxRounds bounds how often the memories are listed again while they are deleted.
const maxRounds = 100

// Forget implements run.Provider.
func (m *Provider) Forget(ctx context.Context, p run.Place, ids []int64) (run.Passed, error) {
	user := provider.Joined(p)
	m.sure.Leave(user)
	var asked provider.Asked
	for range maxRounds {
		found, err := m.find(ctx, user, ids)
		if err != nil {
			return run.Passed{}, fmt.Errorf("list memories: %w", err)
		}
		if len(found) == 0 {
			return run.Passed{Confirmed: max(1, len(ids))}, nil
		}
		if found = asked.New(found); len(found) == 0 {
			break
		}
		if err := m.delete(ctx, found); err != nil {
			return run.Passed{}, err
		}
	}
	return run.Passed{Left: "Mem0 still has memories of it."}, nil
}

// find returns the memories of the first page that has some to delete, as parts of paths.
func (m *Provider) find(ctx context.Context, user string, ids []int64) (found []string, err error) {
	var bad error
	err = m.each(ctx, user, func(list memories) bool {
		for i := range list {
			part, err := provider.Part(list[i].ID)
			bad = cmp.Or(bad, err)
			if ids == nil || slices.Contains(ids, provider.IDOf(list[i].Metadata.Mark)) {
				found = append(found, part)
			}
		}
		return len(found) == 0 && bad == nil
	})
	return found, cmp.Or(bad, err)
}

func (m *Provider) delete(ctx context.Context, parts []string) error {
	for _, part := range parts {
		path := "/v1/memories/" + part + "/"
		if m.own {
			path = "/memories/" + part
		}
		if err := m.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: path}); err != nil && !provider.NoRow(err) {
			return fmt.Errorf("delete a memory: %w", err)
		}
	}
	return nil
}
