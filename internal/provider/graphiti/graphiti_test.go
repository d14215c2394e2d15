package graphiti

import (
	"encoding/json"
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
	f.rows = slices.DeleteFunc(f.rows, func(m row) bool { return m.UUID == r.PathValue("uuid") || m.Group == r.PathValue("group") })
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
