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
	rows, next := cutPage(rows, limit, func(last *session.MemoryRow) string { return strconv.FormatInt(last.Newest, 10) })
	return writeJSON(w, http.StatusOK, pageOf(rows, next, scopeOf))
}

func scopeOf(m *session.MemoryRow) scopeJSON {
	return scopeJSON{
		Object: "hermes.scope", Key: optional(m.Key), RootID: optional(m.Root), Title: optional(m.Title),
		Facts: m.Facts, Sessions: m.Sessions, LastSaidAt: optionalTime(m.SaidAt),
	}
}
