package claim

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// Hold returns a context for work under a lease and renews the lease three times within
// its length. The context ends when renew reports false, because another worker then
// has the work. stop ends the context and returns once renewing has ended. An error
// from renew does not end the work, because the next attempt comes before the lease
// expires. Neither does a panic, which is reported to panicked.
func Hold(
	ctx context.Context, lease time.Duration, renew func(context.Context) (bool, error), panicked func(error),
) (held context.Context, stop func()) {
	held, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go recovery.Func(func() {
		defer close(ended)
		tick := time.NewTicker(lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				ok := true
				err := recovery.Do(func() (err error) {
					ok, err = renew(held)
					return err
				})
				if recovery.Is(err) {
					panicked(err)
				}
				if err == nil && !ok {
					cancel()
					return
				}
			case <-held.Done():
				return
			}
		}
	}, panicked)()
	return held, func() {
		cancel()
		<-ended
	}
}
