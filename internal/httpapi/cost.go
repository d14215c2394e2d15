package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// costJSON is the cost of a range of turns, in tokens. All fields are sums except the
// budget.
type costJSON struct {
	Turns   int             `json:"turns"`
	From    int64           `json:"from_seq"`
	To      int64           `json:"to_seq"`
	At      time.Time       `json:"at"`
	Context lineage.Context `json:"context"`
}

// cost answers GET /api/sessions/{id}/cost: the tokens sent over the lineage's life,
// compared with sending the whole history each time.
func (s *server) cost(w http.ResponseWriter, r *http.Request) error {
	points, err := number(r.URL.Query().Get("points"), "points", 60, 1000)
	if err != nil {
		return err
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	costs, err := s.Curator.Costs(r.Context(), ownerOf(r), &tip, points)
	if err != nil {
		return err
	}
	out := struct {
		Object    string     `json:"object"`
		SessionID session.ID `json:"session_id"`
		RootID    session.ID `json:"_lineage_root_id"`
		Turns     int        `json:"turns"`
		Sent      int        `json:"sent_tokens"`
		Naive     int        `json:"naive_tokens"`
		Data      []costJSON `json:"data"`
	}{Object: "hermes.cost", SessionID: tip.ID, RootID: tip.RootID, Data: []costJSON{}}
	for i := range costs {
		c := &costs[i]
		out.Turns += c.Turns
		out.Sent += c.Context.Sent
		out.Naive += c.Context.Naive
		out.Data = append(out.Data, costJSON{c.Turns, c.From, c.To, c.At, c.Context})
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeJSON(w, http.StatusOK, out)
}
