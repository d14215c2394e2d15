package http_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	httpprovider "github.com/hermes-memory/hermes/internal/provider/http"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

// server speaks the protocol of docs/providers.md.
type server struct {
	whole bool // it cannot erase single messages

	mu     sync.Mutex
	places map[string][]message
}

type message struct {
	ID      int64  `json:"id"`
	Part    int    `json:"part"`
	Role    string `json:"role"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	At      string `json:"at"`
}

// request has the members of all requests.
type request struct {
	Place struct {
		Workspace string `json:"workspace"`
		Session   string `json:"session"`
		User      string `json:"user"`
		Assistant string `json:"assistant"`
	} `json:"place"`
	Messages []message `json:"messages"`
	Question string    `json:"question"`
	Tokens   int       `json:"tokens"`
	IDs      []int64   `json:"ids"`
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in request
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	switch {
	case r.Header.Get("Authorization") != "Bearer key":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.Method != http.MethodPost || dec.Decode(&in) != nil || len(in.Messages) > 100:
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := in.Place.Workspace + "/" + in.Place.Session
	var out any
	switch r.URL.Path {
	case "/told":
		for _, m := range in.Messages {
			if !slices.ContainsFunc(s.places[name], func(had message) bool { return had.ID == m.ID && had.Part == m.Part }) {
				s.places[name] = append(s.places[name], m)
			}
		}
		w.WriteHeader(http.StatusNoContent)
		return
	case "/recall":
		var lines []string
		for _, m := range s.places[name] {
			lines = append(lines, m.Text)
		}
		out = map[string]string{"text": strings.Join(lines, "\n")}
	case "/forget":
		if in.IDs != nil && s.whole {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		s.places[name] = slices.DeleteFunc(s.places[name], func(m message) bool { return in.IDs == nil || slices.Contains(in.IDs, m.ID) })
		out = map[string]any{"confirmed": 1, "left": ""}
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *server) texts(p run.Place) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, m := range s.places[p.Workspace+"/"+p.Session] {
		out = append(out, m.Text)
	}
	return out
}

func TestContract(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]bool{"single messages": false, "whole places": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, func(t *testing.T) *providertest.Rig {
				t.Helper()
				s := &server{whole: whole, places: make(map[string][]message)}
				url, faults := providertest.Serve(t, s)
				open := func(key string) run.Provider {
					p, err := httpprovider.New(url, key)
					if err != nil {
						t.Fatal(err)
					}
					return p
				}
				return &providertest.Rig{Provider: open("key"), Stranger: open("wrong"), Faults: faults, Texts: s.texts, Single: !whole, Terse: true}
			})
		})
	}
}
