package httpapi

import (
	"context"
	"encoding/hex"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// audited are the recorded routes: the action, the kind of the target, and the part of
// the path that names the target.
func audited() map[string]struct{ action, kind, part string } {
	return map[string]struct{ action, kind, part string }{
		"GET /api/sessions/export":      {"session.export", "", ""},
		"POST " + importPath:            {"session.import", "", ""},
		"POST /api/sessions/prune":      {"session.prune", "", ""},
		"DELETE /api/sessions/{id}":     {"session.delete", audit.Session, "id"},
		"POST /api/sessions/{id}/reset": {"session.reset", audit.Session, "id"},
		"POST /api/sessions/{id}/undo":  {"session.undo", audit.Session, "id"},

		"DELETE /v1/conversations/{id}":                 {"session.delete", audit.Session, "id"},
		"DELETE /v1/conversations/{id}/items/{item_id}": {"session.undo", audit.Session, "id"},

		"DELETE /v1/responses/{id}":   {"response.delete", audit.Response, "id"},
		"DELETE /v1/runs/{id}":        {"run.delete", audit.Run, "id"},
		"POST /v1/runs/{id}/approval": {"run.decide", audit.Run, "id"},
		"POST /v1/runs/{id}/stop":     {"run.stop", audit.Run, "id"},

		"POST /api/search/rebuild": {"search.rebuild", "", ""},
		"GET /api/backup":          {"backup.make", "", ""},

		"POST /api/memory":             {"memory.add", "", ""},
		"PATCH /api/memory/{fact_id}":  {"memory.edit", audit.Fact, "fact_id"},
		"DELETE /api/memory/{fact_id}": {"memory.delete", audit.Fact, "fact_id"},
		"POST /api/memory/forget":      {"memory.forget", "", ""},
		"POST /api/memory/rebuild":     {"memory.rebuild", "", ""},

		"POST /api/provider/backfill": {"provider.backfill", "", ""},
		"POST /api/provider/forget":   {"provider.forget", "", ""},

		"POST /api/jobs":             {"job.create", audit.Job, ""},
		"PATCH /api/jobs/{id}":       {"job.change", audit.Job, "id"},
		"DELETE /api/jobs/{id}":      {"job.delete", audit.Job, "id"},
		"POST /api/jobs/{id}/pause":  {"job.pause", audit.Job, "id"},
		"POST /api/jobs/{id}/resume": {"job.resume", audit.Job, "id"},
		"POST /api/jobs/{id}/run":    {"job.run", audit.Job, "id"},

		"DELETE " + signInPath:           {"page.sign_out", audit.PageToken, ""},
		"DELETE " + signInPath + "/{id}": {"page.sign_out", audit.PageToken, ""},
		"POST /api/page/codes":           {"page.code", audit.PageToken, ""},

		"POST /api/keys":        {"key.create", audit.Key, ""},
		"PATCH /api/keys/{id}":  {"key.change", audit.Key, ""},
		"DELETE /api/keys/{id}": {"key.revoke", audit.Key, ""},
	}
}

// recorded wraps the handler of a listed route, so that each request is audited. A
// request that changes data is audited in the transaction of the change.
func (s *server) recorded(rt route) func(http.ResponseWriter, *http.Request) error {
	a, listed := audited()[rt.method+" "+rt.path]
	if !listed || s.Audit == nil {
		return rt.handle
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		target := ""
		if a.part != "" {
			target = r.PathValue(a.part)
		}
		ctx, note := audit.With(r.Context(), ownerOf(r), s.Now, a.action, a.kind, target)
		err := rt.handle(w, r.WithContext(ctx))
		outcome := ""
		if err != nil {
			if a.kind != audit.Session {
				note.Names("") // the id is the caller's text and may name no record
			}
			outcome = asFault(err).Code
			if outcome == "" {
				outcome = "failed"
			}
		}
		if failed := note.Close(context.WithoutCancel(ctx), s.Audit, outcome); failed != nil {
			s.Log.ErrorContext(ctx, "the audit could not be written", "action", a.action, "err", failed)
		}
		return err
	}
}

// refusals bounds how often refused keys are recorded, so that guessing keys cannot
// fill the disk.
type refusals struct {
	mu    sync.Mutex
	last  time.Time
	since int
}

// refusalEvery is the minimum time between two entries.
const refusalEvery = time.Minute

// count reports whether to record a refusal now, and how many refusals the entry stands
// for.
func (f *refusals) count(now time.Time) (int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.since++
	if !f.last.IsZero() && now.Sub(f.last) < refusalEvery {
		return 0, false
	}
	n := f.since
	f.last, f.since = now, 0
	return n, true
}

// refused records that a key was not accepted.
func (s *server) refused(r *http.Request, err error) {
	if s.Audit == nil || fault.KindOf(err) != fault.Unauthenticated {
		return
	}
	now := s.Now()
	n, due := s.refusals.count(now)
	if !due {
		return
	}
	ctx, note := audit.With(r.Context(), owner.Local(), s.Now, "auth.refused", "", "")
	note.Detail("refused=" + strconv.Itoa(n))
	if err := note.Close(context.WithoutCancel(ctx), s.Audit, "invalid_api_key"); err != nil {
		s.Log.WarnContext(ctx, "the audit could not be written", "action", "auth.refused", "err", err)
	}
}

// entryJSON is an entry of the audit on the wire.
type entryJSON struct {
	Object     string    `json:"object"`
	Seq        int64     `json:"seq"`
	At         time.Time `json:"at"`
	Actor      string    `json:"actor"`
	Action     string    `json:"action"`
	TargetKind *string   `json:"target_kind"`
	Target     *string   `json:"target"`
	RequestID  *string   `json:"request_id"`
	Outcome    string    `json:"outcome"`
	Detail     *string   `json:"detail"`
	Hash       string    `json:"hash"`
}

// listAudit answers GET /api/audit: the caller's owner's entries, newest first.
func (s *server) listAudit(w http.ResponseWriter, r *http.Request) error {
	f, err := auditFilter(r)
	if err != nil {
		return err
	}
	limit := f.Limit
	f.Limit++
	list, err := s.Audit.Audit(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	list, next := cutPage(list, limit, func(last *audit.Entry) string { return strconv.FormatInt(last.Seq, 10) })
	return writeJSON(w, http.StatusOK, pageOf(list, next, entryOf))
}

func entryOf(e *audit.Entry) entryJSON {
	return entryJSON{
		Object: "hermes.audit_entry", Seq: e.Seq, At: e.At, Actor: e.Actor, Action: e.Action, TargetKind: optional(e.Kind),
		Target: optional(e.Target), RequestID: optional(e.RequestID), Outcome: e.Outcome, Detail: optional(e.Detail),
		Hash: hex.EncodeToString(e.Hash),
	}
}

// auditFilter reads the query of GET /api/audit.
func auditFilter(r *http.Request) (audit.Filter, error) {
	q := r.URL.Query()
	f := audit.Filter{Action: q.Get("action"), Actor: q.Get("actor"), Session: q.Get("session_id")}
	var err error
	if f.Limit, err = number(q.Get("limit"), "limit", 50, 200); err != nil {
		return f, err
	}
	if f.Since, err = instant(q.Get("since"), "since", "invalid_time", bound.DayStart); err != nil {
		return f, err
	}
	if f.Until, err = instant(q.Get("until"), "until", "invalid_time", bound.DayOver); err != nil {
		return f, err
	}
	if text := q.Get("cursor"); text != "" {
		if f.Before, err = strconv.ParseInt(text, 10, 64); err != nil || f.Before < 1 {
			return f, fault.New(fault.Invalid, "invalid_cursor", "The cursor is not valid. Leave it out to begin with the newest.").At("cursor")
		}
	}
	return f, nil
}

// verifyAudit answers GET /api/audit/verify: whether an entry was changed or
// taken out.
func (s *server) verifyAudit(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Audit.Audit(r.Context(), ownerOf(r), audit.Filter{})
	if err != nil {
		return err
	}
	v := audit.Verify(list)
	var broken *int64
	if v.Broken != 0 {
		broken = &v.Broken
	}
	return writeJSON(w, http.StatusOK, map[string]any{
		"object": "hermes.audit_verdict", "intact": broken == nil, "entries": v.Entries, "first_seq": v.First, "last_seq": v.Last,
		"last_hash": hex.EncodeToString(v.Hash), "broken_at": broken,
	})
}
