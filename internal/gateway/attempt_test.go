package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// uneditable is a wire that takes no edits for a time.
type uneditable struct {
	*wire
	err   error // of all edits; nil to take them. Guarded by mu.
	tries int   // guarded by mu
}

func (u *uneditable) Edit(ctx context.Context, m gateway.MessageID, o *gateway.Out) error {
	u.mu.Lock()
	u.tries++
	err := u.err
	u.mu.Unlock()
	if err != nil {
		return err
	}
	return u.wire.Edit(ctx, m, o)
}

// TestEditsBackOff: the last text of an answer that a platform does not take is tried at growing
// intervals, as a message is, and arrives once the platform takes it.
func TestEditsBackOff(t *testing.T) {
	t.Parallel()
	for name, reason := range map[string]gateway.SendReason{"temporary": gateway.Temporary, "unknown": gateway.Unknown} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := writing(t, 3*time.Second, kettle, "It is done.")
				h.end()
				u := &uneditable{wire: h.wire, err: &gateway.SendError{Reason: reason, Text: "Out of order."}}
				h.adapter = u
				h.begin()
				defer h.end()
				h.receive(h.dm(ada, "Is there tea?"))
				pass(10 * time.Second)
				u.mu.Lock()
				u.tries = 0
				u.mu.Unlock()
				pass(time.Hour)
				u.mu.Lock()
				if u.tries == 0 || u.tries > 70 {
					t.Errorf("the edit was tried %d times in an hour, want about once a minute", u.tries)
				}
				u.err = nil
				u.mu.Unlock()
				pass(2 * time.Minute)
				want(t, "what people see", h.wire.said(), []string{kettle + "It is done."})
			})
		})
	}
}
