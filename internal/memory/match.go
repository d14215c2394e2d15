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
	for _, n := range s.match(question, at, limit) {
		ids = append(ids, s.facts[n].ID)
	}
	return ids
}

// match is Match with facts as indexes.
func (s *State) match(question string, at time.Time, limit int) []int32 {
	if len(s.facts) == 0 || limit <= 0 {
		return nil
	}
	t := s.tally()
	defer t.done()
	q := s.ask(question, at, t)
	s.scoreWords(question, t, effort*limit)
	for tech, points := range q.techs {
		for _, n := range newestOf(s.techs[tech]) {
			t.add(n, points)
		}
	}
	if q.recurring {
		s.scoreRecurring(t)
	}
	for _, n := range t.touched {
		t.points[n] += q.kinds[s.briefs[n].kind]
	}
	if q.broad {
		for kind, points := range q.kinds {
			if points == 0 {
				continue
			}
			for _, n := range newestOf(s.kinds[kind]) {
				if t.points[n] == 0 { // otherwise it was counted above
					t.add(n, points)
				}
			}
		}
	}
	return s.best(t, q, limit)
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

// ask parses a question.
func (s *State) ask(question string, at time.Time, t *tally) *asked {
	q := &asked{techs: map[uint8]int32{}, broad: true, dates: language.Dates(question, at)}
	t.toks = appendTokens(s.l, t.toks[:0], question, 0, min(len(question), maxSentence))
	toks := t.toks
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

// scoreWords adds the weight of the words that a fact shares with the question. Rare
// words weigh more. Beyond the limit, the facts of the rarest words are scored.
func (s *State) scoreWords(question string, t *tally, left int) {
	lists := t.lists[:0]
	for scan := language.Scan(question); ; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		if w.Stop {
			continue
		}
		if list := s.words[string(w.Stem)]; len(list) > 0 {
			lists = append(lists, list)
		}
	}
	t.lists = lists
	slices.SortStableFunc(lists, func(a, b []int32) int { return len(a) - len(b) })
	for i, list := range lists {
		points := int32(6 + 2*bits.Len(uint(len(s.facts)/len(list))))
		if len(list) > left {
			if i > 0 {
				return
			}
			list = list[len(list)-left:] // if every word is common, the newest facts
		}
		left -= len(list)
		for _, n := range list {
			t.add(n, points)
		}
	}
}

// best returns the first facts after adjustment: those with the most points, and newer
// facts first among equals.
func (s *State) best(t *tally, q *asked, limit int) []int32 {
	found := make([]int32, 0, min(limit, len(t.touched))+1)
	before := func(a, b int32) int {
		if t.points[a] != t.points[b] {
			return int(t.points[b]) - int(t.points[a])
		}
		return int(b) - int(a)
	}
	for _, n := range t.touched {
		if t.points[n] = s.adjust(n, t.points[n], q); t.points[n] <= 0 {
			continue
		}
		if len(found) == limit && before(n, found[limit-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, n, before)
		if found = slices.Insert(found, at, n); len(found) > limit {
			found = found[:limit]
		}
	}
	return found
}

// adjust corrects the score of a fact by its kind and aspects.
func (s *State) adjust(n, score int32, q *asked) int32 {
	is := s.briefs[n].is
	if is.has(silent) || is.has(others) && !q.others {
		return 0
	}
	if !is.has(current) {
		score /= 2
		if q.changes {
			score = score * 3 / 2
		}
	}
	if is.has(replaced) && (q.changes || q.why) {
		score += 10
	}
	if q.why && is.has(reasoned) {
		score += 12
	}
	for i := range q.dates {
		if s.overlaps(n, q.dates[i]) {
			score += 12
		}
	}
	return score
}
