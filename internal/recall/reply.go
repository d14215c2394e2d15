package recall

import (
	"context"

	"github.com/hermes-memory/hermes/internal/run"
)

// reply is the answer without its mark.
func reply(_ context.Context, q *run.Question) (string, error) {
	if newest(q.Input).Content == "" {
		return greeting, nil
	}
	return unknown, nil
}
