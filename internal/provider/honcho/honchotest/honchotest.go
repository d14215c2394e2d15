// Package honchotest is a strict fake of Honcho's API, version 3, for tests. It has the
// routes that package honcho uses, refuses what Honcho refuses, and deletes when the test
// says so.
package honchotest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/provider/providertest"
)

// Key is the key of the server.
const Key = "honcho-key"

// Server is a Honcho.
type Server struct {
	*providertest.Faults
	URL string
	// Represent replaces the representation of a peer; nil lists what the peer said.
	Represent func(workspace, peer string) string

	mu         sync.Mutex
	workspaces map[string]*workspace
	last       int
	hold       bool
	keepCards  bool
}

type workspace struct {
	sessions    map[string]*sessionRow
	peers       map[string]bool
	cards       map[string][]string
	conclusions []Conclusion
}

type sessionRow struct {
	peers    map[string]bool
	messages []Message
	deleted  bool // asked for, and not done
	gone     bool
}

// Message is a stored message.
type Message struct {
	ID        string         `json:"id"`
	Content   string         `json:"content"`
	Peer      string         `json:"peer_id"`
	Session   string         `json:"session_id"`
	Metadata  map[string]any `json:"metadata"`
	CreatedAt time.Time      `json:"created_at"`
	Workspace string         `json:"workspace_id"`
	Tokens    int            `json:"token_count"`
}

// Conclusion is something concluded about a peer.
type Conclusion struct {
	ID        string    `json:"id"`
	Content   string    `json:"content"`
	Observer  string    `json:"observer_id"`
	Observed  string    `json:"observed_id"`
	Session   *string   `json:"session_id"`
	CreatedAt time.Time `json:"created_at"`
}

// Start starts a Honcho until the end of the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{Faults: providertest.NewFaults(), workspaces: make(map[string]*workspace)}
	srv := httptest.NewServer(s.Wrap(s.routes()))
	t.Cleanup(func() {
		s.Close()
		srv.Close()
	})
	s.URL = srv.URL
	return s
}

// Hold keeps deletions from being done before [Server.Settle].
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = true
}

// Settle does all deletions that were asked for.
func (s *Server) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workspaces {
		for _, row := range w.sessions {
			if row.deleted {
				row.messages, row.gone = nil, true
			}
		}
	}
}

// Messages are the messages of a session, in the order in which they were stored.
func (s *Server) Messages(workspace, session string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.workspaces[workspace]; w != nil && w.sessions[session] != nil {
		return slices.Clone(w.sessions[session].messages)
	}
	return nil
}

// Workspaces are the names of the workspaces.
func (s *Server) Workspaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.workspaces))
}

// Sessions are the names of the sessions that have messages.
func (s *Server) Sessions(workspace string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	if w := s.workspaces[workspace]; w != nil {
		for name, row := range w.sessions {
			if len(row.messages) > 0 {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Conclude adds a conclusion about a peer, which outlives its session.
func (s *Server) Conclude(workspace, session, peer, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	w := s.workspaces[workspace]
	c := Conclusion{ID: "c" + strconv.Itoa(s.last), Content: text, Observer: peer, Observed: peer, Session: &session}
	w.conclusions = append(w.conclusions, c)
}

// Inscribe writes lines on the card of a peer, which outlives all sessions.
func (s *Server) Inscribe(workspace, peer string, lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workspaces[workspace].cards[peer] = lines
}

// KeepCards keeps cards as they are, whatever is asked for.
func (s *Server) KeepCards() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepCards = true
}

// Card is the card of a peer.
func (s *Server) Card(workspace, peer string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workspaces[workspace].cards[peer]
}

// Conclusions are the conclusions in a workspace.
func (s *Server) Conclusions(workspace string) []Conclusion {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.workspaces[workspace]; w != nil {
		return slices.Clone(w.conclusions)
	}
	return nil
}

var legal = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// maxContent is the longest message, in characters.
const maxContent = 25_000

// special matches what the counter of tokens does not take as text.
var special = regexp.MustCompile(`<\|(?:endoftext|endofprompt)\|>`)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request, *workspace){
		"POST /v3/workspaces/{w}/sessions":                   s.makeSession,
		"DELETE /v3/workspaces/{w}/sessions/{s}":             s.deleteSession,
		"POST /v3/workspaces/{w}/sessions/{s}/messages":      s.addMessages,
		"POST /v3/workspaces/{w}/sessions/{s}/messages/list": s.listMessages,
		"GET /v3/workspaces/{w}/peers/{p}/context":           s.context,
		"GET /v3/workspaces/{w}/peers/{p}/card":              s.card,
		"PUT /v3/workspaces/{w}/peers/{p}/card":              s.setCard,
		"POST /v3/workspaces/{w}/conclusions/list":           s.listConclusions,
		"DELETE /v3/workspaces/{w}/conclusions/{c}":          s.deleteConclusion,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+Key {
				fail(w, http.StatusUnauthorized, "Invalid API key")
				return
			}
			for _, part := range []string{"w", "s", "p", "c"} {
				if v := r.PathValue(part); v != "" && !legal.MatchString(v) {
					invalid(w, "String should match pattern")
					return
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			handle(w, r, s.workspaces[r.PathValue("w")])
		})
	}
	return mux
}

func fail(w http.ResponseWriter, status int, detail any) {
	answer(w, status, map[string]any{"detail": detail})
}

// invalid refuses a body, as a list of what is wrong.
func invalid(w http.ResponseWriter, msg string) {
	fail(w, http.StatusUnprocessableEntity, []map[string]any{{"loc": []string{"body"}, "msg": msg, "type": "value_error"}})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// read reads a body without unknown members.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil || dec.More() {
		invalid(w, "Extra inputs are not permitted")
		return false
	}
	return true
}

func (s *Server) makeSession(w http.ResponseWriter, r *http.Request, in *workspace) {
	var body struct {
		ID    string `json:"id"`
		Peers map[string]struct {
			Me     *bool `json:"observe_me"`
			Others *bool `json:"observe_others"`
		} `json:"peers"`
	}
	if !read(w, r, &body) {
		return
	}
	if !legal.MatchString(body.ID) {
		invalid(w, "String should match pattern")
		return
	}
	for name, peer := range body.Peers {
		if !legal.MatchString(name) || peer.Me == nil || peer.Others == nil {
			invalid(w, "peers")
			return
		}
	}
	if in == nil {
		in = &workspace{sessions: make(map[string]*sessionRow), peers: make(map[string]bool), cards: make(map[string][]string)}
		s.workspaces[r.PathValue("w")] = in
	}
	status, row := http.StatusOK, in.sessions[body.ID]
	if row != nil && (row.deleted || row.gone) {
		fail(w, http.StatusNotFound, "Session is being deleted")
		return
	}
	if row == nil {
		status, row = http.StatusCreated, &sessionRow{peers: make(map[string]bool)}
		in.sessions[body.ID] = row
	}
	for name := range body.Peers {
		in.peers[name], row.peers[name] = true, true
	}
	answer(w, status, map[string]any{
		"id": body.ID, "is_active": true, "workspace_id": r.PathValue("w"), "metadata": map[string]any{}, "configuration": map[string]any{},
		"created_at": time.Now().UTC(),
	})
}

// session is a session that exists; it answers 404 otherwise.
func (in *workspace) session(w http.ResponseWriter, r *http.Request) *sessionRow {
	if in != nil {
		if row := in.sessions[r.PathValue("s")]; row != nil && !row.gone {
			return row
		}
	}
	fail(w, http.StatusNotFound, "Session not found")
	return nil
}

func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request, in *workspace) {
	row := in.session(w, r)
	if row == nil {
		return
	}
	row.deleted = true
	if !s.hold {
		row.messages, row.gone = nil, true
	}
	answer(w, http.StatusAccepted, map[string]string{"message": "Session deletion accepted"})
}

func (s *Server) addMessages(w http.ResponseWriter, r *http.Request, in *workspace) {
	row := in.session(w, r)
	if row == nil {
		return
	}
	var body struct {
		Messages []struct {
			Content   *string        `json:"content"`
			Peer      string         `json:"peer_id"`
			Metadata  map[string]any `json:"metadata"`
			CreatedAt *time.Time     `json:"created_at"`
		} `json:"messages"`
	}
	if !read(w, r, &body) {
		return
	}
	if n := len(body.Messages); n < 1 || n > 100 {
		invalid(w, "List should have 1 to 100 items")
		return
	}
	var out []Message
	for _, m := range body.Messages {
		if m.Content == nil || utf8.RuneCountInString(*m.Content) > maxContent || !row.peers[m.Peer] || m.CreatedAt == nil {
			invalid(w, "String should have at most 25000 characters")
			return
		}
		if special.MatchString(*m.Content) {
			invalid(w, "Value error, Encountered text corresponding to disallowed special token.")
			return
		}
		s.last++
		out = append(out, Message{
			ID: "m" + strconv.Itoa(s.last), Content: *m.Content, Peer: m.Peer, Session: r.PathValue("s"), Metadata: m.Metadata,
			CreatedAt: *m.CreatedAt, Workspace: r.PathValue("w"), Tokens: len(*m.Content) / 4,
		})
	}
	row.messages = append(row.messages, out...)
	answer(w, http.StatusCreated, out)
}
