// Package supermemory is the provider Supermemory. A place is a container tag, and a message
// is a document with an id of ours.
package supermemory

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// DefaultURL is Supermemory's own service.
const DefaultURL = "https://api.supermemory.ai"

// Provider is Supermemory.
type Provider struct{ client *provider.Client }

// New returns the provider at a URL; "" is its own service.
func New(base, key string) (*Provider, error) {
	if base == "" {
		base = DefaultURL
	}
	client, err := provider.NewClient(base, provider.Bearer("Bearer", key))
	return &Provider{client}, err
}

// StoresWithin implements provider.Slow: a document is queued, and read before it is stored.
func (*Provider) StoresWithin() time.Duration { return 10 * time.Minute }

// maxResults is how many memories a question brings.
const maxResults = 20

// maxQuestion is the longest question, in bytes.
const maxQuestion = 4000

// Recall implements run.Provider.
func (m *Provider) Recall(ctx context.Context, p run.Place, question string, _ int) (string, error) {
	var out struct {
		Results *[]struct {
			Memory *string `json:"memory"`
			Chunk  *string `json:"chunk"`
		} `json:"results"`
	}
	q := strings.ToValidUTF8(question[:min(len(question), maxQuestion)], "")
	err := m.client.Do(ctx, &provider.Exchange{
		Method: http.MethodPost, Path: "/v4/search", Out: &out, Limit: provider.MaxRecall,
		In: map[string]any{"q": q, "containerTag": provider.Joined(p), "limit": maxResults},
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("recall: %w", err)
	case out.Results == nil:
		return "", provider.Misshapen("no results")
	}
	var lines []string
	for _, r := range *out.Results {
		text := cmp.Or(r.Memory, r.Chunk)
		if text == nil {
			return "", provider.Misshapen("a result without a text")
		}
		lines = append(lines, *text)
	}
	return strings.Join(lines, "\n"), nil
}

// maxID is the longest id of a document, in characters.
const maxID = 100

// documentID is the id of a piece among all documents of an account. A tag that leaves no room for the mark
// is in it as a hash.
func documentID(tag, mark string) string {
	mark = "_" + strings.ReplaceAll(mark, ".", "_")
	if len(tag)+len(mark) > maxID {
		tag = short(tag)
	}
	return tag + mark
}

// short is a tag as the hash that ids have of it.
func short(tag string) string { return "hermes-" + provider.Digest(tag, 32) }

// messageOf is the message that the document with an id is of; 0 for another document than one of a tag.
func messageOf(tag, id string) int64 {
	for _, begin := range []string{tag, short(tag)} {
		if mark, ok := strings.CutPrefix(id, begin+"_"); ok {
			return provider.IDOf(strings.ReplaceAll(mark, "_", "."))
		}
	}
	return 0
}

// plain is a text that is not taken for an address: Supermemory fetches what a document consists of, if that is
// a link, and stores the page behind it in place of what was said.
func plain(text string) string {
	link := strings.Contains(text, "://") || strings.HasPrefix(strings.ToLower(text), "www.")
	if link && !strings.ContainsFunc(text, unicode.IsSpace) {
		return "The link " + text
	}
	return text
}

// Told implements run.Provider. A document with the same id is not stored again.
func (m *Provider) Told(ctx context.Context, p run.Place, said []run.Said) error {
	tag := provider.Joined(p)
	pieces := provider.Pieces(said)
	for i := range pieces {
		s := &pieces[i]
		var out struct {
			ID string `json:"id"`
		}
		err := m.client.Do(ctx, &provider.Exchange{Method: http.MethodPost, Path: "/v3/documents", Out: &out, In: map[string]any{
			"content": plain(s.Text), "customId": documentID(tag, s.Mark()), "containerTag": tag,
			"metadata": map[string]string{"role": string(s.Role), "speaker": s.Speaker, "said_at": s.At.UTC().Format(time.RFC3339)},
		}})
		if err == nil && out.ID == "" {
			err = provider.Misshapen("a document without an id")
		}
		if err != nil {
			return fmt.Errorf("add a document: %w", err)
		}
	}
	return nil
}

// document is a document in a list.
type document struct {
	ID       string `json:"id"`
	CustomID string `json:"customId"`
}

// pageSize is how many documents a page has, maxPages how many pages are read.
const pageSize, maxPages = 100, 100

// part is the document as a part of a path.
func (d *document) part() (string, error) {
	if d.CustomID != "" {
		return provider.Part(d.CustomID)
	}
	return provider.Part(d.ID)
}

// errMuch says that a tag has more documents than are read.
var errMuch = fault.New(fault.Upstream, "provider_answer", "Supermemory has more documents of the place than hermes reads.")

// find returns the documents of the first page of a tag that has some that are wanted, as
// parts of paths. The list ends with a page that has nothing new: the server may make its pages
// shorter than asked.
func (m *Provider) find(ctx context.Context, tag string, wanted func(id string) bool) ([]string, error) {
	var seen provider.Asked
	for n := 1; n <= maxPages; n++ {
		var out struct {
			Documents *[]document `json:"memories"`
		}
		err := m.client.Do(ctx, &provider.Exchange{
			Method: http.MethodPost, Path: "/v3/documents/list", Out: &out,
			In: map[string]any{"containerTags": []string{tag}, "limit": pageSize, "page": n},
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("list documents: %w", err)
		case out.Documents == nil:
			return nil, provider.Misshapen("a list without documents")
		}
		var found, all []string
		for _, d := range *out.Documents {
			part, err := d.part()
			if err != nil {
				return nil, err
			}
			all = append(all, part)
			if wanted(d.CustomID) {
				found = append(found, part)
			}
		}
		if len(found) > 0 || len(seen.New(all)) == 0 {
			return found, nil
		}
	}
	return nil, errMuch
}

// maxRounds bounds how often the documents are listed again while they are deleted.
const maxRounds = 100

// empty asks for the deletion of all documents of a tag. It proves nothing: they are listed afterwards, and what
// is left is deleted one by one, as with a server that does not know the request.
func (m *Provider) empty(ctx context.Context, tag string) error {
	in := map[string]any{"containerTags": []string{tag}}
	err := m.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: "/v3/documents/bulk", In: in})
	switch provider.StatusOf(err) {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusConflict:
		return nil
	}
	if err != nil {
		return fmt.Errorf("empty a tag: %w", err)
	}
	return nil
}

// Forget implements run.Provider.
func (m *Provider) Forget(ctx context.Context, p run.Place, ids []int64) (run.Passed, error) {
	tag := provider.Joined(p)
	wanted := func(id string) bool { return ids == nil || slices.Contains(ids, messageOf(tag, id)) }
	if ids == nil {
		if err := m.empty(ctx, tag); err != nil {
			return run.Passed{}, err
		}
	}
	var asked provider.Asked
	busy := 0
	for range maxRounds {
		found, err := m.find(ctx, tag, wanted)
		if err != nil {
			return run.Passed{}, err
		}
		if len(found) == 0 {
			return run.Passed{Confirmed: max(1, len(ids))}, nil
		}
		if found = asked.New(found); len(found) == 0 {
			break
		}
		for _, part := range found {
			err := m.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: "/v3/documents/" + part})
			switch {
			case provider.StatusOf(err) == http.StatusConflict: // it deletes nothing that it is reading
				busy++
			case err != nil && !provider.NoRow(err):
				return run.Passed{}, fmt.Errorf("delete a document: %w", err)
			}
		}
	}
	if busy > 0 {
		return run.Passed{Left: fmt.Sprintf("Supermemory is still reading %d documents of it, and does not delete them before.", busy)}, nil
	}
	return run.Passed{Left: "Supermemory still has documents of it."}, nil
}
