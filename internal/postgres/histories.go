package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// sessionsOf finds lineages by histories.
	sessionsOf = `SELECT m.history, s.id, s.next_seq, s.next_seq = m.seq + 1, s.last_active
		FROM messages m JOIN sessions s ON s.owner_id = m.owner_id AND s.root_id = m.root_id AND s.is_tip
		WHERE m.owner_id = ? AND m.history = ANY(?) AND coalesce(s.session_key, '') = ?`
	// sessionsOfExchange finds lineages by an exchange: two at most, because only one counts.
	sessionsOfExchange = `SELECT DISTINCT s.id, s.next_seq
		FROM messages m JOIN sessions s ON s.owner_id = m.owner_id AND s.root_id = m.root_id AND s.is_tip
		WHERE m.owner_id = ? AND m.exchange = ? AND coalesce(s.session_key, '') = ? AND m.undone_at IS NULL LIMIT 2`
	// historySize is the size of a stored hash, in bytes: enough to tell an owner's
	// histories apart.
	historySize = 16
	// historiesFirst is how many histories, the latest ones, the first query looks for. A
	// client that goes on with its conversation is found by them.
	historiesFirst = 2
	// historiesAtOnce is how many histories every further query looks for.
	historiesAtOnce = 64
)

// keyedHistory is a history in its stored form; nil for none.
func keyedHistory(key, history []byte) any {
	if len(history) != sha256.Size {
		return nil
	}
	keyed := memory.Keyed(key, [sha256.Size]byte(history))
	return keyed[:historySize]
}

// SessionOf implements run.Store.
func (db *DB) SessionOf(ctx context.Context, o owner.Owner, key session.Key, histories [][]byte) (run.Located, error) {
	if err := errNoOwner(o); err != nil {
		return run.Located{}, err
	}
	for size := historiesFirst; len(histories) > 0; size = historiesAtOnce {
		from := max(0, len(histories)-size)
		at, err := db.sessionOf(ctx, o, key, histories[from:])
		if err != nil || at.Session != "" {
			return at, err
		}
		histories = histories[:from]
	}
	return run.Located{}, fault.New(fault.NotFound, "session_not_found", "No session has this history.")
}

// found is a lineage with one of the histories.
type found struct {
	at     run.Located
	place  int  // of the history: the latest is best
	ends   bool // the lineage ends with it
	active int64
}

// better reports whether a lineage fits better than another one.
func (f *found) better(than *found) bool {
	if f.place != than.place {
		return f.place > than.place
	}
	if f.ends != than.ends {
		return f.ends
	}
	return f.active > than.active
}

// sessionOf is the best lineage with one of some histories; zero for none.
func (db *DB) sessionOf(ctx context.Context, o owner.Owner, key session.Key, histories [][]byte) (run.Located, error) {
	keyed := make([][]byte, 0, len(histories))
	for _, h := range histories {
		if k, ok := keyedHistory(db.hashKey, h).([]byte); ok {
			keyed = append(keyed, k)
		}
	}
	rows, err := rowsOf(ctx, db, func(rows *rows) (found, error) {
		var hash []byte
		f := found{}
		err := rows.Scan(&hash, &f.at.Session, &f.at.NextSeq, &f.ends, &f.active)
		f.place = slices.IndexFunc(keyed, func(k []byte) bool { return bytes.Equal(k, hash) })
		return f, err
	}, sessionsOf, o.ID(), keyed, string(key))
	if err != nil {
		return run.Located{}, fmt.Errorf("find session by history: %w", err)
	}
	best := found{}
	for i := range rows {
		if best.at.Session == "" || rows[i].better(&best) {
			best = rows[i]
		}
	}
	return best.at, nil
}

// SessionOfExchange implements run.Store.
func (db *DB) SessionOfExchange(ctx context.Context, o owner.Owner, key session.Key, exchange []byte) (run.Located, error) {
	if err := errNoOwner(o); err != nil {
		return run.Located{}, err
	}
	found, err := rowsOf(ctx, db, func(rows *rows) (at run.Located, err error) {
		err = rows.Scan(&at.Session, &at.NextSeq)
		return at, err
	}, sessionsOfExchange, o.ID(), keyedHistory(db.hashKey, exchange), string(key))
	if err != nil {
		return run.Located{}, fmt.Errorf("find session by exchange: %w", err)
	}
	if len(found) != 1 {
		return run.Located{}, fault.New(fault.NotFound, "session_not_found", "No session has this exchange, or several have it.")
	}
	return found[0], nil
}
