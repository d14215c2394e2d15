package telemetry

import (
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
)

// Connection is told why a connection was refused, or had to give way to another.
func (t *Telemetry) Connection(reason string) { t.metrics.limited.WithLabelValues(reason).Inc() }

// Waited is told of turns that got no permit at once.
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
