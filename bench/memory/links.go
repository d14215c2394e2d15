package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/pairtest"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// linkPair is an example of a pair of facts, with the messages that they quote.
type linkPair struct {
	example
	older, newer string // ids of messages
	was, now     string // statements
	single       []float32
	// bag is the number of the update or the trap that the pair belongs to; −1 for none.
	bag  int
	trap bool
}

// linkBag is a labelled pair of messages: an update, or a trap that only looks like one.
type linkBag struct {
	scope, older, newer, kind, source string
	trap                              bool
}

// linkSet is what the model that links facts is fitted to.
type linkSet struct {
	pairs []linkPair
	bags  []linkBag
}

// own is the scope of the project's own pairs.
const own = "own"

// linksOf gathers the pairs of facts that the state compares while it learns lives, and
// those of the project's own pairs.
func linksOf(lives []life) (*linkSet, error) {
	set := &linkSet{}
	for i := range lives {
		set.addLife(&lives[i], "life")
	}
	more, err := ownLives()
	if err != nil {
		return nil, err
	}
	for i := range more {
		set.addLife(&more[i], "own life")
	}
	for i, p := range pairtest.Reversals() {
		set.addOwn(p, "reversal"+strconv.Itoa(i), false)
	}
	for i, p := range pairtest.Controls() {
		set.addOwn(p, "control"+strconv.Itoa(i), true)
	}
	for _, p := range pairtest.Chats() {
		set.addChat(&p)
	}
	return set, nil
}

// addChat adds what a person says: the first message of all pairs, then the second.
func (s *linkSet) addChat(p *pairtest.Person) {
	first := len(s.bags)
	day := time.Date(2025, 2, 3, 9, 0, 0, 0, time.UTC)
	var messages []lifeMessage
	say := func(text string) string {
		for i := range messages {
			if messages[i].Text == text {
				return messages[i].ID
			}
		}
		id := p.Name + strconv.Itoa(len(messages))
		messages = append(messages, lifeMessage{ID: id, Time: day.AddDate(0, 0, 3*len(messages)), Role: "user", Statement: true, Text: text})
		return id
	}
	for _, pair := range p.Pairs {
		say(pair.Was)
	}
	for i, pair := range p.Pairs {
		s.bags = append(s.bags, linkBag{p.Name, say(pair.Was), say(pair.Now), "", "chat", !p.Ends[i]})
	}
	s.tell(p.Name, messages, first)
}

func (s *linkSet) addLife(l *life, source string) {
	first := len(s.bags)
	for _, u := range l.Updates {
		s.bags = append(s.bags, linkBag{l.ID, u.Older, u.Newer, u.Kind, source, false})
	}
	for _, p := range l.NotUpdates {
		s.bags = append(s.bags, linkBag{l.ID, p.A, p.B, p.Why, source, true})
	}
	s.tell(l.ID, l.Messages, first)
}

func (s *linkSet) addOwn(p pairtest.Pair, id string, trap bool) {
	first := len(s.bags)
	s.bags = append(s.bags, linkBag{own, id + "-was", id + "-now", "", own, trap})
	day := time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)
	s.tell(own, []lifeMessage{
		{ID: id + "-was", Time: day, Role: "user", Statement: true, Text: p.Was},
		{ID: id + "-now", Time: day.AddDate(0, 0, 1), Role: "user", Statement: true, Text: p.Now},
	}, first)
}

// tell learns messages without ending any fact, and keeps the compared pairs. The bags
// of the messages begin at first.
func (s *linkSet) tell(scope string, messages []lifeMessage, first int) {
	state := memory.NewState()
	var before []ranking.Document
	for i := range messages {
		m := &messages[i]
		d := ranking.Document{
			MessageID: int64(i + 1), SessionID: session.ID(scope), Root: session.ID(scope), Seq: int64(i),
			Role: session.User, Text: m.Text, SaidAt: m.Time,
		}
		if m.Role == "assistant" {
			d.Role = session.Assistant
		}
		if m.Statement {
			for _, pair := range state.LinkPairs(statementsOf(d, before)) {
				s.keep(scope, messages[pair.Older.Source.Seq].ID, m.ID, first, &pair)
			}
		}
		before = append([]ranking.Document{d}, before[:min(len(before), memory.Reach-1)]...)
	}
}

// keep adds a pair unless it is a step over another: what an update's older message had
// itself replaced.
func (s *linkSet) keep(scope, older, newer string, first int, pair *memory.LinkPair) {
	p := linkPair{older: older, newer: newer, was: pair.Older.Statement, now: pair.Newer.Statement, bag: -1}
	p.scope, p.values, p.single = scope, pair.Values, pair.Single
	for i := first; i < len(s.bags); i++ {
		b := &s.bags[i]
		if b.newer == newer && b.older == older {
			if p.bag >= 0 && !s.bags[p.bag].trap {
				continue // an update of one thing, and a trap in another
			}
			p.bag, p.trap = i, b.trap
		}
	}
	if p.bag < 0 && s.chained(older, newer, first) {
		return
	}
	s.pairs = append(s.pairs, p)
}

// chained reports whether updates lead from one message to another over a third.
func (s *linkSet) chained(older, newer string, first int) bool {
	for _, b := range s.bags[first:] {
		if b.trap || b.older != older || b.newer == newer {
			continue
		}
		if s.updates(b.newer, newer, first) || s.chained(b.newer, newer, first) {
			return true
		}
	}
	return false
}

// updates reports whether one message is an update of another.
func (s *linkSet) updates(older, newer string, first int) bool {
	return slices.ContainsFunc(s.bags[first:], func(b linkBag) bool { return !b.trap && b.older == older && b.newer == newer })
}

// How much examples count. A trap counts more than a pair of facts that nobody would take
// for an update. An own pair counts more, because tests promise those, but they are many
// and alike: with twice the weight, fewer updates of lives are found.
const (
	trapWeight = 3.0
	ownWeight  = 1.5
	linkRidge  = 3.0
	linkRounds = 4
)

// linkExamples are the examples of a set of lives and of the project's own pairs. Which
// two facts of an update's messages are meant is not labelled: they are the likeliest by
// a fit in which each update has its likeliest.
func linkExamples(lives []life) ([]example, error) {
	set, err := linksOf(lives)
	if err != nil {
		return nil, err
	}
	if err := set.choose(len(memory.LinkFeatures())); err != nil {
		return nil, err
	}
	return set.examples(), nil
}

// choose marks one pair of each update.
func (s *linkSet) choose(features int) error {
	shared := slices.Index(memory.LinkFeatures(), "shared-of-newer")
	likely := func(p *linkPair) float64 { return float64(p.values[shared]) }
	for range linkRounds {
		best := make(map[int]int)
		for i := range s.pairs {
			p := &s.pairs[i]
			p.yes = false
			if p.bag < 0 || p.trap {
				continue
			}
			if b, found := best[p.bag]; !found || likely(p) > likely(&s.pairs[b]) {
				best[p.bag] = i
			}
		}
		for _, i := range best {
			s.pairs[i].yes = true
		}
		m, err := learnLogistic(s.examples(), features, even(linkRidge))
		if err != nil {
			return err
		}
		likely = func(p *linkPair) float64 { return m.score(p.values) }
	}
	return nil
}

// used reports whether a pair is an example: not if it is another pair of an update.
func (p *linkPair) used() bool { return p.yes || p.bag < 0 || p.trap }

func (s *linkSet) examples() []example {
	var out []example
	for i := range s.pairs {
		p := &s.pairs[i]
		if !p.used() {
			continue
		}
		e := p.example
		e.weight = 1
		if p.trap {
			e.weight = trapWeight
		}
		if p.scope == own {
			e.weight *= ownWeight
		}
		out = append(out, e)
	}
	return out
}

// statementsOf are the facts of a statement, and its other sentences as plain facts: the
// fit must not depend on what distillation misses today.
func statementsOf(d ranking.Document, before []ranking.Document) []memory.Fact {
	facts := memory.Distill(d, before)
	for _, at := range language.Sentences(d.Text) {
		text := strings.TrimSpace(d.Text[at.Start:at.End])
		known := func(f memory.Fact) bool { return f.Source.Start < at.End && at.Start < f.Source.End }
		if strings.HasSuffix(text, "?") || len(text) < shortestStatement || slices.ContainsFunc(facts, known) {
			continue
		}
		id := "f_" + strconv.FormatInt(d.Seq, 10) + "_" + strconv.Itoa(at.Start)
		source := memory.Source{MessageID: d.MessageID, SessionID: d.SessionID, Root: d.Root, Seq: d.Seq, Role: d.Role}
		source.Start, source.End = at.Start, at.End
		facts = append(facts, memory.Fact{
			ID: memory.FactID(id), Kind: memory.Plain, Quote: text, Statement: text, SaidAt: d.SaidAt, Source: source,
		})
	}
	return facts
}

// shortestStatement is the length from which a sentence counts, in bytes.
const shortestStatement = 8
