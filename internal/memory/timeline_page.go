package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// course is the newest timeline that was asked for, by numbers, so that its further pages do
// not read all facts again.
type course struct {
	numbers []FactNumber
	topic   string
	// of, facts and last are the state that it was made of: each change of a fact comes
	// with a new fact, or with another state.
	of    *State
	facts int
	last  FactNumber
}

// TimelinePage is a page of [View.Timeline]. Its counts are zero.
func (v *View) TimelinePage(topic string, q *FactQuery) FactPage {
	var page FactPage
	v.with(func(s *State) {
		wanted := stems(topic)
		if l := &v.course; l.of != s || l.facts != s.Len() || l.last != s.last || l.topic != strings.Join(wanted, " ") {
			v.course = course{numbers: s.course(wanted), topic: strings.Join(wanted, " "), of: s, facts: s.Len(), last: s.last}
		}
		page = FactPage{}
		for _, k := range s.facts(v.course.cut(s, q)) {
			page.add(k.Fact, q.Limit)
		}
	})
	return page
}

// course is the timeline of a topic as stems, by numbers.
func (s *State) course(wanted []string) []FactNumber {
	type step struct {
		id     FactID
		number FactNumber
		said   time.Time
	}
	keep := make(chosen)
	var order []step
	for k := range s.all() {
		order = append(order, step{k.ID, k.Number, k.SaidAt})
		keep.add(&k.Fact, wanted)
	}
	order = slices.DeleteFunc(order, func(x step) bool { return !keep[x.id] })
	slices.SortStableFunc(order, func(a, b step) int { return a.said.Compare(b.said) })
	numbers := make([]FactNumber, len(order))
	for i := range order {
		numbers[i] = order[i].number
	}
	return numbers
}

// cut are the facts of a page, and one more if there is one.
func (l *course) cut(s *State, q *FactQuery) []glimpse {
	at, step := l.begin(s, q), 1
	if q.Latest {
		step = -1
	}
	var out []glimpse
	for ; at >= 0 && at < len(l.numbers) && len(out) <= q.Limit; at += step {
		out = append(out, glimpse{number: l.numbers[at]})
	}
	return out
}

// begin is where a page begins, as in [FactQuery.Page].
func (l *course) begin(s *State, q *FactQuery) int {
	numbers, sign, at := l.numbers, 1, 0
	if q.Latest {
		numbers, sign = slices.Clone(numbers), -1
		slices.Reverse(numbers)
	}
	if q.After.ID != "" {
		known := s.named(q.After.ID)
		at = slices.IndexFunc(numbers, func(n FactNumber) bool { return known != nil && n == known.Number }) + 1
		if at == 0 {
			at = slices.IndexFunc(numbers, func(n FactNumber) bool { return sign*cmp.Compare(n.Message(), q.After.Message) > 0 })
		}
		if at < 0 {
			at = len(numbers)
		}
	}
	if q.Latest {
		return len(numbers) - 1 - at
	}
	return at
}

// size is the approximate size of the timeline, in bytes.
func (l *course) size() int64 { return int64(len(l.numbers)) * int64(unsafe.Sizeof(FactNumber(0))) }
