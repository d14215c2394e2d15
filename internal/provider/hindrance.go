package provider

import (
	"cmp"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// hindrance is why a lineage is not told, although the provider answers.
type hindrance struct {
	// refusal is what the provider said when it did not take what the lineage says; "" if it was not that.
	refusal string
	// waits is what the lineage waits for; "" for nothing.
	waits string
}

// textUnsure is what lineages wait for while the outcome of a call is unknown.
const textUnsure = "It is not known yet whether the provider has what it was told of another session of the same key. " +
	"The server finds that out first, so that nothing is told twice."

// hindered remembers why a lineage is not told; the zero hindrance ends that.
func (m *Manager) hindered(h heard, why hindrance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case why == hindrance{}:
		delete(m.hindrances, h)
	case len(m.hindrances) < maxHeard:
		m.hindrances[h] = why
	}
}

// hindrance is why some lineages of an owner are not told; zero if nothing hinders that.
func (m *Manager) hindrance(o owner.Owner, roots []session.ID) hindrance {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out hindrance
	for _, root := range roots {
		why := m.hindrances[heard{o.ID(), root}]
		out.refusal, out.waits = cmp.Or(out.refusal, why.refusal), cmp.Or(out.waits, why.waits)
	}
	return out
}
