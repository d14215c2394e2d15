package postgres

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// What a list shows: ?3 are kinds or null, ?4 is the status, ?5 whether reversals are wanted,
// ?6 a text in small letters. The index facts_order has all but the links and texts.
const (
	factsLetThrough = ` AND (?3::text[] IS NULL OR f.kind = ANY(?3::text[]))
		AND (?4::text = '' OR (f.superseded_by IS NULL) = (?4::text = 'current'))
		AND (NOT ?5::boolean OR f.superseded_by IS NOT NULL OR position('"supersedes"' IN f.links) > 0)
		AND (?6::text = '' OR position(?6::text IN lower(f.quote)) > 0 OR position(?6::text IN lower(f.because)) > 0)`
	factsForward   = factsLetThrough + ` AND f.number > ?7 ORDER BY f.number LIMIT ?8`
	factsBackward  = factsLetThrough + ` AND f.number < ?7 ORDER BY f.number DESC LIMIT ?8`
	countReversed  = `SELECT count(*) FROM facts f WHERE `
	whichReversed  = ` AND f.superseded_by IS NOT NULL`
	presentOfKey   = `f.owner_id = ?1 AND f.scope_id = (SELECT s.id FROM scopes s WHERE s.owner_id = ?1 AND s.session_key = ?2 AND s.root_id = '')`
	presentOfRoot  = `f.owner_id = ?1 AND f.scope_id = (SELECT s.id FROM scopes s WHERE s.owner_id = ?1 AND s.session_key = '' AND s.root_id = ?2)`
	presentOfWhole = `f.owner_id = ?1 AND ?2::text <> ?2::text`
)

// FactsListed implements memory.Lister.
func (db *DB) FactsListed(
	ctx context.Context, o owner.Owner, scope memory.Scope, f memory.FactFilter, limit int,
) ([]memory.StoredFact, error) {
	var kinds any // null, unlike an empty list
	if f.Kinds != nil {
		kinds = textsOf(f.Kinds)
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
	if err := db.row(ctx, countReversed+present+whichReversed, o.ID(), arg).Scan(&facts); err != nil {
		return 0, fmt.Errorf("count replaced facts: %w", err)
	}
	return facts, nil
}
