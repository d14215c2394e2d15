package mem0

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

// fake is a Mem0 that draws one memory from each message: what it says.
type fake struct {
	own bool

	mu   sync.Mutex
	rows []row
	last int
	page int // the size of pages, whatever is asked for; 0 for what is asked for
	// ends is where an own server ends its lists, whatever is asked for; 0 for one that lists what is asked for,
	// and 20 if nothing is.
	ends int
}

type row struct {
	ID       string         `json:"id"`
	Memory   string         `json:"memory"`
	Metadata map[string]any `json:"metadata"`
	user     string
}

func (f *fake) handler() http.Handler {
	mux := http.NewServeMux()
	routes := map[string]http.HandlerFunc{
		"POST /v3/memories/add/": f.add, "POST /v3/memories/search/": f.search, "POST /v2/memories/": f.list, "DELETE /v1/memories/{id}/": f.remove,
	}
	if f.own {
		routes = map[string]http.HandlerFunc{"POST /memories": f.add, "POST /search": f.search, "GET /memories": f.list, "DELETE /memories/{id}": f.remove}
	}
	for pattern, handle := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Token key" && !f.own || f.own && r.Header.Get("X-API-Key") != "key" {
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

func (f *fake) add(w http.ResponseWriter, r *http.Request) {
	var in struct {
		User     string         `json:"user_id"`
		Metadata map[string]any `json:"metadata"`
		Messages []struct {
			Role, Content, Name string
		} `json:"messages"`
		Timestamp int64 `json:"timestamp"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil || in.User == "" || len(in.Messages) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.last++
	f.rows = append(f.rows, row{strconv.Itoa(f.last), in.Messages[0].Content, in.Metadata, in.User})
	answer := map[string]any{"results": []any{}}
	if !f.own {
		answer = map[string]any{"message": "Memory processing has been queued for background execution", "status": "PENDING", "event_id": "e1"}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (f *fake) of(user string) []row {
	out := []row{}
	for _, r := range f.rows {
		if r.user == user {
			out = append(out, r)
		}
	}
	return out
}

func (f *fake) search(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Query   string            `json:"query"`
		Filters map[string]string `json:"filters"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Filters["user_id"] == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": f.of(in.Filters["user_id"])})
}

func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	user := r.URL.Query().Get("user_id")
	if f.own {
		most, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("top_k"), "20"))
		if most = cmp.Or(f.ends, most); err != nil || most > 1000 {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		rows := f.of(user)
		_ = json.NewEncoder(w).Encode(map[string]any{"results": rows[:min(most, len(rows))]})
		return
	}
	var in struct {
		Filters struct {
			And []map[string]string `json:"AND"`
		} `json:"filters"`
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Filters.And) != 1 || page < 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	rows := f.of(in.Filters.And[0]["user_id"])
	size := cmp.Or(f.page, pageSize)
	from := min((page-1)*size, len(rows))
	if from == len(rows) && page > 1 {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"detail":"Invalid page."}`))
		return
	}
	_ = json.NewEncoder(w).Encode(rows[from:min(from+size, len(rows))])
}

func (f *fake) pages(size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.page = size
}

func (f *fake) remove(w http.ResponseWriter, r *http.Request) {
	had := len(f.rows)
	f.rows = slices.DeleteFunc(f.rows, func(m row) bool { return m.ID == r.PathValue("id") })
	if len(f.rows) == had {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		t.Run(fmt.Sprintf("own server %v", own), func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, func(t *testing.T) *providertest.Rig {
				t.Helper()
				f := &fake{own: own}
				url, faults := providertest.Serve(t, f.handler())
				with := func(key string) run.Provider {
					p, err := open(url, key, own)
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
							out = append(out, r.Memory)
						}
						return out
					},
				}
			})
		})
	}
}

// TestOwnLists: a server of one's own ends its lists. What it does not list is not confirmed to be gone.
func TestOwnLists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends, rows int
		gone       bool
	}{
		"as asked": {0, 150, true}, "as asked, 20": {0, 20, true}, "as asked, 100": {0, 100, true}, "too many": {0, 1200, false},
		"of 20": {20, 25, false}, "of 100": {100, 150, false}, "of 100, whole": {100, 50, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{own: true, ends: c.ends}
			url, _ := providertest.Serve(t, f.handler())
			p, err := open(url, "key", true)
			if err != nil {
				t.Fatal(err)
			}
			place := providertest.Place("a")
			for i := range c.rows {
				f.rows = append(f.rows, row{
					ID: strconv.Itoa(i + 1), Memory: "x", Metadata: map[string]any{"hermes_id": strconv.Itoa(i + 1)}, user: provider.Joined(place),
				})
			}
			got, err := p.Forget(t.Context(), place, []int64{int64(c.rows)})
			if confirmed := err == nil && got.Left == ""; confirmed != c.gone || confirmed && len(f.rows) != c.rows-1 {
				t.Errorf("got %+v, %v, and %d of %d memories are left", got, err, len(f.rows), c.rows)
			}
		})
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	for url, own := range map[string]bool{"": false, "https://api.mem0.ai": false, "http://localhost:8888": true, "https://mem0.example.org": true} {
		p, err := New(url, "key")
		if err != nil || p.own != own {
			t.Errorf("%q: got own %v, %v", url, p.own, err)
		}
	}
}
