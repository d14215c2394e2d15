package graphiti

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

// fake is a Graphiti whose facts are what was said. They stay when an episode is deleted.
type fake struct {
	mu          sync.Mutex
	rows, facts []row
	last        int
	// dead says that the worker of its queue has ended, so that nothing is stored any more.
	dead bool
	// stubborn says that it claims to delete, and does not.
	stubborn bool
}

type row struct {
	UUID    string `json:"uuid"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Group   string `json:"group_id"`
}

var legalGroup = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (f *fake) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]http.HandlerFunc{
		"POST /messages": f.add, "POST /search": f.search, "GET /episodes/{group}": f.list, "DELETE /episode/{uuid}": f.remove,
		"DELETE /group/{group}": f.remove,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			defer f.mu.Unlock()
			handle(w, r)
		})
	}
	return mux
}

func (f *fake) add(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Group    string `json:"group_id"`
		Messages []struct {
			UUID      *string `json:"uuid"`
			Content   string  `json:"content"`
			Name      string  `json:"name"`
			RoleType  string  `json:"role_type"`
			Role      string  `json:"role"`
			Timestamp string  `json:"timestamp"`
			Source    string  `json:"source_description"`
		} `json:"messages"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil || !legalGroup.MatchString(in.Group) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	for _, m := range in.Messages {
		if !slices.Contains([]string{"user", "assistant", "system"}, m.RoleType) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		// An id is that of an episode which is there. The worker does not survive another one.
		f.dead = f.dead || m.UUID != nil && !slices.ContainsFunc(f.rows, func(r row) bool { return r.UUID == *m.UUID })
		if f.dead || m.UUID != nil {
			continue
		}
		f.last++
		f.rows = append(f.rows, row{fmt.Sprintf("episode-%d", f.last), m.Name, m.Content, in.Group})
		f.facts = append(f.facts, row{fmt.Sprintf("fact-%d", f.last), "SAID", m.Content, in.Group})
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write([]byte(`{"message":"Messages added to processing queue","success":true}`))
}

func (f *fake) of(group string) []row {
	out := []row{}
	for _, r := range f.rows {
		if r.Group == group {
			out = append(out, r)
		}
	}
	return out
}

func (f *fake) search(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Groups   []string `json:"group_ids"`
		Query    string   `json:"query"`
		MaxFacts int      `json:"max_facts"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Groups) != 1 {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	facts := []map[string]string{}
	for _, r := range f.facts {
		if r.Group == in.Groups[0] {
			facts = append(facts, map[string]string{"uuid": r.UUID, "name": r.Name, "fact": r.Content})
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"facts": facts})
}

func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	rows := f.of(r.PathValue("group"))
	n, err := strconv.Atoi(r.URL.Query().Get("last_n"))
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	_ = json.NewEncoder(w).Encode(rows[max(0, len(rows)-n):])
}

func (f *fake) remove(w http.ResponseWriter, r *http.Request) {
	had := len(f.rows)
	if group := r.PathValue("group"); group != "" && !f.stubborn {
		f.rows = slices.DeleteFunc(f.rows, func(m row) bool { return m.Group == group })
		f.facts = slices.DeleteFunc(f.facts, func(m row) bool { return m.Group == group })
	}
	f.rows = slices.DeleteFunc(f.rows, func(m row) bool { return !f.stubborn && m.UUID == r.PathValue("uuid") })
	if len(f.rows) == had && !f.stubborn && r.PathValue("uuid") != "" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"detail":"node %s not found"}`, r.PathValue("uuid"))
		return
	}
	_, _ = w.Write([]byte(`{"message":"deleted","success":true}`))
}

func TestContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) *providertest.Rig {
		t.Helper()
		f := &fake{}
		url, faults := providertest.Serve(t, f.handler())
		p, err := New(url, "")
		if err != nil {
			t.Fatal(err)
		}
		return &providertest.Rig{
			Provider: p, Faults: faults,
			Texts: func(p run.Place) []string {
				f.mu.Lock()
				defer f.mu.Unlock()
				var out []string
				for _, r := range f.of(provider.Joined(p)) {
					out = append(out, r.Content)
				}
				return out
			},
		}
	})
}

// TestForget: what Graphiti drew from a message goes with the whole place only, and counts as gone only if the
// list says so.
func TestForget(t *testing.T) {
	t.Parallel()
	place := providertest.Place("a")
	for name, want := range map[string]run.Passed{"deleted": {Confirmed: 1}, "claimed": {Left: "Graphiti still has 2 episodes."}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{stubborn: name == "claimed"}
			url, _ := providertest.Serve(t, f.handler())
			p, err := New(url, "")
			if err == nil {
				err = p.Told(t.Context(), place, providertest.Said(1, "I like tea.", "Noted."))
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Forget(t.Context(), place, []int64{1}); !errors.Is(err, run.ErrWholePlace) {
				t.Errorf("a message: got %+v, %v", got, err)
			}
			if got, err := p.Forget(t.Context(), place, nil); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			text, err := p.Recall(t.Context(), place, "What?", 100)
			if err != nil || (text == "") != (name == "deleted") {
				t.Errorf("recalled %q, %v", text, err)
			}
		})
	}
}
