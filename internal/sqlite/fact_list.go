package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// What a list shows: ?3 are kinds in JSON or null, ?4 is whether reversals are wanted, ?5 a text
// in small letters, ?8 a time at which the facts held or null. The index facts_order has the kind and
// the status, too.
const (
	factsLetThrough = ` AND (?3 IS NULL OR f.kind IN (SELECT value FROM json_each(?3)))
		AND (?4 = 0 OR f.superseded_by IS NOT NULL OR instr(f.links, '"supersedes"') > 0)
		AND (?5 = '' OR instr(lower(f.quote), ?5) > 0 OR f.because IS NOT NULL AND instr(lower(f.because), ?5) > 0)
		AND (?8 IS NULL OR f.said_at <= ?8 AND (f.superseded_by IS NULL OR f.superseded_at > ?8))`
	factsForward   = factsLetThrough + ` AND f.number > ?6 ORDER BY f.number LIMIT 0+?7`
	factsBackward  = factsLetThrough + ` AND f.number < ?6 ORDER BY f.number DESC LIMIT 0+?7`
	factTexts      = `SELECT f.number, f.kind, f.quote, coalesce(f.because, '') FROM facts f WHERE `
	textsBehind    = ` AND f.number > ?3 ORDER BY f.number LIMIT 0+?4`
	countReversed  = `SELECT count(*) FROM facts f WHERE `
	whichReversed  = ` AND f.superseded_by IS NOT NULL`
	whichHold      = ` AND f.superseded_by IS NULL`
	presentOfKey   = `f.scope_id = (SELECT s.id FROM scopes s WHERE s.owner_id = ?1 AND s.session_key = ?2 AND s.root_id = '')`
	presentOfRoot  = `f.scope_id = (SELECT s.id FROM scopes s WHERE s.owner_id = ?1 AND s.session_key = '' AND s.root_id = ?2)`
	presentOfWhole = `?1 <> ?1 AND ?2 <> ?2`
)

// FactsListed implements memory.Lister.
func (db *DB) FactsListed(
	ctx context.Context, o owner.Owner, scope memory.Scope, f memory.FactFilter, limit int,
) ([]memory.StoredFact, error) {
	var kinds any
	if f.Kinds != nil {
		list, err := listOf(f.Kinds)
		if err != nil {
			return nil, err
		}
		kinds = list
	}
	tail := factsForward
	if f.Latest {
		tail = factsBackward
	}
	present, arg := ofScope(scope, presentOfKey, presentOfRoot, presentOfWhole)
	leave, err := db.shared(ctx, o)
	if err != nil {
		return nil, err
	}
	defer leave()
	return rowsOf(ctx, db, factScanner(), selectFacts+present+withStatus(f.Status)+tail,
		o.ID(), arg, kinds, f.Reversals, f.Says, int64(f.Behind), limit, millis(f.HeldAt))
}

// FactTexts implements memory.Lister.
func (db *DB) FactTexts(
	ctx context.Context, o owner.Owner, scope memory.Scope, behind memory.FactNumber, limit int,
) ([]memory.FactText, error) {
	present, arg := ofScope(scope, presentOfKey, presentOfRoot, presentOfWhole)
	leave, err := db.shared(ctx, o)
	if err != nil {
		return nil, err
	}
	defer leave()
	return rowsOf(ctx, db, scanFactText, factTexts+present+textsBehind, o.ID(), arg, int64(behind), limit)
}

// scanFactText reads a row of factTexts.
func scanFactText(rows *sql.Rows) (f memory.FactText, err error) {
	var number int64
	var kind string
	if err := rows.Scan(&number, &kind, &f.Quote, &f.Because); err != nil {
		return f, fmt.Errorf("read the text of a fact: %w", err)
	}
	f.Number, f.Kind = memory.FactNumber(number), memory.Kind(kind)
	return f, nil
}

// withStatus selects the facts of a status.
func withStatus(status memory.Status) string {
	switch status {
	case memory.CurrentStatus:
		return whichHold
	case memory.ReversedStatus:
		return whichReversed
	case memory.AnyStatus:
	}
	return ""
}

// FactsReversed implements memory.Lister.
func (db *DB) FactsReversed(ctx context.Context, o owner.Owner, scope memory.Scope) (facts int, err error) {
	present, arg := ofScope(scope, presentOfKey, presentOfRoot, presentOfWhole)
	st, err := db.read.stmt(ctx, countReversed+present+whichReversed)
	if err != nil {
		return 0, err
	}
	if err := st.QueryRowContext(ctx, o.ID(), arg).Scan(&facts); err != nil {
		return 0, fmt.Errorf("count replaced facts: %w", err)
	}
	return facts, nil
}
