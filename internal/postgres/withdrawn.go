package postgres

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxWithdrawn is how many ranges of undone messages a scope's row lists. Beyond that, the
// pieces that hold the undone messages leave the manifest.
const maxWithdrawn = 256

// withdraw notes in the rows of scopes that the messages of a lineage from a place to
// another are undone.
func (t *tx) withdraw(o owner.Owner, root session.ID, from, to int64, scopes touched) error {
	const query = `SELECT s.id, m.id, EXISTS (SELECT 1 FROM pieces p WHERE p.owner_id = s.owner_id AND p.scope_id = s.id AND p.state = 'live'
			AND m.id BETWEEN p.first_id AND p.last_id)
		FROM messages m` + scopesOfMessages + `WHERE m.owner_id = ? AND m.root_id = ? AND m.seq >= ? AND m.seq < ? AND m.undone_at IS NULL`
	held := make(map[int64][]memory.Span)
	err := t.rows(func(rows *rows) error {
		var scope, id int64
		var inPiece bool
		if err := rows.Scan(&scope, &id, &inPiece); err != nil {
			return err
		}
		scopes.add(scope, true)
		if inPiece {
			held[scope] = append(held[scope], memory.Span{First: id, Last: id})
		}
		return nil
	}, query, o.ID(), string(root), from, to)
	if err != nil {
		return fmt.Errorf("look for undone messages: %w", err)
	}
	for _, scope := range slices.Sorted(maps.Keys(held)) {
		if err := t.addWithdrawn(o, scope, held[scope]); err != nil {
			return err
		}
	}
	return nil
}

// addWithdrawn adds to the withdrawn messages of a scope.
func (t *tx) addWithdrawn(o owner.Owner, scope int64, spans []memory.Span) error {
	var text sql.NullString
	if err := t.row(`SELECT withdrawn FROM scopes WHERE owner_id = ? AND id = ?`, o.ID(), scope).Scan(&text); err != nil {
		return fmt.Errorf("read withdrawn messages: %w", err)
	}
	all := memory.SpansOf(append(spansOf(text.String), spans...))
	if len(all) > maxWithdrawn {
		for _, s := range all {
			t.losePieces(o, scope, deadPiece, everyKind, s)
		}
		all = nil
	}
	list, err := spansText(all)
	if err != nil {
		return err
	}
	t.send("store withdrawn messages", `UPDATE scopes SET withdrawn = ? WHERE owner_id = ? AND id = ?`, list, o.ID(), scope)
	return nil
}

// losing is a scope that is about to lose the messages of a lineage.
type losing struct {
	id    int64
	ids   memory.Span // of the messages
	facts bool        // it loses facts, too
}

// scopesOfLineage are the scopes of a lineage's messages, which are about to be deleted.
// The pieces that hold them leave the manifest.
func (t *tx) scopesOfLineage(o owner.Owner, root session.ID) ([]losing, error) {
	const query = `SELECT s.id, min(m.id), max(m.id), EXISTS (SELECT 1 FROM facts f WHERE f.owner_id = ?1 AND f.root_id = ?2 AND f.scope_id = s.id)
		FROM messages m` + scopesOfMessages + `WHERE m.owner_id = ?1 AND m.root_id = ?2 GROUP BY s.id`
	const held = `UPDATE pieces SET state = 'erased' WHERE owner_id = ?4 AND scope_id = ?1 AND state = 'live' AND first_id <= ?3 AND last_id >= ?2
		AND EXISTS (SELECT 1 FROM messages m WHERE m.owner_id = ?4 AND m.root_id = ?5 AND m.id BETWEEN first_id AND last_id)`
	var scopes []losing
	err := t.rows(func(rows *rows) error {
		var s losing
		err := rows.Scan(&s.id, &s.ids.First, &s.ids.Last, &s.facts)
		scopes = append(scopes, s)
		return err
	}, query, o.ID(), string(root))
	if err != nil {
		return nil, fmt.Errorf("look for scopes: %w", err)
	}
	for _, s := range scopes {
		t.unpiece("lose pieces", held, s.id, s.ids.First, s.ids.Last, o.ID(), string(root))
	}
	return scopes, nil
}

// eraseFromScopes raises the versions of scopes that have lost messages. A scope without
// messages goes with its pieces: that of the lineage does, and that of a key may.
func (t *tx) eraseFromScopes(o owner.Owner, scopes []losing) {
	const raise = `UPDATE scopes SET version = version + 1, edition = edition + 1, stale = stale OR ? WHERE owner_id = ? AND id = ?`
	const empty = `DELETE FROM scopes WHERE owner_id = ? AND id = ? AND NOT EXISTS
		(SELECT 1 FROM messages m WHERE m.owner_id = scopes.owner_id AND m.session_key = scopes.session_key)`
	const lose = `UPDATE pieces SET state = 'erased' WHERE owner_id = ?1 AND scope_id = ?2
		AND (state <> 'live' OR NOT EXISTS (SELECT 1 FROM scopes WHERE owner_id = ?1 AND id = ?2))`
	for _, s := range scopes {
		t.send("write a scope", raise, s.facts, o.ID(), s.id)
		t.send("delete a scope", empty, o.ID(), s.id)
		t.unpiece("lose pieces", lose, o.ID(), s.id)
	}
}
