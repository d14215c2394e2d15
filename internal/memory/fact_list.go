package memory

import (
	"context"
	"math"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Lister lists the facts of a scope for people, page by page. It knows only the present: it
// ignores scope.AsOf, and returns none for a whole lineage.
type Lister interface {
	// FactsListed returns the facts that a filter lets through, in its order, at most limit.
	FactsListed(ctx context.Context, o owner.Owner, scope Scope, f FactFilter, limit int) ([]StoredFact, error)
	// FactsReversed is how many facts were replaced.
	FactsReversed(ctx context.Context, o owner.Owner, scope Scope) (int, error)
	// FactTexts returns the texts of the facts behind a number, by rising number, at most limit.
	FactTexts(ctx context.Context, o owner.Owner, scope Scope, behind FactNumber, limit int) ([]FactText, error)
	// FactsNamed and FactsNumbered are those of [Reader].
	FactsNamed(ctx context.Context, o owner.Owner, scope Scope, ids []FactID) ([]StoredFact, error)
	FactsNumbered(ctx context.Context, o owner.Owner, scope Scope, numbers []FactNumber) ([]StoredFact, error)
}

// FactFilter lets facts of a scope through. A store may let through more than it says of
// texts, and nothing less.
type FactFilter struct {
	Kinds  []Kind // nil for all
	Status Status
	// Reversals lets through what was replaced and what has replaced something.
	Reversals bool
	// Says is in the quote, of which the statement is a part, or in the reason, if their
	// letters from A to Z are read as small ones; "" for any text.
	Says string
	// HeldAt lets through what was true at a time, as far as is known today; zero for any.
	HeldAt time.Time
	// Behind is a number; facts begin behind it, in the order of numbers, or in the opposite
	// one.
	Behind FactNumber
	Latest bool
}

// List reads a page of the present facts of a scope from a store. Its counts are zero.
func (q *FactQuery) List(ctx context.Context, from Lister, o owner.Owner, scope Scope) (FactPage, error) {
	var page FactPage
	f := q.filter()
	var err error
	if f.Behind, err = q.behind(ctx, from, o, scope); err != nil {
		return page, err
	}
	for most := q.Limit + 1; !page.More; most = max(most, leastListed) {
		facts, err := from.FactsListed(ctx, o, scope, f, most)
		if err != nil {
			return page, err
		}
		q.fill(&page, facts)
		if len(facts) < most {
			break
		}
		f.Behind = facts[most-1].Number
	}
	return page, nil
}

// Looks reports whether the facts that a query wants are found by their texts. Few facts were
// replaced, and a store lists them by an index.
func (q *FactQuery) Looks() bool { return q.Words != "" && q.Status != ReversedStatus }

// ListOf is List of those of some facts, by rising number, that are wanted.
func (q *FactQuery) ListOf(ctx context.Context, from Lister, o owner.Owner, scope Scope, numbers []FactNumber) (FactPage, error) {
	var page FactPage
	behind, err := q.behind(ctx, from, o, scope)
	if err != nil {
		return page, err
	}
	at, found := slices.BinarySearch(numbers, behind)
	switch {
	case q.Latest:
		numbers = numbers[:at]
	case found:
		numbers = numbers[at+1:]
	default:
		numbers = numbers[at:]
	}
	for most := q.Limit + 1; !page.More && len(numbers) > 0; most = max(most, leastListed) {
		n := min(most, len(numbers))
		some, rest := numbers[:n], numbers[n:]
		if q.Latest {
			some, rest = numbers[len(numbers)-n:], numbers[:len(numbers)-n]
		}
		numbers = rest
		facts, err := from.FactsNumbered(ctx, o, scope, some)
		if err != nil {
			return page, err
		}
		if q.Latest {
			slices.Reverse(facts)
		}
		q.fill(&page, facts)
	}
	return page, nil
}

// fill adds those of some facts to a page that are wanted.
func (q *FactQuery) fill(page *FactPage, facts []StoredFact) {
	for i := range facts {
		if !page.More && q.Wants(&facts[i].Fact) {
			page.add(facts[i].Fact, q.Limit)
		}
	}
}

// leastListed is how many facts are read at once after the first, if the filter let through
// what the query does not want.
const leastListed = 256

// behind is the number behind which the page begins.
func (q *FactQuery) behind(ctx context.Context, from Lister, o owner.Owner, scope Scope) (FactNumber, error) {
	if q.After.ID == "" {
		if q.Latest {
			return math.MaxInt64, nil
		}
		return -1, nil
	}
	facts, err := from.FactsNamed(ctx, o, scope, []FactID{q.After.ID})
	switch {
	case err != nil:
		return 0, err
	case len(facts) > 0:
		return facts[0].Number, nil
	case q.Latest:
		return NumberOf(q.After.Message, 0), nil
	}
	return NumberOf(q.After.Message, MaxPart), nil
}

// filter is what a store can look for.
func (q *FactQuery) filter() FactFilter {
	f := FactFilter{
		Status: q.Status, Latest: q.Latest, Says: sameInSmall(q.Words), HeldAt: q.HeldAt, Reversals: q.Kind == ReversalKind,
	}
	switch {
	case q.Kind != "" && !f.Reversals:
		f.Kinds = []Kind{q.Kind}
	case q.Asserted != nil:
		f.Kinds = slices.DeleteFunc(slices.Clone(numberedKinds[:]), func(k Kind) bool { return k.Asserted() != *q.Asserted })
	}
	return f
}

// sameInSmall is the longest part of words in small letters that a text has, too, if only its
// letters from A to Z are made small.
func sameInSmall(words string) string {
	longest, from := "", 0
	for i := 0; i < len(words); {
		r, n := utf8.DecodeRuneInString(words[i:])
		if i += n; !onlySmall(r) {
			from = i
		} else if i-from > len(longest) {
			longest = words[from:i]
		}
	}
	return longest
}

// onlySmall reports whether a character of a text in small letters was the same before, or
// was a letter from A to Z. The Kelvin sign and the capital I with a dot become k and i.
// Stores may keep the first two characters in another form.
func onlySmall(r rune) bool {
	switch {
	case r == unicode.ReplacementChar, r == 'k', r == 'i', r < 2:
		return false
	case r < utf8.RuneSelf:
		return true
	}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if unicode.ToLower(other) == r {
			return false
		}
	}
	return true
}
