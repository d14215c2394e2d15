package run

import (
	"log/slog"
	"sync/atomic"

	"github.com/hermes-memory/hermes/internal/fault"
)

// outage says in the log that the model server cannot be reached, once for each time that it goes away. Callers see only who
// answered.
type outage struct {
	log  *slog.Logger
	away atomic.Bool
}

// began notes that the recall responder answers, because a call failed with err.
func (o *outage) began(err error) {
	if o.away.CompareAndSwap(false, true) {
		o.log.Warn("the model server cannot be reached, and recall answers in its place; `hermes doctor` tries it", "err", fault.MessageOf(err))
	}
}

// ended notes that the model server has answered.
func (o *outage) ended() {
	if o.away.CompareAndSwap(true, false) {
		o.log.Info("the model server answers again")
	}
}
