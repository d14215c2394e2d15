package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
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
func (t *tx) owe(o owner.Owner, root session.ID, from, to int64) error {
	const owe = `INSERT INTO provider_debts (owner_id, provider, name, message_id, owed_at, wake_at)
		SELECT DISTINCT m.owner_id, n.provider, n.name, m.id, ?5, ?6 FROM provider_marks k
		JOIN messages m ON m.owner_id = k.owner_id AND m.root_id = k.root_id AND m.seq >= max(?3, k.told_from) AND m.seq < min(?4, k.sent_to)
			AND m.undone_at IS NULL AND m.role IN ('user', 'assistant')
			AND CASE WHEN m.session_key IS NULL THEN 'r:' || m.root_id ELSE 'k:' || m.session_key END = k.source
		JOIN provider_names n ON n.owner_id = k.owner_id AND n.source = k.source AND n.provider = k.provider AND n.current = 1
		WHERE k.owner_id = ?1 AND k.root_id = ?2
		ON CONFLICT DO UPDATE SET wake_at = coalesce(wake_at, excluded.wake_at)`
	now := time.Now()
	if _, err := t.exec(owe, o.ID(), string(root), from, to, bound.Millis(now), bound.Millis(now.Add(provider.Head))); err != nil {
		return fmt.Errorf("note what a provider is to forget: %w", err)
	}
	return nil
}

// DueDebts implements provider.Debts.
func (db *DB) DueDebts(ctx context.Context, to string, at time.Time, limit int) ([]provider.DueDebt, time.Time, error) {
	due, err := rowsOf(ctx, db, func(rows *sql.Rows) (provider.DueDebt, error) {
		var o string
		var d provider.DueDebt
		err := rows.Scan(&o, &d.Name)
		d.Owner = owner.Stored(o)
		return d, err
	}, `SELECT owner_id, name FROM provider_debts WHERE provider = ? AND wake_at <= ? GROUP BY owner_id, name
		ORDER BY min(wake_at), owner_id, name LIMIT 0+?`, to, bound.Millis(at), limit)
	if err != nil {
		return nil, time.Time{}, err
	}
	st, err := db.read.stmt(ctx, `SELECT min(wake_at) FROM provider_debts WHERE provider = ? AND wake_at > ?`)
	if err != nil {
		return nil, time.Time{}, err
	}
	var next sql.NullInt64
	if err := st.QueryRowContext(ctx, to, bound.Millis(at)).Scan(&next); err != nil {
		return nil, time.Time{}, fmt.Errorf("look for the next debt: %w", err)
	}
	return due, fromMillis(next), nil
}

// debts is the query for debts, by place. A place has nothing else if no lineage has a mark
// for its source.
const debts = `SELECT d.provider, d.name, min(d.message_id) = 0, count(nullif(d.message_id, 0)), min(d.owed_at), max(d.asked_at), min(d.wake_at), max(d.attempts),
	max(d.error), NOT EXISTS (SELECT 1 FROM provider_names n
		JOIN provider_marks k ON k.owner_id = n.owner_id AND k.provider = n.provider AND k.source = n.source
		WHERE n.owner_id = d.owner_id AND n.provider = d.provider AND n.name = d.name AND n.current = 1)
	FROM provider_debts d WHERE d.owner_id = ?1`

func scanDebt(rows *sql.Rows) (provider.Debt, error) {
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
	ids, err := rowsOf(ctx, db, func(rows *sql.Rows) (id int64, err error) { return id, rows.Scan(&id) },
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
	err := db.w.submit(ctx, func(t *tx) error {
		roots = nil
		for _, query := range []string{
			`INSERT INTO provider_debts (owner_id, provider, name, message_id, owed_at, asked_at, wake_at, attempts, error)
				SELECT owner_id, provider, name, 0, min(owed_at), max(asked_at), min(wake_at), max(attempts), max(error) FROM provider_debts
				WHERE owner_id = ?1 AND provider = ?2 AND name = ?3 GROUP BY owner_id, provider, name ON CONFLICT DO NOTHING`,
			`DELETE FROM provider_debts WHERE owner_id = ?1 AND provider = ?2 AND name = ?3 AND message_id > 0`,
			`UPDATE provider_names SET current = 0 WHERE owner_id = ?1 AND provider = ?2 AND name = ?3`,
		} {
			if _, err := t.exec(query, o.ID(), to, name); err != nil {
				return err
			}
		}
		if !again {
			return nil
		}
		var err error
		roots, err = t.tellAgain(o, to, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("empty a provider's place: %w", err)
	}
	return roots, nil
}

// tellAgain forgets what a provider was told of a place, so that it is told again.
func (t *tx) tellAgain(o owner.Owner, to, name string) ([]session.ID, error) {
	var roots []session.ID
	err := t.rows(func(rows *sql.Rows) error {
		var root session.ID
		err := rows.Scan(&root)
		roots = append(roots, root)
		return err
	}, `DELETE FROM provider_marks WHERE owner_id = ?1 AND provider = ?2
		AND source = (SELECT source FROM provider_names WHERE owner_id = ?1 AND provider = ?2 AND name = ?3) RETURNING root_id`, o.ID(), to, name)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		for _, query := range []string{
			`UPDATE provider_lineages SET done_to = 0 WHERE owner_id = ?1 AND provider = ?2 AND root_id = ?3`,
			`UPDATE work SET state = 'waiting', fence = fence + 1 WHERE owner_id = ?1 AND kind = ?4 AND root_id = ?3`, // a claim of another process
		} {
			if _, err := t.exec(query, o.ID(), to, string(root), string(provider.Telling)); err != nil {
				return nil, err
			}
		}
	}
	return roots, nil
}

// SettleDebt implements provider.Debts.
func (db *DB) SettleDebt(ctx context.Context, o owner.Owner, d *provider.Debt, paid bool) error {
	ids := d.IDs
	if d.Whole {
		ids = append(ids[:len(ids):len(ids)], 0)
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("settle a debt: %w", err)
	}
	const of = ` WHERE owner_id = ? AND provider = ? AND name = ? AND message_id IN (SELECT value FROM json_each(?))`
	which := []any{o.ID(), d.Provider, d.Name, string(list)}
	return db.w.submit(ctx, func(t *tx) error {
		query, args := `DELETE FROM provider_debts`+of, which
		if !paid {
			query = `UPDATE provider_debts SET asked_at = ?, wake_at = ?, attempts = ?, error = ?` + of
			args = append([]any{millis(d.AskedAt), millis(d.WakeAt), d.Attempts, null(d.Error)}, which...)
		}
		if _, err := t.exec(query, args...); err != nil {
			return fmt.Errorf("settle a debt: %w", err)
		}
		return nil
	})
}

// OweAll implements provider.Debts.
func (db *DB) OweAll(ctx context.Context, o owner.Owner, to string) (int, error) {
	if err := errNoOwner(o); err != nil {
		return 0, err
	}
	var owed int64
	err := db.w.submit(ctx, func(t *tx) (err error) {
		now := time.Now()
		owed, err = t.changes(`INSERT INTO provider_debts (owner_id, provider, name, message_id, owed_at, wake_at)
			SELECT owner_id, provider, name, 0, ?3, ?4 FROM provider_names
			WHERE owner_id = ?1 AND provider = ?2 AND current = 1 AND substr(source, 1, 2) <> 's:' ON CONFLICT DO NOTHING`,
			o.ID(), to, bound.Millis(now), bound.Millis(now.Add(provider.Head)))
		if err != nil {
			return fmt.Errorf("let a provider forget everything: %w", err)
		}
		for _, query := range []string{
			`UPDATE provider_names SET current = 0 WHERE owner_id = ?1 AND provider = ?2 AND substr(source, 1, 2) <> 's:'`,
			`DELETE FROM provider_marks WHERE owner_id = ?1 AND provider = ?2`,
			`UPDATE provider_lineages SET backfill = 0 WHERE owner_id = ?1 AND provider = ?2`, // one that is under way ends
			// what was said so far is not told any more; -1 is not the place of any other skip
			`INSERT INTO provider_skips (owner_id, root_id, from_seq, to_seq, never)
				SELECT owner_id, root_id, -1, max(next_seq), 0 FROM sessions WHERE owner_id = ?1 AND is_tip = 1 GROUP BY owner_id, root_id
				ON CONFLICT DO UPDATE SET to_seq = excluded.to_seq`,
			// tellings that are under way have read what was to be told
			`UPDATE work SET state = 'waiting', fence = fence + 1 WHERE owner_id = ?1 AND kind = ?3`,
		} {
			if _, err := t.exec(query, o.ID(), to, string(provider.Telling)); err != nil {
				return fmt.Errorf("let a provider forget everything: %w", err)
			}
		}
		return nil
	})
	return int(owed), err
}
