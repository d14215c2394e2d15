package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// hitJSON is a lineage with matching messages: its tip, and what matches.
type hitJSON struct {
	sessionJSON
	Score      float64     `json:"score"`
	MatchCount int         `json:"match_count"`
	Matches    []matchJSON `json:"matches"`
}

// matchJSON is a matching message. Highlights are positions in the snippet, in
// characters: the first one and the one after the last.
type matchJSON struct {
	MessageID  int64        `json:"message_id"`
	SessionID  session.ID   `json:"session_id"`
	Seq        int64        `json:"seq"`
	Role       session.Role `json:"role"`
	SaidAt     time.Time    `json:"said_at"`
	Snippet    string       `json:"snippet"`
	Highlights [][2]int     `json:"highlights"`
}

func hitOf(h *search.Hit) hitJSON {
	out := hitJSON{sessionJSON: sessionOf(&h.Session), Score: math.Round(h.Score*1e4) / 1e4, MatchCount: h.MatchCount, Matches: []matchJSON{}}
	for i := range h.Matches {
		m := &h.Matches[i]
		out.Matches = append(out.Matches, matchJSON{
			MessageID: m.MessageID, SessionID: m.SessionID, Seq: m.Seq, Role: m.Role, SaidAt: m.SaidAt,
			Snippet: m.Snippet.Text, Highlights: m.Snippet.Highlights,
		})
	}
	return out
}

// search answers GET /api/search: the lineages with matching messages, best first.
// Without a session id or key it searches all data of the caller.
func (s *server) search(w http.ResponseWriter, r *http.Request) error {
	req, err := s.searchRequest(r)
	if err != nil {
		return err
	}
	found, err := s.Search.Search(r.Context(), ownerOf(r), req)
	if err != nil {
		return err
	}
	out := struct {
		Object string `json:"object"`
		// Query is the query after parsing.
		Query   string    `json:"query"`
		Data    []hitJSON `json:"data"`
		Partial bool      `json:"partial"`
	}{Object: "list", Query: req.Query.String(), Data: []hitJSON{}, Partial: found.Partial}
	for i := range found.Hits {
		out.Data = append(out.Data, hitOf(&found.Hits[i]))
	}
	return writeJSON(w, http.StatusOK, out)
}

// reindex answers POST /api/search/rebuild: the text index, which all owners share, is
// rebuilt from the messages.
func (s *server) reindex(w http.ResponseWriter, r *http.Request) error {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a rebuild has no time limit
	if err := s.Search.Reindex(r.Context()); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.index", "rebuilt": true})
}

func (s *server) searchRequest(r *http.Request) (req search.Request, err error) {
	q := r.URL.Query()
	if q.Get("q") == "" {
		return req, fault.New(fault.Invalid, "query_required", "Say what to look for in \"q\".").At("q")
	}
	if req.Query, err = search.Parse(q.Get("q")); err != nil {
		return req, err
	}
	if req.Limit, err = number(q.Get("limit"), "limit", search.DefaultLimit, search.MaxLimit); err != nil {
		return req, err
	}
	if req.Matches, err = number(q.Get("matches"), "matches", search.DefaultMatches, search.MaxMatches); err != nil {
		return req, err
	}
	if req.From, err = instant(q.Get("from"), "from", "invalid_from", bound.DayStart); err != nil {
		return req, err
	}
	if req.To, err = instant(q.Get("to"), "to", "invalid_to", bound.DayOver); err != nil {
		return req, err
	}
	req.Source = session.Source(q.Get("source"))
	switch req.Role = session.Role(q.Get("role")); req.Role {
	case "", session.User, session.Assistant, session.Tool:
	default:
		return req, fault.New(fault.Invalid, "invalid_role",
			fmt.Sprintf("\"role\" is %s, %s or %s.", session.User, session.Assistant, session.Tool)).At("role")
	}
	req.Scope, err = s.searchScope(r)
	return req, err
}

// searchScope is the range of a search: the messages of a session key, those of a
// session's lineage, or all.
func (s *server) searchScope(r *http.Request) (search.Scope, error) {
	h, err := memoryHeaders(r)
	switch {
	case err != nil:
		return search.Scope{}, err
	case h.key != "":
		return search.Scope{Key: h.key}, nil
	case h.id == "":
		return search.Scope{All: true}, nil
	}
	tip, err := s.Sessions.Tip(r.Context(), ownerOf(r), h.id)
	return search.Scope{Root: tip.RootID}, err
}
