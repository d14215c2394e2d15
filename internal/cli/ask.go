package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/hermes-memory/hermes/internal/openai"
)

// askOnce asks one question and prints the answer. Standard output gets only the
// answer: unchanged, or rendered if it is a terminal. The session's id goes to standard
// error.
func (a *app) askOnce(ctx context.Context, f *chatFlags, question string) (err error) {
	api, err := a.connectChat(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.close()) }()
	conv := &conversation{api: api, key: f.key, model: f.model}
	if _, err := f.open(ctx, conv); err != nil {
		return err
	}
	var answer strings.Builder
	out := a.answerWriter(&answer)
	err = conv.ask(ctx, question, func(p openai.Piece) { out.WriteString(p.Content + p.Refusal) })
	out.Close()
	_, leaveErr := leave(ctx, conv)
	if err := errors.Join(err, leaveErr); err != nil {
		a.tell("session %s", conv.session.ID)
		return err
	}
	if a.json {
		return a.printJSON(struct {
			SessionID string `json:"session_id"`
			Answer    string `json:"answer"`
			*replyNotes
		}{conv.session.ID, answer.String(), conv.last})
	}
	a.tell("session %s", conv.session.ID)
	return nil
}
