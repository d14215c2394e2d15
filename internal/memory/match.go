package memory

import (
	"math/bits"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
)

// Match names the facts that answer a question, best first. It uses slots, kinds and
// general topics, so it also finds facts that share no word with the question. at is
// when the question is asked.
func (s *State) Match(question string, at time.Time, limit int) []FactID {
	var ids []FactID
	for _, k := range s.match(question, at, limit) {
		ids = append(ids, k.ID)
	}
	return ids
}

// Bounds on the facts that a question reads, so that its cost does not grow with the
// number of facts: for each fact it wants, beyond those of its rarest word; of a category
// or kind; and, for each fact it wants, of those with the most points.
const (
	effort      = 32
	newestFacts = 300
	considered  = 8
)

// match is Match with the facts.
func (s *State) match(question string, at time.Time, limit int) []*record {
	if s.Len() == 0 || limit <= 0 {
		return nil
	}
	q := s.ask(question, at)
	t := &s.tops
	t.clear()
	s.scoreWords(question, t, effort*limit)
	for tech := range uint8(len(s.l.categories)) {
		s.scoreNewest(t, keyOf(techKey, uint32(tech)), q.techs[tech])
	}
	if q.recurring {
		s.scoreRecurring(t)
	}
	weigh(t, q)
	if q.broad {
		for kind, count := range q.kinds {
			s.scoreKind(t, kindNumber(kind), count)
		}
	}
	return s.best(t.best(considered*limit), q, limit)
}

// scoreNewest gives points to the newest facts with a key.
func (s *State) scoreNewest(t *tops, k key, count int32) {
	if count == 0 {
		return
	}
	s.list = s.newest(s.list[:0], k, newestFacts)
	for i := range s.list {
		t.add(s.list[i], count)
	}
}

// weigh adds the points of kinds, and leaves out facts that answer no question.
func weigh(t *tops, q *asked) {
	for i := range t.all {
		if p := &t.all[i]; q.ignores(p.kind) {
			p.count = 0
		} else {
			p.count += q.kinds[p.kind]
		}
	}
}

// scoreKind gives points to the newest facts of a kind that have none yet.
func (s *State) scoreKind(t *tops, kind kindNumber, count int32) {
	if count == 0 || kind.silent() {
		return
	}
	s.list = s.newest(s.list[:0], keyOf(kindKey, uint32(kind)), newestFacts)
	for i := range s.list {
		t.addNew(s.list[i], count)
	}
}

// asked is a parsed question.
type asked struct {
	kinds   [numKinds]int32
	techs   map[uint8]int32
	dates   []language.Date
	changes bool // it asks for changes
	why     bool
	// recurring says that it asks for recurring things.
	recurring bool
	others    bool // it asks about other people
	broad     bool // it only names a kind: "what decisions were made?"
}

// ignores reports whether facts of a kind do not answer the question.
func (q *asked) ignores(k kindNumber) bool {
	return k.silent() || k == numberOf(ThirdParty) && !q.others
}

// ask parses a question.
func (s *State) ask(question string, at time.Time) *asked {
	q := &asked{techs: map[uint8]int32{}, broad: true, dates: language.Dates(question, at)}
	toks := s.tokensOf(question[:min(len(question), maxSentence)])
	for i := range toks {
		t := &toks[i]
		if t.is(tagRelation, tagHe) {
			q.others = true
		}
		topics := t.topicsAt(toks, i)
		for _, topic := range topics {
			q.note(topic, s.l)
		}
		if content(t) && len(topics) == 0 && !t.is(tagUse, tagUsage, tagAux, tagSettle) {
			q.broad = false
		}
	}
	return q
}

// mainCategories is how many of the first categories of the lexicon (languages) precede
// the others if a question asks for technology in general.
const mainCategories = 1

// note records the topic of one word.
func (q *asked) note(t topic, l *lexicon) {
	switch {
	case t.kind == "recurring":
		q.recurring = true
		q.want(Cause, 10)
	case t.kind == "change":
		q.changes = true
		q.want(Decision, 10)
	case t.kind == Identity:
		q.want(Identity, 24) // facts of identity are few
	case t.kind != "":
		q.want(t.kind, 14)
		q.changes = q.changes || t.kind == Decision
		if t.kind == Cause {
			q.why = true
			q.want(Decision, 6)
		}
	case t.tech != 0:
		q.techs[t.tech] = max(q.techs[t.tech], 14)
	default:
		for c := 1; c < len(l.categories); c++ {
			points := int32(10)
			if c <= mainCategories {
				points = 16
			}
			q.techs[uint8(c)] = max(q.techs[uint8(c)], points)
		}
	}
}

// want gives facts of a kind points, unless they have more.
func (q *asked) want(k Kind, points int32) {
	n := numberOf(k)
	q.kinds[n] = max(q.kinds[n], points)
}

// topicsAt are the topics of the word at i, alone or with the following words.
func (t *token) topicsAt(toks []token, i int) []topic {
	if t.entry == nil {
		return nil
	}
	topics := t.entry.topics
	for p := range t.entry.phrases {
		if ph := &t.entry.phrases[p]; len(ph.topics) > 0 && phraseAt(toks, i+1, ph.rest) {
			topics = append(topics[:len(topics):len(topics)], ph.topics...)
		}
	}
	return topics
}

// countsOf asks how many facts have each word of a text.
func countsOf(text string) (all []listing) {
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if !w.Stop {
			all = append(all, listing{key: wordKeyOf(w.Stem)})
		}
	}
	return all
}

// scoreWords adds the weight of the words that a fact shares with the question. Rare
// words weigh more. Beyond the limit, the facts of the rarest words are scored.
func (s *State) scoreWords(question string, t *tops, left int) {
	type word struct {
		key   key
		facts int
	}
	var space [64]word
	words := space[:0]
	asked := countsOf(question)
	s.ahead(func() []listing { return asked })
	for _, l := range asked {
		if facts := s.count(l.key); facts > 0 {
			words = append(words, word{l.key, facts})
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return a.facts - b.facts })
	s.ahead(func() (lists []listing) {
		for i, rest := 0, left; i < len(words) && (i == 0 || words[i].facts <= rest); i++ {
			lists = append(lists, listing{words[i].key, rest})
			rest -= words[i].facts
		}
		return lists
	})
	for i, w := range words {
		if w.facts > left && i > 0 {
			return
		}
		count := int32(6 + 2*bits.Len(uint(s.Len()/w.facts)))
		s.list = s.newest(s.list[:0], w.key, left) // if every word is common, the newest facts
		for i := range s.list {
			t.add(s.list[i], count)
		}
		left -= len(s.list)
	}
}

// best returns the first facts after adjustment: those with the most points, and newer
// facts first among equals.
func (s *State) best(all []points, q *asked, limit int) []*record {
	s.list = s.list[:0]
	for i := range all {
		s.list = append(s.list, all[i].glimpse)
	}
	candidates := s.facts(s.list) // read together
	if q.changes || q.why {
		s.readReplaced(candidates)
	}
	found := all[:0]
	for _, p := range all {
		if p.record = s.held[p.number]; p.record == nil {
			continue
		}
		if p.count = s.adjust(p.record, p.count, q); p.count > 0 {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, comparePoints)
	out := make([]*record, min(len(found), limit))
	for i := range out {
		out[i] = found[i].record
	}
	return out
}

// adjust corrects the points of a fact by what became of it, its reason and its time.
func (s *State) adjust(k *record, count int32, q *asked) int32 {
	if !k.Current() {
		count /= 2
		if q.changes {
			count = count * 3 / 2
		}
	}
	if (q.changes || q.why) && s.replacedBy(k) != nil {
		count += 10
	}
	if q.why && k.Because != "" {
		count += 12
	}
	for i := range q.dates {
		if k.overlaps(q.dates[i]) {
			count += 12
		}
	}
	return count
}
