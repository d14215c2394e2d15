package honchotest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// list answers a page of rows.
func list[T any](w http.ResponseWriter, q url.Values, rows []T) {
	number, err := strconv.Atoi(q.Get("page"))
	if q.Has("page") && (err != nil || number < 1) {
		invalid(w, "page")
		return
	}
	size, err := strconv.Atoi(q.Get("size"))
	if err != nil || size < 1 || size > 100 {
		invalid(w, "size should be between 1 and 100")
		return
	}
	number = max(number, 1)
	from := min((number-1)*size, len(rows))
	answer(w, http.StatusOK, map[string]any{
		"items": append([]T{}, rows[from:min(from+size, len(rows))]...), "total": len(rows), "page": number, "size": size,
		"pages": (len(rows) + size - 1) / size,
	})
}

func (s *Server) listMessages(w http.ResponseWriter, r *http.Request, in *workspace) {
	row := in.session(w, r)
	if row == nil || !read(w, r, &struct{}{}) {
		return
	}
	rows := slices.Clone(row.messages)
	if r.URL.Query().Get("reverse") == "true" {
		slices.Reverse(rows)
	}
	list(w, r.URL.Query(), rows)
}

func (s *Server) context(w http.ResponseWriter, r *http.Request, in *workspace) {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"search_query", "search_top_k", "max_conclusions"}, name) {
			invalid(w, name)
			return
		}
	}
	if special.MatchString(q.Get("search_query")) {
		fail(w, http.StatusInternalServerError, "An unexpected error occurred")
		return
	}
	peer := r.PathValue("p")
	if in == nil || !in.peers[peer] {
		fail(w, http.StatusNotFound, "Peer not found")
		return
	}
	out := map[string]any{"peer_id": peer, "target_id": peer, "representation": nil, "peer_card": in.cards[peer]}
	if text := s.representation(r.PathValue("w"), in, peer); text != "" {
		out["representation"] = text
	}
	answer(w, http.StatusOK, out)
}

// card answers the card of a peer; null for none.
func (s *Server) card(w http.ResponseWriter, r *http.Request, in *workspace) {
	if in == nil || !in.peers[r.PathValue("p")] {
		fail(w, http.StatusNotFound, "Peer "+r.PathValue("p")+" not found in workspace "+r.PathValue("w"))
		return
	}
	answer(w, http.StatusOK, map[string]any{"peer_card": in.cards[r.PathValue("p")]})
}

func (s *Server) setCard(w http.ResponseWriter, r *http.Request, in *workspace) {
	var body struct {
		Card *[]string `json:"peer_card"`
	}
	if !read(w, r, &body) {
		return
	}
	if in == nil || body.Card == nil {
		invalid(w, "Field required")
		return
	}
	in.peers[r.PathValue("p")] = true
	if !s.keepCards {
		in.cards[r.PathValue("p")] = *body.Card
	}
	s.card(w, r, in)
}

// representation lists what a peer said, and what was concluded about it.
func (s *Server) representation(name string, in *workspace, peer string) string {
	if s.Represent != nil {
		return s.Represent(name, peer)
	}
	var lines []string
	for _, row := range in.sessions {
		for i := range row.messages {
			if m := &row.messages[i]; m.Peer == peer && !row.deleted {
				lines = append(lines, m.Content)
			}
		}
	}
	for i := range in.conclusions {
		if in.conclusions[i].Observed == peer {
			lines = append(lines, in.conclusions[i].Content)
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Server) listConclusions(w http.ResponseWriter, r *http.Request, in *workspace) {
	var body struct {
		Filters map[string]string `json:"filters"`
	}
	if !read(w, r, &body) {
		return
	}
	for name := range body.Filters {
		if name != "observer_id" && name != "observed_id" {
			invalid(w, name)
			return
		}
	}
	if in == nil {
		fail(w, http.StatusNotFound, "Workspace not found")
		return
	}
	var rows []Conclusion
	for _, c := range in.conclusions {
		if c.Observer == body.Filters["observer_id"] && c.Observed == body.Filters["observed_id"] {
			rows = append(rows, c)
		}
	}
	list(w, r.URL.Query(), rows)
}

func (s *Server) deleteConclusion(w http.ResponseWriter, r *http.Request, in *workspace) {
	if in != nil {
		for i := range in.conclusions {
			if in.conclusions[i].ID == r.PathValue("c") {
				in.conclusions = slices.Delete(in.conclusions, i, i+1)
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
	}
	fail(w, http.StatusNotFound, "Conclusion not found")
}
