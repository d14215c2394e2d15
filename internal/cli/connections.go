package cli

import (
	"cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// File descriptors for other uses than connections.
const (
	ownDescriptors = 64      // the database, its readers, the log
	mostByDefault  = 32768   // connections, however many descriptors there are
	unknownLimit   = 1 << 14 // descriptors, on systems that do not report the limit
)

// connectionLimits are the bounds on connections: the configured ones, or those that
// the process's file descriptors allow. A quarter of the descriptors is for calls of
// models.
func (s *server) connectionLimits() httpapi.ConnectionLimits {
	l := &s.cfg.Limits
	out := httpapi.ConnectionLimits{All: cmp.Or(l.Connections, connectionsFor(descriptorLimit()))}
	out.Each = cmp.Or(l.PerAddress, max(1, out.All/2))
	if s.measures != nil {
		out.Observe = s.measures.Connection
	}
	return out
}

// connectionsFor is the number of connections for a number of descriptors.
func connectionsFor(descriptors int) int {
	return min(max((descriptors-ownDescriptors)/4*3, 8), mostByDefault)
}
