package claim

import (
	"context"
	"time"
)

// Hold is a context for work under a lease. It is renewed three times in its
// length; when renew reports false somebody else has the work, and the context
// ends. stop ends it, too, and returns when nothing is renewed any more. An
// error of renew is not the loss: the next try comes before the lease ends.
func Hold(ctx context.Context, lease time.Duration, renew func(context.Context) (bool, error)) (held context.Context, stop func()) {
	held, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if ok, err := renew(held); err == nil && !ok {
					cancel()
					return
				}
			case <-held.Done():
				return
			}
		}
	}()
	return held, func() {
		cancel()
		<-ended
	}
}
