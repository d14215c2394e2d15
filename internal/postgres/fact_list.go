package postgres

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// What a list shows: ?3 are kinds or null, ?4 is whether reversals are wanted, ?5 a text in
// small letters, ?8 a time at which the facts held or null.
const (
	factsLetThrough = ` AND (?3::text[] IS NULL OR f.kind = ANY(?3::text[]))
		AND (NOT ?4::boolean OR f.superseded_by IS NOT NULL OR position('"supersedes"' IN f.links) > 0)
		AND (?5::text = '' OR position(?5::text IN lower(f.quote)) > 0 OR position(?5::text IN lower(f.because)) > 0)
		AND (?8::bigint IS NULL OR f.said_at <= ?8::bigint AND (f.superseded_by IS NULL OR f.superseded_at > ?8::bigint))`
	factTexts      = `SELECT f.number, f.kind, f.quote, coalesce(f.because, '') FROM facts f WHERE `
	countReversed  = `SELECT count(*) FROM facts f WHERE `
	whichReversed  = ` AND f.superseded_by IS NOT NULL`
	whichHold      = ` AND f.superseded_by IS NULL`
	presentOfKey   = `f.owner_id = ?1 AND f.scope_id = ` + scopeOfKey
	presentOfRoot  = `f.owner_id = ?1 AND f.scope_id = ` + scopeOfRoot
	presentOfWhole = `f.owner_id = ?1 AND ?2::text <> ?2::text`

	noTexts     = presentOfWhole + ` AND ?3::bigint = ?4::bigint`
	noneOfWhole = presentOfWhole + ` AND ?6::bigint = 0`
)

var (
	textsOfKey     = factsAbove(scopeOfKey, `?3`) + factsRising + `?4`
	textsOfRoot    = factsAbove(scopeOfRoot, `?3`) + factsRising + `?4`
	forwardOfKey   = factsAbove(scopeOfKey, `?6`)
	forwardOfRoot  = factsAbove(scopeOfRoot, `?6`)
	backwardOfKey  = factsBelow(scopeOfKey, `?6`)
	backwardOfRoot = factsBelow(scopeOfRoot, `?6`)
)

// FactsListed implements memory.Lister.
func (db *DB) FactsListed(
	ctx context.Context, o owner.Owner, scope memory.Scope, f memory.FactFilter, limit int,
) ([]memory.StoredFact, error) {
	var kinds any // null, unlike an empty list
	if f.Kinds != nil {
		kinds = textsOf(f.Kinds)
	}
	listed, arg := ofScope(scope, forwardOfKey, forwardOfRoot, noneOfWhole)
	order := factsRising
	if f.Latest {
		listed, arg = ofScope(scope, backwardOfKey, backwardOfRoot, noneOfWhole)
		order = factsFalling
	}
	leave, err := db.shared(ctx, o)
	if err != nil {
		return nil, err
	}
	defer leave()
	return rowsOf(ctx, db, factScanner(), selectFacts+listed+withStatus(f.Status)+factsLetThrough+order+`?7`,
		o.ID(), arg, kinds, f.Reversals, f.Says, int64(f.Behind), limit, millis(f.HeldAt))
}

// FactTexts implements memory.Lister.
func (db *DB) FactTexts(
	ctx context.Context, o owner.Owner, scope memory.Scope, behind memory.FactNumber, limit int,
) ([]memory.FactText, error) {
	texts, arg := ofScope(scope, textsOfKey, textsOfRoot, noTexts)
	leave, err := db.shared(ctx, o)
	if err != nil {
		return nil, err
	}
	defer leave()
	return rowsOf(ctx, db, scanFactText, factTexts+texts, o.ID(), arg, int64(behind), limit)
}

// scanFactText reads a row of factTexts.
func scanFactText(rows *rows) (f memory.FactText, err error) {
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
	if err := db.row(ctx, countReversed+present+whichReversed, o.ID(), arg).Scan(&facts); err != nil {
		return 0, fmt.Errorf("count replaced facts: %w", err)
	}
	return facts, nil
}
