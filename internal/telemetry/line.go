package telemetry

import (
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
)

// Connection is told why a connection was refused or closed.
func (t *Telemetry) Connection(reason string) { t.metrics.limited.WithLabelValues(reason).Inc() }

// Waited is told of turns that were queued for a permit.
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
