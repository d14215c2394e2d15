package supermemory

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

// fake is a Supermemory whose memories are its documents.
type fake struct {
	mu     sync.Mutex
	rows   []row
	page   int  // the most documents of a page, whatever is asked for
	single bool // there is no route that deletes all documents of a tag
	busy   bool // documents are still read, and cannot be deleted
}

type row struct {
	ID       string `json:"id"`
	CustomID string `json:"customId"`
	content  string
	tag      string
}

func (f *fake) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]http.HandlerFunc{
		"POST /v3/documents": f.add, "POST /v4/search": f.search, "POST /v3/documents/list": f.list, "DELETE /v3/documents/{id}": f.remove,
		"DELETE /v3/documents/bulk": f.empty,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer key" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			handle(w, r)
		})
	}
	return mux
}

// legal matches the ids and tags that the API takes.
var legal = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func (f *fake) add(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Content  string            `json:"content"`
		CustomID string            `json:"customId"`
		Tag      string            `json:"containerTag"`
		Metadata map[string]string `json:"metadata"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil || !legal.MatchString(in.CustomID) || !legal.MatchString(in.Tag) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	i := slices.IndexFunc(f.rows, func(had row) bool { return had.CustomID == in.CustomID })
	if i < 0 {
		i = len(f.rows)
		f.rows = append(f.rows, row{ID: strconv.Itoa(i), CustomID: in.CustomID})
	}
	f.rows[i].content, f.rows[i].tag = in.Content, in.Tag
	_ = json.NewEncoder(w).Encode(map[string]string{"id": f.rows[i].ID, "status": "queued"})
}

func (f *fake) of(tag string) []row {
	out := []row{}
	for _, r := range f.rows {
		if r.tag == tag {
			out = append(out, r)
		}
	}
	return out
}

func (f *fake) search(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Q     string `json:"q"`
		Tag   string `json:"containerTag"`
		Limit int    `json:"limit"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Tag == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	results := []map[string]any{}
	for _, r := range f.of(in.Tag) {
		results = append(results, map[string]any{"id": r.ID, "memory": r.content, "similarity": 0.9})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": results, "total": len(results)})
}

func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Tags  []string `json:"containerTags"`
		Limit int      `json:"limit"`
		Page  int      `json:"page"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Tags) != 1 || in.Page < 1 || in.Limit > 100 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	rows := f.of(in.Tags[0])
	if f.page > 0 {
		in.Limit = f.page
	}
	from := min((in.Page-1)*in.Limit, len(rows))
	_ = json.NewEncoder(w).Encode(map[string]any{"memories": rows[from:min(from+in.Limit, len(rows))], "pagination": map[string]int{"currentPage": in.Page}})
}

func (f *fake) pages(size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.page = size
}

// empty deletes the documents of tags, except those that are still read.
func (f *fake) empty(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Tags []string `json:"containerTags"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Tags) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if f.single {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	had := len(f.rows)
	if !f.busy {
		f.rows = slices.DeleteFunc(f.rows, func(m row) bool { return slices.Contains(in.Tags, m.tag) })
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "deletedCount": had - len(f.rows)})
}

func (f *fake) remove(w http.ResponseWriter, r *http.Request) {
	if f.busy {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"error":"Document is still processing"}`)
		return
	}
	had := len(f.rows)
	f.rows = slices.DeleteFunc(f.rows, func(m row) bool { return m.CustomID == r.PathValue("id") })
	if len(f.rows) == had {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// provider returns a provider of the fake, and the faults of the connection to it.
func (f *fake) provider(t *testing.T) (*Provider, *providertest.Faults) {
	t.Helper()
	url, faults := providertest.Serve(t, f.handler())
	p, err := New(url, "key")
	if err != nil {
		t.Fatal(err)
	}
	return p, faults
}

// TestLongPlace: the ids of documents are short enough in a place with the longest name, too. Those that an
// earlier version stored with the whole name are found.
func TestLongPlace(t *testing.T) {
	t.Parallel()
	f := &fake{}
	p, _ := f.provider(t)
	at := run.Place{Workspace: strings.Repeat("w", 100), Session: strings.Repeat("s", 100), User: "user", Assistant: "hermes"}
	said := providertest.Said(1<<53-3, "one", strings.Repeat("x", 25_001), "three")
	for range 2 {
		if err := p.Told(t.Context(), at, said); err != nil {
			t.Fatal(err)
		}
	}
	tag := provider.Joined(at)
	f.rows = append(f.rows, row{ID: "old", CustomID: tag + "_" + strconv.Itoa(1<<53-3), content: "one", tag: tag})
	if len(f.rows) != 5 {
		t.Errorf("got %d documents, want 4 and the old one", len(f.rows))
	}
	if got, err := p.Forget(t.Context(), at, []int64{1<<53 - 3, 1<<53 - 2}); err != nil || got.Confirmed != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(f.rows) != 1 || f.rows[0].content != "three" {
		t.Errorf("got %d documents left", len(f.rows))
	}
}

// TestStillRead: a document that is still being read cannot be deleted. That is no failure of the server, which is
// asked again later. All documents are tried.
func TestStillRead(t *testing.T) {
	t.Parallel()
	f := &fake{}
	p, _ := f.provider(t)
	at := providertest.Place("a")
	if err := p.Told(t.Context(), at, providertest.Said(1, "one", "two")); err != nil {
		t.Fatal(err)
	}
	f.busy = true
	if got, err := p.Forget(t.Context(), at, []int64{1}); err != nil || got.Confirmed != 0 || got.Left == "" {
		t.Errorf("while it is read: got %+v, %v", got, err)
	}
	f.busy = false
	if got, err := p.Forget(t.Context(), at, []int64{1}); err != nil || got.Confirmed != 1 || got.Left != "" {
		t.Errorf("afterwards: got %+v, %v", got, err)
	}
}

// TestEmptied: a place is emptied with a few requests, however much it has, and by a server without the route for
// that, too.
func TestEmptied(t *testing.T) {
	t.Parallel()
	for _, single := range []bool{false, true} {
		f := &fake{single: single}
		p, faults := f.provider(t)
		at, other := providertest.Place("a"), providertest.Place("b")
		for _, place := range []run.Place{at, other} {
			if err := p.Told(t.Context(), place, providertest.Said(1, slices.Repeat([]string{"tea"}, 250)...)); err != nil {
				t.Fatal(err)
			}
		}
		before := len(faults.Requests())
		if got, err := p.Forget(t.Context(), at, nil); err != nil || got.Confirmed != 1 || got.Left != "" {
			t.Errorf("got %+v, %v", got, err)
		}
		if n := len(faults.Requests()) - before; n > 2 && !single {
			t.Errorf("%d requests", n)
		}
		if len(f.of(provider.Joined(at))) != 0 || len(f.of(provider.Joined(other))) != 250 {
			t.Errorf("%d documents are left", len(f.rows))
		}
	}
}

// TestLink: a message that is nothing but a link is not taken for the page behind it.
func TestLink(t *testing.T) {
	t.Parallel()
	f := &fake{}
	p, _ := f.provider(t)
	at := providertest.Place("a")
	said := providertest.Said(1, "https://example.org/private?id=7", "HTTP://example.org and more", "See https://example.org", "www.example.org/a", "tea.\nCake.")
	if err := p.Told(t.Context(), at, said); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"The link https://example.org/private?id=7", "HTTP://example.org and more", "See https://example.org",
		"The link www.example.org/a", "tea.\nCake.",
	}
	for i, r := range f.rows {
		if r.content != want[i] {
			t.Errorf("got %q, want %q", r.content, want[i])
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) *providertest.Rig {
		t.Helper()
		f := &fake{}
		url, faults := providertest.Serve(t, f.handler())
		with := func(key string) run.Provider {
			p, err := New(url, key)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		return &providertest.Rig{
			Provider: with("key"), Stranger: with("wrong"), Faults: faults, Single: true, Pages: f.pages,
			Texts: func(p run.Place) []string {
				f.mu.Lock()
				defer f.mu.Unlock()
				var out []string
				for _, r := range f.of(provider.Joined(p)) {
					out = append(out, r.content)
				}
				return out
			},
		}
	})
}
