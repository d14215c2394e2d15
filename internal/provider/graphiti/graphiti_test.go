package graphiti

import (
	"encoding/json"
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

// fake is a Graphiti whose facts are what was said.
type fake struct {
	mu   sync.Mutex
	rows []row
	// stubborn says that it claims to delete single episodes, and does not.
	stubborn bool
}

type row struct {
	UUID    string `json:"uuid"`
	Content string `json:"content"`
	Group   string `json:"group_id"`
}

var (
	legalGroup = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	legalUUID  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

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
			UUID      string `json:"uuid"`
			Content   string `json:"content"`
			Name      string `json:"name"`
			RoleType  string `json:"role_type"`
			Role      string `json:"role"`
			Timestamp string `json:"timestamp"`
			Source    string `json:"source_description"`
		} `json:"messages"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil || !legalGroup.MatchString(in.Group) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	for _, m := range in.Messages {
		if !legalUUID.MatchString(m.UUID) || !slices.Contains([]string{"user", "assistant", "system"}, m.RoleType) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		f.rows = append(f.rows, row{m.UUID, m.Content, in.Group})
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
	for _, r := range f.of(in.Groups[0]) {
		facts = append(facts, map[string]string{"uuid": r.UUID, "name": "SAID", "fact": r.Content})
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
	f.rows = slices.DeleteFunc(f.rows, func(m row) bool {
		return !f.stubborn && m.UUID == r.PathValue("uuid") || m.Group == r.PathValue("group")
	})
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
			Provider: p, Faults: faults, Single: true,
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

// TestForgetOld: messages behind the end of Graphiti's list are deleted by their ids. They are
// confirmed only if the server says that it does not have them any more.
func TestForgetOld(t *testing.T) {
	t.Parallel()
	place := run.Place{Workspace: "w", Session: "s", User: "u", Assistant: "hermes"}
	for name, want := range map[string]run.Passed{
		"deleted": {Confirmed: 2}, "claimed": {Left: "Graphiti still has 2 episodes."}, "absent": {Confirmed: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{stubborn: name == "claimed"}
			url, _ := providertest.Serve(t, f.handler())
			p, err := New(url, "")
			if err != nil {
				t.Fatal(err)
			}
			group := provider.Joined(place)
			if name != "absent" {
				for _, part := range []int{1, 2, 3} { // of which an attempt was interrupted
					f.rows = append(f.rows, row{episodeOf(group, 7, part), "old", group}, row{episodeOf(group, 8, part+1), "old", group})
				}
			}
			for id := range int64(maxEpisodes + 5) {
				f.rows = append(f.rows, row{episodeOf(group, 100+id, 1), "newer", group})
			}
			got, err := p.Forget(t.Context(), place, []int64{7, 8})
			if err != nil || got != want {
				t.Errorf("got %+v %v, want %+v", got, err, want)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if old := slices.ContainsFunc(f.rows, func(r row) bool { return r.Content == "old" }); old != f.stubborn {
				t.Errorf("got old episodes: %v", old)
			}
		})
	}
}
