package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
)

// The facts of a scope: ?1 is the owner, ?2 the key or the root, ?3 the newest time of
// recording. A whole lineage is no scope, so its facts are found by their place.
const (
	factsByKey     = `f.owner_id = ?1 AND f.scope_id = ` + scopeOfKey + ` AND f.recorded_at <= ?3`
	factsByRoot    = `f.owner_id = ?1 AND f.scope_id = ` + scopeOfRoot + ` AND f.recorded_at <= ?3`
	factsOfLineage = `f.owner_id = ?1 AND f.root_id = ?2 AND f.recorded_at <= ?3`
)

const (
	selectFacts = `SELECT ` + factColumns + ` FROM facts f WHERE `
	untilThen   = ` AND f.recorded_at <= ?3`
	// factsOnShelf selects the facts of a section.
	factsOnShelf = ` AND f.section = wanted AND (f.weight, f.number) < (?5::bigint, ?6::bigint) ORDER BY f.weight DESC, f.number DESC LIMIT ?7) g`
	selectShelf  = `SELECT ` + factColumns + ` FROM unnest(?4::bigint[]) w (wanted) CROSS JOIN LATERAL (SELECT f.* FROM facts f WHERE `
)

// The facts after a number. In a lineage, places and numbers rise together.
var (
	factsSinceOfKey     = selectFacts + factsAbove(scopeOfKey, `?4`) + untilThen + factsRising + `?5`
	factsSinceOfRoot    = selectFacts + factsAbove(scopeOfRoot, `?4`) + untilThen + factsRising + `?5`
	factsSinceOfLineage = selectFacts + factsOfLineage + ` AND f.seq >= ?6 AND f.number > ?4 ORDER BY f.seq, f.number LIMIT ?5`
)

// factPage is how many facts are read before the connection is released for others.
const factPage = 256

// Facts implements memory.Store.
func (db *DB) Facts(ctx context.Context, o owner.Owner, scope memory.Scope, each func(*memory.StoredFact) bool) error {
	var after memory.StoredFact
	for {
		leave, err := db.shared(ctx, o)
		if err != nil {
			return err
		}
		page, err := db.factsAfter(ctx, o, scope, &after, factPage)
		leave()
		if err != nil {
			return err
		}
		for i := range page {
			if !each(&page[i]) {
				return nil
			}
		}
		if len(page) < factPage {
			return nil
		}
		after = page[len(page)-1]
	}
}

// FactsSince implements memory.Reader.
func (db *DB) FactsSince(
	ctx context.Context, o owner.Owner, scope memory.Scope, after memory.FactNumber, limit int,
) ([]memory.StoredFact, error) {
	return db.factsAfter(ctx, o, scope, &memory.StoredFact{Mark: memory.Mark{Number: after}}, limit)
}

// factsAfter reads the facts after one, in the order of numbers.
func (db *DB) factsAfter(
	ctx context.Context, o owner.Owner, scope memory.Scope, after *memory.StoredFact, limit int,
) ([]memory.StoredFact, error) {
	query, arg := ofScope(scope, factsSinceOfKey, factsSinceOfRoot, factsSinceOfLineage)
	args := []any{o.ID(), arg, until(scope.AsOf), int64(after.Number), limit}
	if ofLineage(scope) {
		args = append(args, after.Source.Seq)
	}
	return rowsOf(ctx, db, factScanner(), query, args...)
}

// ofLineage reports whether a scope is a whole lineage.
func ofLineage(scope memory.Scope) bool { return scope.Key == "" && scope.Whole }

// Shelf implements memory.Reader.
func (db *DB) Shelf(
	ctx context.Context, o owner.Owner, scope memory.Scope, sections []memory.Section, behind memory.ShelfPlace, limit int,
) ([]memory.StoredFact, error) {
	if ofLineage(scope) {
		return nil, nil
	}
	list := make([]int64, len(sections))
	for i, section := range sections {
		list[i] = int64(section)
	}
	query, arg := factQuery(scope, selectShelf, factsOnShelf)
	facts, err := appendRows(ctx, db, make([]memory.StoredFact, 0, limit), factScanner(), query,
		o.ID(), arg, int64(math.MaxInt64), list, int64(behind.Weight), int64(behind.Number), limit)
	slices.SortFunc(facts, func(a, b memory.StoredFact) int {
		return cmp.Or(cmp.Compare(a.Section, b.Section), cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Number, a.Number))
	})
	return facts, err
}

// Lookups of rows f by a list of values, ?4.
const (
	factsWanted   = `SELECT ` + factColumns + ` FROM facts f WHERE `
	sameNumber    = `f.number = ANY(?4::bigint[]) AND `
	sameName      = `f.id = ANY(?4::text[]) AND `
	factsOfWanted = `SELECT ` + factColumns + ` FROM unnest(?4::bigint[]) m CROSS JOIN LATERAL
		(SELECT * FROM facts WHERE owner_id = ?1 AND number BETWEEN m << 10 AND (m << 10) + 1023) f WHERE `
	documentsWanted          = `SELECT ` + documentColumns + ` FROM messages f WHERE f.owner_id = ?1 AND f.id = ANY(?4::bigint[]) AND f.recorded_at <= ?3 AND f.undone_at IS NULL AND `
	documentsWantedByKey     = documentsWanted + `f.session_key = ?2`
	documentsWantedByRoot    = documentsWanted + `f.root_id = ?2 AND f.session_key IS NULL`
	documentsWantedOfLineage = documentsWanted + `f.root_id = ?2`
)

// FactsNumbered implements memory.Reader.
func (db *DB) FactsNumbered(
	ctx context.Context, o owner.Owner, scope memory.Scope, numbers []memory.FactNumber,
) ([]memory.StoredFact, error) {
	return lookUp(ctx, db, o, wantedFacts(scope, factsWanted+sameNumber), numbersOf(numbers))
}

// FactsNamed implements memory.Reader.
func (db *DB) FactsNamed(ctx context.Context, o owner.Owner, scope memory.Scope, ids []memory.FactID) ([]memory.StoredFact, error) {
	return lookUp(ctx, db, o, wantedFacts(scope, factsWanted+sameName), textsOf(ids))
}

// FactsOfMessages implements memory.Reader.
func (db *DB) FactsOfMessages(ctx context.Context, o owner.Owner, scope memory.Scope, messages []int64) ([]memory.StoredFact, error) {
	return lookUp(ctx, db, o, wantedFacts(scope, factsOfWanted), messages)
}

// DocumentsNumbered implements memory.Reader.
func (db *DB) DocumentsNumbered(ctx context.Context, o owner.Owner, scope memory.Scope, ids []int64) ([]ranking.Document, error) {
	w := wanted[ranking.Document]{
		asOf: scope.AsOf, scan: func(rows *rows) (ranking.Document, error) { return scanDocument(rows) },
		order: func(a, b ranking.Document) int { return cmp.Compare(a.MessageID, b.MessageID) },
	}
	w.query, w.arg = ofScope(scope, documentsWantedByKey, documentsWantedByRoot, documentsWantedOfLineage)
	return lookUp(ctx, db, o, w, ids)
}

const (
	documentsBefore = `SELECT ` + documentColumns + ` FROM messages WHERE owner_id = ?1 AND root_id = ?4 AND seq < ?5
		AND recorded_at <= ?3 AND undone_at IS NULL AND `
	newestBefore             = ` ORDER BY seq DESC LIMIT ?6`
	documentsBeforeByKey     = documentsBefore + `session_key = ?2` + newestBefore
	documentsBeforeByRoot    = documentsBefore + `root_id = ?2 AND session_key IS NULL` + newestBefore
	documentsBeforeOfLineage = documentsBefore + `root_id = ?2` + newestBefore
)

// DocumentsBefore implements memory.Reader.
func (db *DB) DocumentsBefore(
	ctx context.Context, o owner.Owner, scope memory.Scope, root session.ID, seq int64, limit int,
) ([]ranking.Document, error) {
	query, arg := ofScope(scope, documentsBeforeByKey, documentsBeforeByRoot, documentsBeforeOfLineage)
	read := func(rows *rows) (ranking.Document, error) { return scanDocument(rows) }
	return rowsOf(ctx, db, read, query, o.ID(), arg, until(scope.AsOf), string(root), seq, limit)
}

const (
	idsByKey = `SELECT id FROM messages WHERE owner_id = ?1 AND session_key IS NOT NULL AND (session_key, id) >= (?2, ?3) AND (session_key, id) <= (?2, ?4)
		ORDER BY session_key, id`
	idsOfRoot = `SELECT id FROM messages WHERE owner_id = ?1 AND root_id = ?2 AND id BETWEEN ?3 AND ?4
		AND seq >= coalesce((SELECT seq FROM messages WHERE id = ?3::bigint - 1 AND owner_id = ?1 AND root_id = ?2), 0)`
	idsByRoot    = idsOfRoot + ` AND session_key IS NULL ORDER BY seq`
	idsOfLineage = idsOfRoot + ` ORDER BY seq`
)

// MessageIDs implements memory.Reader.
func (db *DB) MessageIDs(ctx context.Context, o owner.Owner, scope memory.Scope, span memory.Span) ([]int64, error) {
	query, arg := ofScope(scope, idsByKey, idsByRoot, idsOfLineage)
	return rowsOf(ctx, db, func(rows *rows) (id int64, err error) {
		err = rows.Scan(&id)
		return id, err
	}, query, o.ID(), arg, span.First, span.Last)
}

// numbersOf are numbers of a named type as an argument.
func numbersOf[N ~int64](values []N) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

// wanted is a lookup of rows R in a scope.
type wanted[R any] struct {
	query, arg string // arg is the key or the root of the scope
	asOf       time.Time
	scan       func(*rows) (R, error)
	order      func(a, b R) int
}

// wantedFacts is a lookup of facts; head is the beginning of the statement.
func wantedFacts(scope memory.Scope, head string) wanted[memory.StoredFact] {
	w := wanted[memory.StoredFact]{
		asOf: scope.AsOf, scan: factScanner(),
		order: func(a, b memory.StoredFact) int { return cmp.Compare(a.Number, b.Number) },
	}
	w.query, w.arg = factQuery(scope, head, "")
	return w
}

// factQuery is a query for the facts of a scope, and the key or the root of the scope.
func factQuery(scope memory.Scope, head, tail string) (query, arg string) {
	condition, arg := ofScope(scope, factsByKey, factsByRoot, factsOfLineage)
	return head + condition + tail, arg
}

// lookUp reads the rows for a list of values.
func lookUp[V, R any](ctx context.Context, db *DB, o owner.Owner, w wanted[R], values []V) ([]R, error) {
	if len(values) == 0 {
		return nil, nil
	}
	rows, err := appendRows(ctx, db, make([]R, 0, len(values)), w.scan, w.query, o.ID(), w.arg, until(w.asOf), values)
	slices.SortFunc(rows, w.order)
	return rows, err
}

// factScanner returns a function that reads rows of factColumns, for one query.
func factScanner() func(*rows) (memory.StoredFact, error) {
	r, into := storage.NewFactReader()
	return func(rows *rows) (memory.StoredFact, error) {
		if err := rows.Scan(into...); err != nil {
			return memory.StoredFact{}, fmt.Errorf("read fact: %w", err)
		}
		return r.Fact(), nil
	}
}
