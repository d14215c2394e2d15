package telemetry

import (
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
)

// Waited is told of turns that had no place at once.
func (t *Telemetry) Waited(waited time.Duration, o claim.Outcome) {
	m := t.metrics
	if o != claim.NoRoom {
		m.queueSeconds.Observe(waited.Seconds())
	}
	switch o {
	case claim.KeyFull, claim.NoRoom, claim.TooLong:
		m.limited.WithLabelValues(string(o)).Inc()
	case claim.LetIn, claim.Left:
	}
}
