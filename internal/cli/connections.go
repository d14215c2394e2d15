package cli

import (
	"cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// Descriptors that are kept for something else than connections.
const (
	ownDescriptors = 64      // the database, its readers, the log
	mostByDefault  = 32768   // connections, however many descriptors there are
	unknownLimit   = 1 << 14 // descriptors, on systems that do not say
)

// connectionLimits are the bounds on connections: those that are set, or what the
// descriptors of the process allow. A quarter of them is for calls of models.
func (s *server) connectionLimits() httpapi.ConnectionLimits {
	l := &s.cfg.Limits
	out := httpapi.ConnectionLimits{All: cmp.Or(l.Connections, connectionsFor(descriptorLimit()))}
	out.Each = cmp.Or(l.PerAddress, max(1, out.All/2))
	if s.measures != nil {
		out.Observe = s.measures.Connection
	}
	return out
}

// connectionsFor is how many connections a number of descriptors allows.
func connectionsFor(descriptors int) int {
	return min(max((descriptors-ownDescriptors)/4*3, 8), mostByDefault)
}
