package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/session"
)

// The weights of BM25, and of a hit.
const (
	saturation = 1.2 // k1: how much a term's second occurrence adds
	lengthBias = 0.6 // b: how much the length of a message lowers its score
	// breadth is the part of the best message's score that each doubling of the number
	// of matching messages adds to the score of their lineage.
	breadth = 0.1
)

// Ranker ranks the candidates that a store has found. Its statistics cover the
// candidates only, so other owners' data changes no score.
type Ranker struct {
	r       Request
	m       *matcher
	spans   []span
	all     []candidate
	df      []int // per term: number of candidates with it
	lengths int
	roots   map[session.ID]bool // lineages of the candidates
	// exact says that the index has matched exactly, so that candidates need not be
	// checked. Otherwise place maps a term to its index in the counts.
	exact bool
	place map[*Term]int
}

// candidate is a message with the data to score and show it.
type candidate struct {
	match  Match
	counts []float64 // per term
	length int
	part   excerpt
}

// NewRanker returns a Ranker for a request to an index that finds exactly the query's terms.
func NewRanker(r Request) *Ranker { return newRanker(r, decides(r.Query)) }

// decides reports whether an index of terms decides what matches a query.
func decides(q Query) bool { return q.Root == nil || Exact(q.Root) }

// NewChecker returns a Ranker for a request to an index that finds more than the query
// means: each candidate is checked.
func NewChecker(r Request) *Ranker { return newRanker(r, r.Query.Root == nil) }

func newRanker(r Request, exact bool) *Ranker {
	m := newMatcher(r.Query, exact)
	k := &Ranker{r: r, m: m, df: make([]int, m.shown), place: make(map[*Term]int), roots: make(map[session.ID]bool), exact: exact}
	for i := range m.terms {
		k.place[m.terms[i].term] = i
	}
	return k
}

// Add adds a message that the index has found, and reports whether it matches. It does
// not keep the text.
func (k *Ranker) Add(m Match, text string) bool {
	k.spans = k.m.find(k.spans[:0], text)
	c := candidate{match: m, counts: make([]float64, len(k.m.terms)), length: len(text)}
	for i := range k.spans {
		c.counts[k.spans[i].term] += k.spans[i].weight
	}
	if !k.exact && !holds(k.r.Query.Root, func(t *Term) bool { return c.counts[k.place[t]] > 0 }) {
		return false
	}
	c.counts = c.counts[:k.m.shown]
	for t, n := range c.counts {
		if n > 0 {
			k.df[t]++
		}
	}
	if k.m.shown < len(k.m.terms) {
		k.spans = slices.DeleteFunc(k.spans, func(s span) bool { return s.term >= k.m.shown })
	}
	c.part = excerptOf(text, k.spans)
	k.all = append(k.all, c)
	k.roots[m.Root] = true
	k.lengths += c.length
	return true
}

// Len is the number of added messages.
func (k *Ranker) Len() int { return len(k.all) }

// Lineages is the number of lineages among the added messages.
func (k *Ranker) Lineages() int { return len(k.roots) }

// Has reports whether a message of a lineage was added.
func (k *Ranker) Has(root session.ID) bool { return k.roots[root] }

// Hits groups the messages by lineage, best first. The sessions have only RootID.
func (k *Ranker) Hits() []Hit {
	groups := k.groups()
	groups = groups[:min(len(groups), bounded(k.r.Limit, DefaultLimit, MaxLimit))]
	shown := bounded(k.r.Matches, DefaultMatches, MaxMatches)
	out := make([]Hit, len(groups))
	for i, g := range groups {
		out[i] = Hit{Session: session.Session{RootID: g.of[0].match.Root}, Score: g.score, MatchCount: len(g.of)}
		for _, c := range g.of[:min(len(g.of), shown)] {
			c.match.Snippet = c.part.snippet()
			out[i].Matches = append(out[i].Matches, c.match)
		}
	}
	return out
}

// group are the matches in one lineage, best first.
type group struct {
	of    []*candidate
	score float64
}

// groups are all lineages, best first.
func (k *Ranker) groups() []*group {
	sorted := make([]*candidate, len(k.all))
	for i := range k.all {
		c := &k.all[i]
		c.match.Score = k.score(c)
		sorted[i] = c
	}
	slices.SortFunc(sorted, func(a, b *candidate) int { return better(&a.match, &b.match) })
	byRoot := make(map[session.ID]*group)
	var out []*group
	for _, c := range sorted {
		g := byRoot[c.match.Root]
		if g == nil {
			g = &group{}
			byRoot[c.match.Root] = g
			out = append(out, g)
		}
		g.of = append(g.of, c)
	}
	for _, g := range out {
		g.score = g.of[0].match.Score * (1 + breadth*math.Log2(float64(len(g.of))))
	}
	slices.SortFunc(out, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.score, a.score), better(&a.of[0].match, &b.of[0].match))
	})
	return out
}

// better orders matches: higher scores first, then newer ones. Positions are unique, so
// the order is total.
func better(a, b *Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.SaidAt.Compare(a.SaidAt), strings.Compare(string(a.Root), string(b.Root)),
		cmp.Compare(b.Seq, a.Seq))
}

// score is BM25 over the candidates. A term that all candidates have still weighs one,
// because a query may consist of such terms.
func (k *Ranker) score(c *candidate) float64 {
	n, mean := float64(len(k.all)), float64(k.lengths)/float64(len(k.all))
	norm := saturation
	if mean > 0 {
		norm *= 1 - lengthBias + lengthBias*float64(c.length)/mean
	}
	sum := 0.0
	for t, tf := range c.counts {
		if tf > 0 {
			df := float64(k.df[t])
			sum += (1 + math.Log(1+(n-df+0.5)/(df+0.5))) * tf * (saturation + 1) / (tf + norm)
		}
	}
	return sum
}

// bounded is n within bounds: absent for 0 or less, most for more.
func bounded(n, absent, most int) int {
	if n <= 0 {
		return absent
	}
	return min(n, most)
}
