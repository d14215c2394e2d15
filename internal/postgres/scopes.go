package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Every write of a scope raises the version in the scope's row. A change of what pieces may
// hold also raises the edition: a piece that was made from an earlier edition is not taken
// into the manifest.

// scopeName names a scope of an owner as the table scopes does.
type scopeName struct{ key, root string }

// scopeOf is the scope that a message belongs to.
func scopeOf(m *session.Message) scopeName {
	if m.Key != "" {
		return scopeName{key: string(m.Key)}
	}
	return scopeName{root: string(m.RootID)}
}

// nameOf is the name of a scope. A whole lineage has none.
func nameOf(s memory.Scope) (name scopeName, found bool) {
	if s.Key != "" {
		return scopeName{key: string(s.Key)}, true
	}
	return scopeName{root: string(s.Root)}, !s.Whole
}

// written is a scope that a step adds messages to, with their lowest and highest id.
type written struct {
	name        scopeName
	first, last int64
	id          int64 // of the scope's row
	was, is     memory.Version
}

// idOf is the id of a scope among those of a step.
func idOf(scopes []written, name scopeName) int64 {
	for i := range scopes {
		if scopes[i].name == name {
			return scopes[i].id
		}
	}
	return 0
}

// writtenBy are the scopes of the messages of a step: one, unless the step is a copy.
func writtenBy(messages []session.Message) []written {
	var out []written
	for i := range messages {
		m := &messages[i]
		name := scopeOf(m)
		at := slices.IndexFunc(out, func(w written) bool { return w.name == name })
		if at < 0 {
			out = append(out, written{name: name, first: m.ID, last: m.ID})
			continue
		}
		out[at].first, out[at].last = min(out[at].first, m.ID), max(out[at].last, m.ID)
	}
	return out
}

const (
	// writeScope raises the version for messages from ?4 to ?5. A message below the newest
	// one may be missing in a piece that is being made.
	writeScope = `UPDATE scopes SET version = version + 1, edition = edition + CASE WHEN ?4::bigint <= newest THEN 1 ELSE 0 END, newest = greatest(newest, ?5)
		WHERE owner_id = ?1 AND session_key = ?2 AND root_id = ?3 RETURNING id, version - 1, ?4::bigint <= covered`
	openScope = `INSERT INTO scopes (owner_id, session_key, root_id, version, edition, newest, covered, stale) VALUES (?,?,?,1,1,?,0,false) RETURNING id`
	findScope = `SELECT id, version FROM scopes WHERE owner_id = ? AND session_key = ? AND root_id = ?`
)

// writeScopes notes in the rows of scopes that messages are added. It fails with Conflict
// if want is another version than that of a scope.
func (t *tx) writeScopes(o owner.Owner, messages []session.Message, want memory.Version) ([]written, error) {
	scopes := writtenBy(messages)
	for i := range scopes {
		if err := t.writeScope(o, &scopes[i], want); err != nil {
			return nil, err
		}
	}
	return scopes, nil
}

func (t *tx) writeScope(o owner.Owner, s *written, want memory.Version) error {
	var was memory.Version
	var behind bool
	err := t.row(writeScope, o.ID(), s.name.key, s.name.root, s.first, s.last).Scan(&s.id, &was, &behind)
	if isNoRows(err) {
		was = memory.Unwritten
		err = t.row(openScope, o.ID(), s.name.key, s.name.root, s.last).Scan(&s.id)
	}
	if err != nil {
		return fmt.Errorf("write scope: %w", err)
	}
	if want != 0 && want != was {
		return errRetold()
	}
	s.was, s.is = was, max(was, 0)+1
	if behind {
		t.losePieces(o, s.id, deadPiece, everyKind, memory.Span{First: s.first, Last: s.last})
	}
	return nil
}

// markStale marks scopes whose facts lack messages of the step that has just been written.
func (t *tx) markStale(o owner.Owner, unlearnt []memory.Scope, scopes []written) {
	for _, s := range unlearnt {
		name, _ := nameOf(s)
		t.send("mark a scope", `UPDATE scopes SET stale = true WHERE owner_id = ? AND id = ?`, o.ID(), idOf(scopes, name))
	}
}

// errScopeMoved says that a scope has another version than the one that was expected.
var errScopeMoved = errors.New("the scope has another version")

// writeKnown is writeScope for a scope whose version is ?3. It divides by zero if the scope has
// another one, or if pieces may hold messages behind ?4.
const writeKnown = `WITH w AS (UPDATE scopes SET version = version + 1, edition = edition + CASE WHEN ?4::bigint <= newest THEN 1 ELSE 0 END, newest = greatest(newest, ?5)
	WHERE owner_id = ?1 AND id = ?2 AND version = ?3 AND covered < ?4::bigint RETURNING id) SELECT 1 / count(*) FROM w`

// writeKnownScope is writeScopes for a step whose scope is known. It waits for no answer: the
// transaction fails with errScopeMoved if the scope has changed.
func (t *tx) writeKnownScope(o owner.Owner, step *lineage.Step) ([]written, bool) {
	id, at, known := step.Known()
	scopes := writtenBy(step.Messages)
	if !known || len(scopes) != 1 {
		return nil, false
	}
	s := &scopes[0]
	t.must("write a scope", errScopeMoved, writeKnown, o.ID(), int64(id), int64(at), s.first, s.last)
	s.id, s.was, s.is = int64(id), at, at+1
	return scopes, true
}

// findScope returns the id and the version of a scope; 0 and Unwritten if it has no
// messages.
func (t *tx) findScope(o owner.Owner, name scopeName) (id int64, version memory.Version, err error) {
	err = t.row(findScope, o.ID(), name.key, name.root).Scan(&id, &version)
	if isNoRows(err) {
		return 0, memory.Unwritten, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("find scope: %w", err)
	}
	return id, version, nil
}

// touched are the scopes that an operation changes, by id. The value says whether pieces
// may hold what changed.
type touched map[int64]bool

func (s touched) add(id int64, pieces bool) { s[id] = s[id] || pieces }

// touch raises the version of scopes, and the edition where pieces may hold what changed.
func (t *tx) touch(o owner.Owner, scopes touched) {
	const raise = `UPDATE scopes SET version = version + 1, edition = edition + CASE WHEN ?::boolean THEN 1 ELSE 0 END WHERE owner_id = ? AND id = ?`
	for _, id := range slices.Sorted(maps.Keys(scopes)) {
		t.send("touch a scope", raise, scopes[id], o.ID(), id)
	}
}

// scopesOfMessages joins scopes s to messages m.
const scopesOfMessages = ` JOIN scopes s ON s.owner_id = m.owner_id AND s.session_key = coalesce(m.session_key, '')
	AND s.root_id = CASE WHEN m.session_key IS NULL THEN m.root_id ELSE '' END `

const (
	selectManifest = `SELECT s.id, s.version, s.edition, s.stale, s.withdrawn, p.id, p.kind, p.format, p.first_id, p.last_id, p.count, p.blocks
		FROM scopes s LEFT JOIN pieces p ON p.owner_id = s.owner_id AND p.scope_id = s.id AND p.state = 'live'
		WHERE s.owner_id = ? AND s.session_key = ? AND s.root_id = ? ORDER BY p.kind, p.first_id`
)

// Manifest implements memory.PieceStore.
func (db *DB) Manifest(ctx context.Context, o owner.Owner, scope memory.Scope) (memory.Manifest, error) {
	m := memory.Manifest{Version: memory.Unwritten}
	name, found := nameOf(scope)
	if !found {
		return m, nil
	}
	got, err := db.query(ctx, selectManifest, o.ID(), name.key, name.root)
	if err == nil {
		err = scanAll(got, func(r *rows) error { return scanManifest(r, &m) })
	}
	if err != nil {
		return memory.Manifest{Version: memory.Unwritten}, fmt.Errorf("read manifest: %w", err)
	}
	return m, nil
}

// scanManifest reads a row of selectManifest into a manifest: a piece, and what all rows repeat. A
// scope without pieces has one row, without a piece.
func scanManifest(rows *rows, m *memory.Manifest) error {
	var withdrawn, kind sql.NullString
	var id, format, first, last, count, blocks sql.NullInt64
	err := rows.Scan(&m.Scope, &m.Version, &m.Edition, &m.Stale, &withdrawn, &id, &kind, &format, &first, &last, &count, &blocks)
	if err != nil {
		return err
	}
	m.Withdrawn = spansOf(withdrawn.String)
	if id.Valid {
		m.Pieces = append(m.Pieces, memory.Piece{
			ID: memory.PieceID(id.Int64), Kind: memory.PieceKind(kind.String), Format: int(format.Int64),
			Span: memory.Span{First: first.Int64, Last: last.Int64}, Count: int(count.Int64), Blocks: int(blocks.Int64),
		})
	}
	return nil
}

// spansOf decodes the column withdrawn. A damaged one counts as empty.
func spansOf(text string) []memory.Span {
	var list [][2]int64
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	spans := make([]memory.Span, len(list))
	for i, s := range list {
		spans[i] = memory.Span{First: s[0], Last: s[1]}
	}
	return spans
}

// spansText encodes spans for the column withdrawn; null for none.
func spansText(spans []memory.Span) (any, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	list := make([][2]int64, len(spans))
	for i, s := range spans {
		list[i] = [2]int64{s.First, s.Last}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("encode withdrawn messages: %w", err)
	}
	return string(text), nil
}

// Scopes implements memory.Store.
func (db *DB) Scopes(ctx context.Context, o owner.Owner) ([]memory.Scope, error) {
	return rowsOf(ctx, db, func(rows *rows) (memory.Scope, error) {
		var s memory.Scope
		err := rows.Scan(&s.Root, &s.Key)
		return s, err
	}, `SELECT root_id, session_key FROM scopes WHERE owner_id = ? ORDER BY session_key, root_id`, o.ID())
}
