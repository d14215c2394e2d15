package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// workJSON is a queued task of a model, on the wire.
type workJSON struct {
	Object        string      `json:"object"`
	SessionID     session.ID  `json:"session_id"` // the first of its lineage
	Kind          curate.Work `json:"kind"`
	Status        string      `json:"status"` // waiting, running or failing
	Attempts      int         `json:"attempts"`
	NextAttemptAt *time.Time  `json:"next_attempt_at"`
	Error         *string     `json:"error"`
	UpdatedAt     time.Time   `json:"updated_at"`
}

func workOf(it *study.Item, now time.Time) workJSON {
	out := workJSON{
		Object: "hermes.work", SessionID: it.Root, Kind: it.Kind, Status: "waiting", Attempts: it.Attempts,
		Error: optional(it.Error), UpdatedAt: it.UpdatedAt,
	}
	switch {
	case it.Running && it.WakeAt.After(now):
		out.Status = "running"
		return out
	case it.Error != "":
		out.Status = "failing"
	}
	out.NextAttemptAt = optionalTime(it.WakeAt)
	return out
}

// listWork answers GET /api/work: the queued tasks of models for the caller's memory,
// by session.
func (s *server) listWork(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 50, 200)
	if err != nil {
		return err
	}
	f := study.Filter{Limit: limit + 1}
	if cursor := q.Get("cursor"); cursor != "" {
		// A kind has no colon; a session id may have several.
		kind, root, ok := strings.Cut(cursor, ":")
		if !ok {
			return fault.New(fault.Invalid, "invalid_cursor", "The cursor is not valid. Leave it out to begin with the first page.").At("cursor")
		}
		f.After = study.Due{Root: session.ID(root), Kind: curate.Work(kind)}
	}
	items, err := s.Work.Work(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	items, next := cutPage(items, limit, func(last *study.Item) string { return string(last.Kind) + ":" + string(last.Root) })
	now := s.Now()
	return writeJSON(w, http.StatusOK, pageOf(items, next, func(i *study.Item) workJSON { return workOf(i, now) }))
}
