package main

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
)

// updateSeen is what memory made of an update, directly after the newer message.
type updateSeen struct {
	Scope string `json:"scope"`
	Older string `json:"older"`
	Newer string `json:"newer"`
	Sort  string `json:"kind"`
	What  string `json:"what"`

	Found    bool `json:"found"`    // a fact of the newer message supersedes one of the older
	Doubtful bool `json:"doubtful"` // or the older is marked as perhaps outdated
	// Shown says that the newer is in the block: the value that a question asks for, if
	// the set has such a question.
	Shown bool `json:"shown"`
	// Before says that the block showed the outdated words of the older message before,
	// Stale that it shows them as current after.
	Before bool `json:"before"`
	Stale  bool `json:"stale"`
}

// pairSeen is what memory made of two messages that only look like an update.
type pairSeen struct {
	Scope    string `json:"scope"`
	A        string `json:"a"`
	B        string `json:"b"`
	Why      string `json:"why"`
	What     string `json:"what"`
	Taken    bool   `json:"taken"` // for an update
	Doubtful bool   `json:"doubtful"`
}

// tellLinks tells a message, and looks at the updates and pairs that it completes.
func (p *prober) tellLinks(m *lifeMessage, tell func() error) error {
	var updates []updateSeen
	var old [][]outdatedWords
	for i := range p.life.Updates {
		if u := &p.life.Updates[i]; p.later(u.Older, u.Newer) == m.ID {
			updates = append(updates, updateSeen{Scope: p.life.ID, Older: u.Older, Newer: u.Newer, Sort: u.Kind, What: u.What})
			old = append(old, outdatedBy(p.life, u))
		}
	}
	pairs := slices.DeleteFunc(slices.Clone(p.life.NotUpdates), func(n lifePair) bool { return p.later(n.A, n.B) != m.ID })
	if len(updates)+len(pairs) == 0 {
		return tell()
	}
	before, err := p.state()
	if err != nil {
		return err
	}
	if err = tell(); err != nil {
		return err
	}
	after, err := p.state()
	if err != nil {
		return err
	}
	for i := range updates {
		u := &updates[i]
		u.Found, u.Doubtful = after.replaces(u.Newer, u.Older), after.doubtful(u.Older)
		u.Shown = after.shows(p.life, u.Older, u.Newer)
		u.Before, u.Stale = before.outdated(old[i]), after.outdated(old[i])
	}
	p.out.Updates = append(p.out.Updates, updates...)
	for _, n := range pairs {
		p.out.Pairs = append(p.out.Pairs, pairSeen{Scope: p.life.ID, A: n.A, B: n.B, Why: n.Why, What: n.What,
			Taken: after.replaces(n.A, n.B) || after.replaces(n.B, n.A), Doubtful: after.doubtful(n.A) || after.doubtful(n.B)})
	}
	return nil
}

// later is the id of the message that was told after the other.
func (p *prober) later(a, b string) string {
	if p.life.places[a] > p.life.places[b] {
		return a
	}
	return b
}

// outdatedWords are words of a message that another one has superseded.
type outdatedWords struct {
	update *lifeUpdate
	// patterns are what a right answer must not have; nil: all of the message is outdated.
	patterns []string
	// about are the content words of what the update and its question are about: a line
	// without any of them is about another matter.
	about map[string]bool
}

// outdatedBy lists what an update makes outdated, as far as the set tells: the whole message,
// or what a right answer to a question about the update must not have.
func outdatedBy(l *life, u *lifeUpdate) []outdatedWords {
	if u.Whole {
		return []outdatedWords{{update: u}}
	}
	var out []outdatedWords
	for _, q := range l.askedAbout(u.Older, u.Newer) {
		if len(q.MustNot) > 0 {
			out = append(out, outdatedWords{u, q.MustNot, contentWords(u.What + " " + q.Question)})
		}
	}
	return out
}

// askedAbout lists the questions that one message answers and that another answered before.
func (l *life) askedAbout(older, newer string) []*lifeQuestion {
	var out []*lifeQuestion
	for i := range l.Asked {
		if q := &l.Asked[i]; slices.Contains(q.Stale, older) && slices.Contains(q.Evidence, newer) {
			out = append(out, q)
		}
	}
	return out
}

// in reports whether a line shows the outdated words as current.
func (o *outdatedWords) in(l *blockLine) bool {
	if l.ID != o.update.Older || !l.current() {
		return false
	}
	if o.patterns == nil {
		return true
	}
	n, err := countOf(o.patterns, l.Text)
	if err != nil || n == 0 {
		return false
	}
	for w := range contentWords(l.Text) {
		if o.about[w] {
			return true
		}
	}
	return false
}

// stateNow is the state at a moment.
type stateNow struct {
	facts []memory.Fact
	lines []blockLine
	ids   []string // of the messages, by number
}

func (p *prober) state() (*stateNow, error) {
	view, done, err := p.talk.View()
	if err != nil {
		return nil, err
	}
	defer done()
	block := view.Block(blockRoom, p.count, memory.BlockOptions{Now: p.talk.Now})
	s := &stateNow{facts: view.Facts(), lines: linesOf(block.Text, p.life.Messages)}
	for i := range p.life.Messages {
		s.ids = append(s.ids, p.life.Messages[i].ID)
	}
	return s, nil
}

// outdated reports whether the block shows outdated words as current.
func (s *stateNow) outdated(old []outdatedWords) bool {
	return slices.ContainsFunc(s.lines, func(l blockLine) bool {
		return slices.ContainsFunc(old, func(o outdatedWords) bool { return o.in(&l) })
	})
}

// shows reports whether the block has the newer side of an update as current.
func (s *stateNow) shows(l *life, older, newer string) bool {
	asked := l.askedAbout(older, newer)
	return slices.ContainsFunc(s.lines, func(line blockLine) bool {
		if line.ID != newer || !line.current() {
			return false
		}
		return len(asked) == 0 || slices.ContainsFunc(asked, func(q *lifeQuestion) bool {
			n, err := countOf(slices.Concat(q.Must, q.MustAll), line.Text)
			return err == nil && n > 0
		})
	})
}

// of lists the facts of a message.
func (s *stateNow) of(id string) []memory.Fact {
	var out []memory.Fact
	for i := range s.facts {
		if s.ids[s.facts[i].Source.Seq] == id {
			out = append(out, s.facts[i])
		}
	}
	return out
}

// replaces reports whether a fact of one message supersedes a fact of another.
func (s *stateNow) replaces(newer, older string) bool {
	now := s.of(newer)
	return slices.ContainsFunc(s.of(older), func(f memory.Fact) bool {
		return slices.ContainsFunc(now, func(g memory.Fact) bool { return f.SupersededBy == g.ID })
	})
}

// doubtful reports whether the block marks something of a message as perhaps outdated.
func (s *stateNow) doubtful(id string) bool {
	return slices.ContainsFunc(s.lines, func(l blockLine) bool { return l.ID == id && l.Doubtful })
}

// oneLine is a text with all white space as single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
