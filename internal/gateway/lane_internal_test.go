package gateway

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// TestLanesKnow: a lane has what it was asked to do from who asked for it, unless more came before the lane looked.
func TestLanesKnow(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]bool{"asked once": false, "asked again": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				var got []any
				ls := &lanes{now: time.Now, log: slog.New(slog.DiscardHandler), active: make(map[laneKey]*lane)}
				ls.do = func(_ context.Context, _ task, l *lane) error {
					<-gate
					got = append(got, ls.known(l))
					return nil
				}
				ls.open(t.Context())
				ls.askKnowing(answering, owner.Local(), Place{Chat: "c"}, "one")
				if more {
					ls.ask(answering, owner.Local(), Place{Chat: "c"})
				}
				close(gate)
				ls.close()
				if !more && (len(got) != 1 || got[0] != "one") {
					t.Errorf("got %v, want what was asked for", got)
				}
				for _, known := range got {
					if more && known != nil {
						t.Errorf("got %v, want the store to be asked", got)
					}
				}
			})
		})
	}
}
