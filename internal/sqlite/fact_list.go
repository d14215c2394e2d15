package sqlite

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// What a list shows: ?3 are kinds in JSON or null, ?4 is the status, ?5 whether reversals are
// wanted, ?6 a text in small letters. The index facts_order has all but the links and texts.
const (
	factsLetThrough = ` AND (?3 IS NULL OR f.kind IN (SELECT value FROM json_each(?3)))
		AND (?4 = '' OR (f.superseded_by IS NULL) = (?4 = 'current'))
		AND (?5 = 0 OR f.superseded_by IS NOT NULL OR instr(f.links, '"supersedes"') > 0)
		AND (?6 = '' OR instr(lower(f.quote), ?6) > 0 OR f.because IS NOT NULL AND instr(lower(f.because), ?6) > 0)`
	factsForward   = factsLetThrough + ` AND f.number > ?7 ORDER BY f.number LIMIT 0+?8`
	factsBackward  = factsLetThrough + ` AND f.number < ?7 ORDER BY f.number DESC LIMIT 0+?8`
	countReversed  = `SELECT count(*) FROM facts f WHERE `
	whichReversed  = ` AND f.superseded_by IS NOT NULL`
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
	return rowsOf(ctx, db, factScanner(), selectFacts+present+tail,
		o.ID(), arg, kinds, string(f.Status), f.Reversals, f.Says, int64(f.Behind), limit)
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
