package cli

import (
	"context"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// setMirror makes the mirror of transcripts. If transcripts are off, the files of an earlier
// run are removed: nothing would keep them right, and a forgetting would not reach them.
func (s *server) setMirror(bell transcript.Bell) error {
	if !s.cfg.Transcripts.Enabled || s.transcripts == nil {
		return transcript.Remove(s.cfg.Home)
	}
	s.mirror = transcript.New(transcript.Parts{Store: s.transcripts, Home: s.cfg.Home, Bell: bell, Now: s.now, Log: s.log})
	return nil
}

// mirrorNow brings the files of an owner up to date; nil if there are none.
func (s *server) mirrorNow() func(context.Context, owner.Owner) error {
	if s.mirror == nil {
		return nil
	}
	return s.mirror.Flush
}
