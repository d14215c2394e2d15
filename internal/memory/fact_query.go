package memory

import (
	"slices"
	"strings"
	"time"
)

// Status says of a fact whether it still holds.
type Status string

// The statuses.
const (
	AnyStatus     Status = ""
	CurrentStatus Status = "current"
	// ReversedStatus is that of a fact that was replaced.
	ReversedStatus Status = "reversed"
)

// ReversalKind selects the facts that were replaced, and those that have replaced others.
const ReversalKind Kind = "reversal"

// FactQuery selects facts of a scope, and one page of them.
type FactQuery struct {
	Kind     Kind // a kind, or ReversalKind; "" for all
	Status   Status
	Asserted *bool // whether they are taken as true; nil selects both
	// Words are in the statement, the quote or the reason. They are in small letters.
	Words string
	// HeldAt selects what was true at a time, as far as is known today; zero for any.
	HeldAt time.Time

	Latest bool // newest first
	After  FactCursor
	Limit  int
}

// FactCursor is the place after a fact: its message and its id. The zero value is the place
// before the first one.
type FactCursor struct {
	Message int64
	ID      FactID
}

// FactPage is a page of facts. More says that there are further ones.
type FactPage struct {
	Facts  []Fact
	More   bool
	Counts FactCounts
}

// Wants reports whether a fact is selected.
func (q *FactQuery) Wants(f *Fact) bool {
	switch {
	case !q.wantsKind(f), q.Status == CurrentStatus && !f.Current(), q.Status == ReversedStatus && f.Current():
		return false
	case q.Asserted != nil && f.Kind.Asserted() != *q.Asserted, !q.HeldAt.IsZero() && !f.heldAt(q.HeldAt):
		return false
	}
	return q.Words == "" || q.says(f.Statement) || q.says(f.Quote) || q.says(f.Because)
}

func (q *FactQuery) wantsKind(f *Fact) bool {
	if q.Kind == ReversalKind {
		return !f.Current() || slices.ContainsFunc(f.Links, func(l Link) bool { return l.Kind == Supersedes })
	}
	return q.Kind == "" || f.Kind == q.Kind
}

// says reports whether a text has the words that are looked for.
func (q *FactQuery) says(text string) bool { return strings.Contains(strings.ToLower(text), q.Words) }

// heldAt reports whether a fact was true at a time, as far as is known today: from its
// statement until its replacement.
func (f *Fact) heldAt(at time.Time) bool {
	return !f.SaidAt.After(at) && (f.Current() || f.SupersededAt.After(at))
}

// Page is the page of all facts of a scope, which it may reorder.
func (q *FactQuery) Page(facts []Fact) FactPage {
	counts := CountFacts(facts)
	page := q.Cut(facts, q.Wants)
	page.Counts = counts
	return page
}

// Cut is the page of those of some facts that are wanted; nil for all. It may reorder the
// facts. Its counts are zero.
func (q *FactQuery) Cut(facts []Fact, wanted func(*Fact) bool) FactPage {
	var page FactPage
	if q.Latest {
		slices.Reverse(facts)
	}
	for i := q.begin(facts); i < len(facts) && !page.More; i++ {
		if wanted == nil || wanted(&facts[i]) {
			page.add(facts[i], q.Limit)
		}
	}
	return page
}

// add adds a fact, or notes that there are more than fit.
func (p *FactPage) add(f Fact, limit int) {
	if p.More = len(p.Facts) == limit; !p.More {
		p.Facts = append(p.Facts, f)
	}
}

// begin is where the page begins: behind the fact of the cursor, or, if that is gone, behind
// the facts of its message. Facts are in the order of their messages.
func (q *FactQuery) begin(facts []Fact) int {
	if q.After.ID == "" {
		return 0
	}
	if i := slices.IndexFunc(facts, func(f Fact) bool { return f.ID == q.After.ID }); i >= 0 {
		return i + 1
	}
	i := slices.IndexFunc(facts, func(f Fact) bool {
		if q.Latest {
			return f.Source.MessageID < q.After.Message
		}
		return f.Source.MessageID > q.After.Message
	})
	if i < 0 {
		return len(facts)
	}
	return i
}
