package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/session"
)

// ProviderName implements provider.Names.
func (db *DB) ProviderName(ctx context.Context, o owner.Owner, to string, s provider.Source) (string, error) {
	st, err := db.read.stmt(ctx, `SELECT name FROM provider_names WHERE owner_id = ? AND source = ? AND provider = ? AND current = 1`)
	if err != nil {
		return "", err
	}
	var name string
	if err := st.QueryRowContext(ctx, o.ID(), string(s), to).Scan(&name); err != nil && !isNoRows(err) {
		return "", fmt.Errorf("find a provider's name: %w", err)
	}
	return name, nil
}

// TakeProviderName implements provider.Names.
func (db *DB) TakeProviderName(
	ctx context.Context, o owner.Owner, to string, s provider.Source, candidates func(generation int) []string,
) (string, error) {
	if err := errNoOwner(o); err != nil {
		return "", err
	}
	var name string
	err := db.w.submit(ctx, func(t *tx) (err error) {
		name, err = t.takeProviderName(o, to, s, candidates)
		return err
	})
	return name, err
}

func (t *tx) takeProviderName(o owner.Owner, to string, s provider.Source, candidates func(int) []string) (string, error) {
	var name string
	newest, current := 0, false
	err := t.row(`SELECT name, generation, current FROM provider_names WHERE owner_id = ? AND source = ? AND provider = ?
		ORDER BY generation DESC LIMIT 1`, o.ID(), string(s), to).Scan(&name, &newest, &current)
	if err != nil && !isNoRows(err) {
		return "", fmt.Errorf("find a provider's name: %w", err)
	}
	if current {
		return name, nil
	}
	for _, name := range candidates(newest + 1) {
		n, err := t.changes(`INSERT INTO provider_names (owner_id, provider, name, source, generation, current) VALUES (?,?,?,?,?,1) ON CONFLICT DO NOTHING`,
			o.ID(), to, name, string(s), newest+1)
		if err != nil {
			return "", fmt.Errorf("give a provider's name: %w", err)
		}
		if n > 0 {
			return name, nil
		}
	}
	return "", fmt.Errorf("give a provider's name: all names for %d bytes are taken", len(s))
}

// ProviderNames implements provider.Names.
func (db *DB) ProviderNames(ctx context.Context, o owner.Owner, to, begin string) ([]string, error) {
	return rowsOf(ctx, db, func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) },
		`SELECT name FROM provider_names WHERE owner_id = ? AND provider = ? AND substr(source, 1, length(?3)) = ?3 AND current = 1 ORDER BY name`,
		o.ID(), to, begin)
}

// SwitchProvider implements provider.Tellings.
func (db *DB) SwitchProvider(ctx context.Context, to string, at time.Time) (time.Time, error) {
	var since int64
	err := db.w.submit(ctx, func(t *tx) error {
		if _, err := t.exec(`UPDATE providers SET running = 0 WHERE provider <> ? AND running = 1`, to); err != nil {
			return fmt.Errorf("switch a provider off: %w", err)
		}
		if to == "" {
			return nil
		}
		n, err := t.changes(`INSERT INTO providers (provider, running, since_at) VALUES (?, 1, ?)
			ON CONFLICT DO UPDATE SET running = 1, since_at = excluded.since_at WHERE running = 0`, to, bound.Millis(at))
		if err != nil {
			return fmt.Errorf("switch a provider on: %w", err)
		}
		if n > 0 { // what was said meanwhile is not told
			if _, err := t.exec(`UPDATE provider_lineages SET backfill = 0 WHERE provider = ?`, to); err != nil {
				return fmt.Errorf("switch a provider on: %w", err)
			}
		}
		return t.row(`SELECT since_at FROM providers WHERE provider = ?`, to).Scan(&since)
	})
	if err != nil || to == "" {
		return time.Time{}, err
	}
	return bound.FromMillis(since), nil
}

// ProviderSince implements provider.Tellings.
func (db *DB) ProviderSince(ctx context.Context, to string) (time.Time, error) {
	st, err := db.read.stmt(ctx, `SELECT since_at FROM providers WHERE provider = ? AND running = 1`)
	if err != nil {
		return time.Time{}, err
	}
	var since sql.NullInt64
	if err := st.QueryRowContext(ctx, to).Scan(&since); err != nil && !isNoRows(err) {
		return time.Time{}, fmt.Errorf("read since when a provider is in use: %w", err)
	}
	return fromMillis(since), nil
}

// Untold implements provider.Tellings.
func (db *DB) Untold(ctx context.Context, o owner.Owner, to string, since time.Time, limit int) ([]session.ID, error) {
	return rowsOf(ctx, db, func(rows *sql.Rows) (root session.ID, err error) { return root, rows.Scan(&root) },
		`WITH unsure AS (SELECT root_id FROM provider_marks WHERE owner_id = ?1 AND provider = ?2 AND sent_to > told_to)
		SELECT t.root_id FROM sessions t LEFT JOIN provider_lineages l ON l.owner_id = t.owner_id AND l.root_id = t.root_id AND l.provider = ?2
		WHERE t.owner_id = ?1 AND t.is_tip = 1 AND (t.root_id IN unsure
			OR t.next_seq > coalesce(l.done_to, 0) AND (t.last_active >= ?3 OR l.done_to IS NOT NULL))
		ORDER BY t.root_id IN unsure DESC, t.last_active DESC, t.root_id LIMIT 0+?4`, o.ID(), to, bound.Millis(since), limit)
}

// Told implements provider.Tellings.
func (db *DB) Told(ctx context.Context, o owner.Owner, to string, root session.ID) (provider.Progress, error) {
	var p provider.Progress
	st, err := db.read.stmt(ctx, `SELECT done_to, backfill FROM provider_lineages WHERE owner_id = ? AND root_id = ? AND provider = ?`)
	if err != nil {
		return p, err
	}
	if err := st.QueryRowContext(ctx, o.ID(), string(root), to).Scan(&p.DoneTo, &p.Backfill); err != nil && !isNoRows(err) {
		return p, fmt.Errorf("read what a provider was told: %w", err)
	}
	p.ReadDoneTo = p.DoneTo
	p.Marks, err = rowsOf(ctx, db, func(rows *sql.Rows) (m provider.Mark, err error) {
		return m, rows.Scan(&m.Source, &m.From, &m.To, &m.Sent)
	},
		`SELECT source, told_from, told_to, sent_to FROM provider_marks WHERE owner_id = ? AND root_id = ? AND provider = ? ORDER BY source, told_from`,
		o.ID(), string(root), to)
	if err != nil {
		return p, fmt.Errorf("read what a provider was told: %w", err)
	}
	p.Skips, err = rowsOf(ctx, db, func(rows *sql.Rows) (s provider.Skip, err error) { return s, rows.Scan(&s.From, &s.To, &s.Never) },
		`SELECT from_seq, to_seq, never FROM provider_skips WHERE owner_id = ? AND root_id = ? ORDER BY from_seq`, o.ID(), string(root))
	if err != nil {
		return p, err
	}
	p.Unsure, err = rowsOf(ctx, db, func(rows *sql.Rows) (s provider.Source, err error) { return s, rows.Scan(&s) },
		`SELECT DISTINCT source FROM provider_marks WHERE owner_id = ? AND provider = ? AND sent_to > told_to AND root_id <> ? ORDER BY source`,
		o.ID(), to, string(root))
	return p, err
}

// KeepTold implements provider.Tellings.
func (db *DB) KeepTold(ctx context.Context, o owner.Owner, to string, task curate.Task, p *provider.Progress) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	const keep = `INSERT INTO provider_lineages (owner_id, provider, root_id, done_to, backfill) VALUES (?,?,?,?,?)
		ON CONFLICT DO UPDATE SET done_to = excluded.done_to WHERE done_to = ? AND backfill = excluded.backfill`
	const mark = `INSERT OR REPLACE INTO provider_marks (owner_id, provider, root_id, source, told_from, told_to, sent_to) VALUES (?,?,?,?,?,?,?)`
	return db.w.submit(ctx, func(t *tx) error {
		if err := t.hasLineage(o, task.Root); err != nil {
			return err
		}
		if err := t.holds(o, &task); err != nil {
			return err
		}
		res, err := t.exec(keep, o.ID(), to, string(task.Root), p.DoneTo, p.Backfill, p.ReadDoneTo)
		if err != nil {
			return fmt.Errorf("keep what a provider was told: %w", err)
		}
		if kept, err := res.RowsAffected(); err != nil || kept == 0 {
			return cmp.Or(err, provider.ErrChanged)
		}
		for _, m := range p.Marks {
			if _, err := t.exec(mark, o.ID(), to, string(task.Root), string(m.Source), m.From, m.To, m.Sent); err != nil {
				return fmt.Errorf("keep what a provider was told: %w", err)
			}
		}
		return nil
	})
}

// BackfillProvider implements provider.Tellings.
func (db *DB) BackfillProvider(ctx context.Context, o owner.Owner, to string) ([]session.ID, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	var roots []session.ID
	err := db.w.submit(ctx, func(t *tx) error {
		roots = nil
		return t.rows(func(rows *sql.Rows) error {
			var root session.ID
			err := rows.Scan(&root)
			roots = append(roots, root)
			return err
		}, `INSERT INTO provider_lineages (owner_id, provider, root_id, done_to, backfill)
			SELECT DISTINCT owner_id, ?2, root_id, 0, 1 FROM sessions WHERE owner_id = ?1 AND is_tip = 1
			ON CONFLICT DO UPDATE SET done_to = 0, backfill = 1 RETURNING root_id`, o.ID(), to)
	})
	if err != nil {
		return nil, fmt.Errorf("let everything be told: %w", err)
	}
	slices.Sort(roots)
	return roots, nil
}

// skip notes that no provider is told the messages of a step.
func (t *tx) skip(o owner.Owner, step *lineage.Step) error {
	if step.Untold == lineage.Tellable || len(step.Messages) == 0 {
		return nil
	}
	first, last := &step.Messages[0], &step.Messages[len(step.Messages)-1]
	_, err := t.exec(`INSERT OR REPLACE INTO provider_skips (owner_id, root_id, from_seq, to_seq, never) VALUES (?,?,?,?,?)`,
		o.ID(), string(first.RootID), first.Seq, last.Seq+1, step.Untold == lineage.Never)
	if err != nil {
		return fmt.Errorf("note what is not told: %w", err)
	}
	return nil
}
