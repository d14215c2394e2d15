package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/session"
)

// owe notes that providers which were told messages of a lineage, from a Seq to another,
// are to forget those that still stand. It is called before the messages change.
func (t *tx) owe(o owner.Owner, root session.ID, from, to int64) {
	const owe = `INSERT INTO provider_debts AS d (owner_id, provider, name, message_id, owed_at, wake_at)
		SELECT DISTINCT m.owner_id, n.provider, n.name, m.id, ?5::bigint, ?6::bigint FROM provider_marks k
		JOIN messages m ON m.owner_id = k.owner_id AND m.root_id = k.root_id
			AND m.seq >= greatest(?3, k.told_from) AND m.seq < least(?4, k.sent_to)
			AND m.undone_at IS NULL AND m.role IN ('user', 'assistant')
			AND CASE WHEN m.session_key IS NULL THEN 'r:' || m.root_id ELSE 'k:' || m.session_key END = k.source
		JOIN provider_names n ON n.owner_id = k.owner_id AND n.source = k.source AND n.provider = k.provider AND n.current
		WHERE k.owner_id = ?1 AND k.root_id = ?2
		ON CONFLICT (owner_id, provider, name, message_id) DO UPDATE SET wake_at = coalesce(d.wake_at, excluded.wake_at)`
	now := time.Now()
	t.send("note what a provider is to forget", owe, o.ID(), string(root), from, to, bound.Millis(now), bound.Millis(now.Add(provider.Head)))
}

// DueDebts implements provider.Debts.
func (db *DB) DueDebts(ctx context.Context, to string, at time.Time, limit int) ([]provider.DueDebt, time.Time, error) {
	due, err := rowsOf(ctx, db, func(rows *rows) (provider.DueDebt, error) {
		var o string
		var d provider.DueDebt
		err := rows.Scan(&o, &d.Name)
		d.Owner = owner.Stored(o)
		return d, err
	}, `SELECT owner_id, name FROM provider_debts WHERE provider = ? AND wake_at <= ? GROUP BY owner_id, name
		ORDER BY min(wake_at), owner_id, name LIMIT ?`, to, bound.Millis(at), limit)
	if err != nil {
		return nil, time.Time{}, err
	}
	var next sql.NullInt64
	if err := db.row(ctx, `SELECT min(wake_at) FROM provider_debts WHERE provider = ? AND wake_at > ?`, to, bound.Millis(at)).Scan(&next); err != nil {
		return nil, time.Time{}, fmt.Errorf("look for the next debt: %w", err)
	}
	return due, fromMillis(next), nil
}

// debts is the query for debts, by place. A place has nothing else if no lineage has a mark
// for its source.
const debts = `SELECT d.provider, d.name, min(d.message_id) = 0, count(nullif(d.message_id, 0)), min(d.owed_at), max(d.asked_at), min(d.wake_at), max(d.attempts),
	max(d.error), NOT EXISTS (SELECT 1 FROM provider_names n
		JOIN provider_marks k ON k.owner_id = n.owner_id AND k.provider = n.provider AND k.source = n.source
		WHERE n.owner_id = d.owner_id AND n.provider = d.provider AND n.name = d.name AND n.current)
	FROM provider_debts d WHERE d.owner_id = ?1`

func scanDebt(rows *rows) (provider.Debt, error) {
	var d provider.Debt
	var owed int64
	var asked, wake sql.NullInt64
	var problem sql.NullString
	if err := rows.Scan(&d.Provider, &d.Name, &d.Whole, &d.Count, &owed, &asked, &wake, &d.Attempts, &problem, &d.Alone); err != nil {
		return d, fmt.Errorf("read a debt: %w", err)
	}
	d.OwedAt, d.AskedAt, d.WakeAt, d.Error = bound.FromMillis(owed), fromMillis(asked), fromMillis(wake), problem.String
	return d, nil
}

// Debt implements provider.Debts.
func (db *DB) Debt(ctx context.Context, o owner.Owner, to, name string) (provider.Debt, error) {
	ids, err := rowsOf(ctx, db, func(rows *rows) (id int64, err error) { return id, rows.Scan(&id) },
		`SELECT message_id FROM provider_debts WHERE owner_id = ? AND provider = ? AND name = ? AND message_id > 0 ORDER BY message_id`, o.ID(), to, name)
	if err != nil {
		return provider.Debt{}, err
	}
	list, err := rowsOf(ctx, db, scanDebt, debts+` AND d.provider = ?2 AND d.name = ?3 GROUP BY d.owner_id, d.provider, d.name`, o.ID(), to, name)
	if err != nil {
		return provider.Debt{}, err
	}
	if len(list) == 0 {
		return provider.Debt{}, fault.New(fault.NotFound, "debt_not_found", "There is nothing to forget at this place.")
	}
	list[0].IDs = ids
	return list[0], nil
}

// Debts implements provider.Debts.
func (db *DB) Debts(ctx context.Context, o owner.Owner) ([]provider.Debt, error) {
	return rowsOf(ctx, db, scanDebt, debts+` GROUP BY d.owner_id, d.provider, d.name ORDER BY min(d.owed_at), d.provider, d.name`, o.ID())
}

// EmptyPlace implements provider.Debts.
func (db *DB) EmptyPlace(ctx context.Context, o owner.Owner, to, name string, again bool) ([]session.ID, error) {
	var roots []session.ID
	err := db.w.submit(ctx, o, func(t *tx) (err error) {
		t.send("owe a place", `INSERT INTO provider_debts (owner_id, provider, name, message_id, owed_at, asked_at, wake_at, attempts, error)
			SELECT owner_id, provider, name, 0, min(owed_at), max(asked_at), min(wake_at), max(attempts), max(error) FROM provider_debts
			WHERE owner_id = ?1 AND provider = ?2 AND name = ?3 GROUP BY owner_id, provider, name ON CONFLICT DO NOTHING`, o.ID(), to, name)
		t.send("owe a place", `DELETE FROM provider_debts WHERE owner_id = ?1 AND provider = ?2 AND name = ?3 AND message_id > 0`, o.ID(), to, name)
		t.send("leave a name", `UPDATE provider_names SET current = false WHERE owner_id = ?1 AND provider = ?2 AND name = ?3`, o.ID(), to, name)
		if again {
			roots, err = t.tellAgain(o, to, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("empty a provider's place: %w", err)
	}
	return roots, nil
}

// tellAgain forgets what a provider was told of a place, so that it is told again.
func (t *tx) tellAgain(o owner.Owner, to, name string) ([]session.ID, error) {
	roots, err := t.roots(`DELETE FROM provider_marks WHERE owner_id = ?1 AND provider = ?2
		AND source = (SELECT source FROM provider_names WHERE owner_id = ?1 AND provider = ?2 AND name = ?3) RETURNING root_id`, o.ID(), to, name)
	for _, root := range roots {
		t.send("tell a lineage again", `UPDATE provider_lineages SET done_to = 0 WHERE owner_id = ? AND provider = ? AND root_id = ?`,
			o.ID(), to, string(root))
		t.send("end a claim", `UPDATE work SET state = 'waiting', fence = fence + 1 WHERE owner_id = ? AND kind = ? AND root_id = ?`,
			o.ID(), string(provider.Telling), string(root)) // of another process
	}
	return roots, err
}

// SettleDebt implements provider.Debts.
func (db *DB) SettleDebt(ctx context.Context, o owner.Owner, d *provider.Debt, paid bool) error {
	ids := d.IDs
	if d.Whole {
		ids = append(ids[:len(ids):len(ids)], 0)
	}
	const of = ` WHERE owner_id = ? AND provider = ? AND name = ? AND message_id = ANY(?)`
	which := []any{o.ID(), d.Provider, d.Name, ids}
	return db.w.submit(ctx, o, func(t *tx) error {
		if paid {
			t.send("settle a debt", `DELETE FROM provider_debts`+of, which...)
			return nil
		}
		t.send("settle a debt", `UPDATE provider_debts SET asked_at = ?, wake_at = ?, attempts = ?, error = ?`+of,
			append([]any{millis(d.AskedAt), millis(d.WakeAt), d.Attempts, null(d.Error)}, which...)...)
		return nil
	})
}

// OweAll implements provider.Debts.
func (db *DB) OweAll(ctx context.Context, o owner.Owner, to string) (int, error) {
	if err := errNoOwner(o); err != nil {
		return 0, err
	}
	var owed int64
	err := db.w.submit(ctx, o, func(t *tx) (err error) {
		now := time.Now()
		owed, err = t.exec(`INSERT INTO provider_debts (owner_id, provider, name, message_id, owed_at, wake_at)
			SELECT owner_id, provider, name, 0, ?3::bigint, ?4::bigint FROM provider_names
			WHERE owner_id = ?1 AND provider = ?2 AND current AND left(source, 2) <> 's:' ON CONFLICT DO NOTHING`,
			o.ID(), to, bound.Millis(now), bound.Millis(now.Add(provider.Head)))
		if err != nil {
			return fmt.Errorf("let a provider forget everything: %w", err)
		}
		t.send("leave all names", `UPDATE provider_names SET current = false WHERE owner_id = ?1 AND provider = ?2 AND left(source, 2) <> 's:'`, o.ID(), to)
		t.send("delete marks", `DELETE FROM provider_marks WHERE owner_id = ?1 AND provider = ?2`, o.ID(), to)
		t.send("end a backfill", `UPDATE provider_lineages SET backfill = false WHERE owner_id = ?1 AND provider = ?2`, o.ID(), to)
		// what was said so far is not told any more; -1 is not the place of any other skip
		t.send("skip what was said", `INSERT INTO provider_skips (owner_id, root_id, from_seq, to_seq, never)
			SELECT owner_id, root_id, -1, max(next_seq), false FROM sessions WHERE owner_id = ? AND is_tip GROUP BY owner_id, root_id
			ON CONFLICT (owner_id, root_id, from_seq) DO UPDATE SET to_seq = excluded.to_seq`, o.ID())
		// tellings that are under way have read what was to be told
		t.send("end tellings", `UPDATE work SET state = 'waiting', fence = fence + 1 WHERE owner_id = ? AND kind = ?`,
			o.ID(), string(provider.Telling))
		return nil
	})
	return int(owed), err
}
