package cli

import (
	"context"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// setFiles makes the keeper of the files that people send, and removes what an earlier process
// has left of files.
func (s *server) setFiles(ctx context.Context) error {
	s.files = attachment.New(attachment.Parts{Store: s.db, Home: s.cfg.Home, Now: s.now, Log: s.log})
	return s.files.Mend(ctx)
}

// images are the images that models are sent; nil for none.
func (s *server) images() run.Images {
	if !s.cfg.Gateway.Vision {
		return nil
	}
	return s.files
}

// transcriber writes voice messages down; nil if no model does.
func (s *server) transcriber() gateway.Transcriber {
	model := s.cfg.Gateway.Transcribe
	if model == "" || s.choice.Transcriber == nil {
		return nil
	}
	return s.choice.Transcriber(model)
}

// tellFiles logs a configured model that is not available.
func (s *server) tellFiles() {
	if s.cfg.Gateway.Transcribe != "" && s.choice.Transcriber == nil {
		s.log.Warn("gateway.transcribe_model is set, but the model server in use has no transcriptions: voice messages are kept, and are not transcribed")
	}
}
