package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// scopeJSON is a scope of memory: a session key, or a lineage without one.
type scopeJSON struct {
	Object     string     `json:"object"`
	Key        *string    `json:"session_key"`
	RootID     *string    `json:"_lineage_root_id"`
	Title      *string    `json:"title"`
	Facts      int        `json:"facts"`
	Sessions   int        `json:"sessions"`
	LastSaidAt *time.Time `json:"last_said_at"`
}

// listScopes answers GET /api/memory/scopes, the scope with the newest message first.
func (s *server) listScopes(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 50, 200)
	if err != nil {
		return err
	}
	f := session.MemoryFilter{Query: q.Get("q"), Limit: limit + 1}
	if text := q.Get("cursor"); text != "" {
		if f.Before, err = strconv.ParseInt(text, 10, 64); err != nil || f.Before < 1 {
			return fault.New(fault.Invalid, "invalid_cursor", "The cursor is not valid. Leave it out to begin with the first page.").At("cursor")
		}
	}
	rows, err := s.Catalog.Memories(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	var next *string
	if len(rows) > limit {
		rows = rows[:limit]
		cursor := strconv.FormatInt(rows[limit-1].Newest, 10)
		next = &cursor
	}
	data := []scopeJSON{}
	for i := range rows {
		row := &rows[i]
		data = append(data, scopeJSON{
			Object: "hermes.scope", Key: optional(row.Key), RootID: optional(row.Root), Title: optional(row.Title),
			Facts: row.Facts, Sessions: row.Sessions, LastSaidAt: optionalTime(row.SaidAt),
		})
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data, "has_more": next != nil, "next_cursor": next})
}
