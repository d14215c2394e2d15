package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// Transcripts keeps the transcripts as files.
type Transcripts interface {
	// Rebuild compares all files with the store, and mends them. It counts what the owner
	// has.
	Rebuild(ctx context.Context, o owner.Owner) (transcript.Count, error)
}

// mirrorSessions answers POST /api/sessions/mirror: the transcripts in files are compared
// with the database, and mended.
func (s *server) mirrorSessions(w http.ResponseWriter, r *http.Request) error {
	if s.Transcripts == nil {
		return fault.New(fault.Conflict, "transcripts_off", "This server keeps no transcripts as files. Set transcripts.enabled to true and start it again.")
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // it has no time limit
	out, err := s.Transcripts.Rebuild(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.mirror", "sessions": out.Sessions, "messages": out.Messages})
}
