package search

import "github.com/hermes-memory/hermes/internal/session"

const (
	// ranked is how many matching messages are read and ranked, newest first. A common
	// word matches many more, and ranking all would take seconds.
	ranked = 100
	// enough is how many are ranked if they lie in twice as many lineages as requested:
	// older messages would have to match far better.
	enough = 40
	// ReadAtOnce bounds the messages that are read if the index finds more than the query
	// means.
	ReadAtOnce = 5 * ranked
	// ScanAtOnce bounds the messages that are read without their text, if the ranked ones
	// lie in fewer lineages than requested.
	ScanAtOnce = 2000
	// readBytes bounds the text that one search reads.
	readBytes = 16 << 20
)

// Gathering decides which of the messages that an index finds are read and ranked. They are
// offered newest first.
type Gathering struct {
	*Ranker
	limit, taken, read, bytes int
	// seen counts the chosen messages of lineages without a candidate so far.
	seen map[session.ID]int
}

// Gather begins the gathering of candidates for a ranker.
func Gather(k *Ranker) *Gathering {
	g := &Gathering{Ranker: k, limit: k.r.Limit, seen: make(map[session.ID]int)}
	if g.limit <= 0 {
		g.limit = DefaultLimit
	}
	return g
}

// Full reports whether no more messages are read.
func (g *Gathering) Full() bool {
	switch {
	case g.taken == ranked, g.read == ReadAtOnce, g.bytes > readBytes:
		return true
	case g.taken < enough:
		return false
	}
	return g.Lineages() >= 2*g.limit
}

// Offer ranks a message if it matches.
func (g *Gathering) Offer(m Match, text string) {
	if g.Add(m, text) {
		g.taken++
	}
	g.read++
	g.bytes += len(text)
}

// Widen begins to gather again, and reports whether there is anything to gather: a lineage
// that mentions the topic everywhere must not hide the others.
func (g *Gathering) Widen() bool {
	g.taken, g.read = 0, 0
	return g.Lineages() < g.limit && g.r.Scope.Root == ""
}

// Choose reports whether an older message of a lineage is to be read: the lineage has no
// candidate, and not too many messages of it were chosen.
func (g *Gathering) Choose(root session.ID) bool {
	n := g.seen[root]
	switch {
	case g.Has(root), n == DefaultMatches:
		return false
	case n == 0 && g.Lineages()+len(g.seen) == g.limit:
		return false
	}
	g.seen[root]++
	return true
}
