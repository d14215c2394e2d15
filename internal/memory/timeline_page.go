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
	// of, facts and last are the state that it was made of.
	of    *State
	facts int
	last  FactNumber
	// turned is how often facts of the state had been given another link.
	turned int
}

// TimelinePage is a page of [View.Timeline]. Its counts are zero.
func (v *View) TimelinePage(topic string, q *FactQuery) FactPage {
	var page FactPage
	v.with(func(s *State) {
		wanted := stems(topic)
		if l := &v.course; !l.current(s, wanted) && !l.extend(s, wanted) {
			*l = course{numbers: s.course(wanted), topic: strings.Join(wanted, " ")}
			l.set(s)
		}
		page = FactPage{}
		for _, k := range s.facts(v.course.cut(s, q)) {
			page.add(k.Fact, q.Limit)
		}
	})
	return page
}

// set notes of which facts the timeline is.
func (l *course) set(s *State) { l.of, l.facts, l.last, l.turned = s, s.Len(), s.last, s.turned }

// current reports whether this is the timeline of a topic as stems.
func (l *course) current(s *State, wanted []string) bool {
	return l.of == s && l.facts == s.Len() && l.last == s.last && l.topic == strings.Join(wanted, " ")
}

// mostAdded is how many new facts are put into a timeline one by one. Behind more of them, it is
// made anew.
const mostAdded = 256

// extend adds the facts that were learnt since the timeline was made, and reports whether it
// could. A fact changes when a new one that links to it is learnt, and none leaves a timeline as long as its state lives.
// If facts were given links to new ones, which were said before them, the timeline is made again.
func (l *course) extend(s *State, wanted []string) bool {
	at, _ := slices.BinarySearch(s.order, l.last+1)
	added := s.order[at:]
	known := l.of == s && l.turned == s.turned && l.topic == strings.Join(wanted, " ")
	if !known || len(added) > mostAdded || len(added) != s.Len()-l.facts {
		return false
	}
	keep := make(chosen)
	for _, n := range slices.Clone(added) { // to name a fact may put it into the order
		now := s.held[n]
		keep.add(&now.Fact, wanted)
		for _, link := range now.Links {
			if was := s.named(link.To); was != nil {
				keep.add(&was.Fact, wanted)
			}
		}
	}
	for id := range keep {
		if k := s.named(id); k != nil {
			l.put(s, k)
		}
	}
	l.set(s)
	return true
}

// put puts a fact into the timeline, unless it is there.
func (l *course) put(s *State, k *record) {
	at, there := slices.BinarySearchFunc(l.numbers, k, func(n FactNumber, k *record) int {
		if n == k.Number {
			return 0
		}
		other := s.facts([]glimpse{{number: n}})[0]
		return cmp.Or(other.SaidAt.Compare(k.SaidAt), cmp.Compare(n, k.Number))
	})
	if !there {
		l.numbers = slices.Insert(l.numbers, at, k.Number)
	}
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
