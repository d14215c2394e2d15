package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// resetSession answers POST /api/sessions/{id}/reset: the session ends and a new
// one takes its place.
func (s *server) resetSession(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	next, err := s.Curator.Reset(r.Context(), ownerOf(r), tip.ID)
	if err != nil {
		return err
	}
	setSession(w.Header(), next.ID, next.RootID)
	return writeJSON(w, http.StatusCreated, oneSession(&next, nil))
}

// compressSession answers POST /api/sessions/{id}/compress.
func (s *server) compressSession(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	folded, err := s.Curator.Compress(r.Context(), ownerOf(r), tip.ID)
	if err != nil {
		return err
	}
	out := struct {
		sessionReply
		Compressed bool   `json:"compressed"`
		Reason     string `json:"reason,omitempty"`
	}{oneSession(&folded.Session, nil), folded.Compressed, folded.Reason}
	setSession(w.Header(), folded.Session.ID, folded.Session.RootID)
	return writeJSON(w, http.StatusOK, out)
}

// forkSession answers POST /api/sessions/{id}/fork: it copies the transcript up to a
// message into a new lineage.
func (s *server) forkSession(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		MessageID *int64 `json:"message_id"`
		Title     string `json:"title"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	b := &curate.Branch{Owner: ownerOf(r), Session: tip.ID}
	if in.MessageID != nil {
		if *in.MessageID <= 0 {
			return fault.New(fault.Invalid, "invalid_message_id", "\"message_id\" must be the id of a message of this session.").At("message_id")
		}
		b.MessageID = *in.MessageID
	}
	if b.Title, err = parseTitle(in.Title); err != nil {
		return err
	}
	branch, err := s.Curator.Fork(r.Context(), b)
	if err != nil {
		return err
	}
	setSession(w.Header(), branch.ID, branch.RootID)
	return writeJSON(w, http.StatusCreated, oneSession(&branch, nil))
}

// undoExchange answers POST /api/sessions/{id}/undo: it undoes the last exchange.
func (s *server) undoExchange(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	back, err := s.Curator.Undo(r.Context(), ownerOf(r), tip.ID)
	if err != nil {
		return err
	}
	out := struct {
		sessionReply
		Undone int    `json:"undone"`
		Text   string `json:"text"`
	}{oneSession(&back.Session, nil), back.Messages, back.Text}
	setSession(w.Header(), back.Session.ID, back.Session.RootID)
	return writeJSON(w, http.StatusOK, out)
}

// sessionStats answers GET /api/sessions/stats. The size is that of the whole database,
// so only the local owner is shown it.
func (s *server) sessionStats(w http.ResponseWriter, r *http.Request) error {
	o := ownerOf(r)
	stats, err := s.Catalog.Stats(r.Context(), o)
	if err != nil {
		return err
	}
	type source struct {
		Source   session.Source `json:"source"`
		Sessions int64          `json:"sessions"`
	}
	out := struct {
		Object   string   `json:"object"`
		Sessions int64    `json:"total_sessions"`
		Messages int64    `json:"total_messages"`
		Undone   int64    `json:"undone_messages"`
		Sources  []source `json:"sources"`
		Bytes    *int64   `json:"database_bytes"`
	}{Object: "hermes.stats", Sessions: stats.Sessions, Messages: stats.Messages, Undone: stats.Undone, Sources: []source{}}
	for _, c := range stats.Sources {
		out.Sources = append(out.Sources, source{c.Source, c.Sessions})
	}
	if o.ID() == owner.LocalID {
		out.Bytes = &stats.Bytes
	}
	return writeJSON(w, http.StatusOK, out)
}

const (
	// pruneDays is the default age at which ended sessions are deleted.
	pruneDays = 90
	// maxPruneDays is a hundred years: more is a typing error.
	maxPruneDays = 36500
)

// pruneSessions answers POST /api/sessions/prune: it deletes ended sessions that have
// not been used for long.
func (s *server) pruneSessions(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		OlderThanDays *float64 `json:"older_than_days"`
		Source        string   `json:"source"`
		Limit         int      `json:"limit"`
		DryRun        bool     `json:"dry_run"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	days := float64(pruneDays)
	if in.OlderThanDays != nil {
		days = *in.OlderThanDays
	}
	if days < 0 || days > maxPruneDays {
		return fault.New(fault.Invalid, "invalid_older_than_days", "\"older_than_days\" must be a number from 0 to 36500.").At("older_than_days")
	}
	if in.Limit < 0 {
		return fault.New(fault.Invalid, "invalid_limit", "\"limit\" must be a number from 1.").At("limit")
	}
	if in.DryRun {
		audit.From(r.Context()).Skip()
	}
	out, err := s.Curator.Prune(r.Context(), &curate.Prune{
		Owner: ownerOf(r), Before: s.Now().UTC().Add(-time.Duration(days * float64(24*time.Hour))), Source: session.Source(in.Source),
		Limit: in.Limit, DryRun: in.DryRun,
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{
		"object": "hermes.prune", "dry_run": in.DryRun, "sessions": out.Sessions, "messages": out.Messages, "left": out.Left,
	})
}
