package postgres

import (
	"context"
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
	const find = `SELECT name FROM provider_names WHERE owner_id = ? AND source = ? AND provider = ? AND current`
	var name string
	if err := db.row(ctx, find, o.ID(), string(s), to).Scan(&name); err != nil && !isNoRows(err) {
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
	err := db.w.submit(ctx, o, func(t *tx) (err error) {
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
		n, err := t.exec(`INSERT INTO provider_names (owner_id, provider, name, source, generation, current) VALUES (?,?,?,?,?,true) ON CONFLICT DO NOTHING`,
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
	return rowsOf(ctx, db, func(rows *rows) (name string, err error) { return name, rows.Scan(&name) },
		`SELECT name FROM provider_names WHERE owner_id = ?1 AND provider = ?2 AND left(source, length(?3)) = ?3 AND current ORDER BY name`,
		o.ID(), to, begin)
}

// SwitchProvider implements provider.Tellings.
func (db *DB) SwitchProvider(ctx context.Context, to string, at time.Time) (time.Time, error) {
	var since int64
	err := db.w.submit(ctx, owner.Owner{}, func(t *tx) error {
		t.send("switch a provider off", `UPDATE providers SET running = false WHERE provider <> ? AND running`, to)
		if to == "" {
			return nil
		}
		n, err := t.exec(`INSERT INTO providers AS p (provider, running, since_at) VALUES (?, true, ?)
			ON CONFLICT (provider) DO UPDATE SET running = true, since_at = excluded.since_at WHERE NOT p.running`, to, bound.Millis(at))
		if err != nil {
			return fmt.Errorf("switch a provider on: %w", err)
		}
		if n > 0 { // what was said meanwhile is not told
			t.send("switch a provider on", `UPDATE provider_lineages SET backfill = false WHERE provider = ?`, to)
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
	var since int64
	err := db.row(ctx, `SELECT since_at FROM providers WHERE provider = ? AND running`, to).Scan(&since)
	if isNoRows(err) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read since when a provider is in use: %w", err)
	}
	return bound.FromMillis(since), nil
}

// Untold implements provider.Tellings.
func (db *DB) Untold(ctx context.Context, o owner.Owner, to string, since time.Time, limit int) ([]session.ID, error) {
	return rowsOf(ctx, db, func(rows *rows) (root session.ID, err error) { return root, rows.Scan(&root) },
		`WITH unsure AS (SELECT root_id FROM provider_marks WHERE owner_id = ?1 AND provider = ?2 AND sent_to > told_to)
		SELECT t.root_id FROM sessions t LEFT JOIN provider_lineages l ON l.owner_id = t.owner_id AND l.root_id = t.root_id AND l.provider = ?2
		WHERE t.owner_id = ?1 AND t.is_tip AND (t.root_id IN (SELECT root_id FROM unsure)
			OR t.next_seq > coalesce(l.done_to, 0) AND (t.last_active >= ?3 OR l.done_to IS NOT NULL))
		ORDER BY t.root_id IN (SELECT root_id FROM unsure) DESC, t.last_active DESC, t.root_id LIMIT ?4`, o.ID(), to, bound.Millis(since), limit)
}

// Told implements provider.Tellings.
func (db *DB) Told(ctx context.Context, o owner.Owner, to string, root session.ID) (provider.Progress, error) {
	var p provider.Progress
	const done = `SELECT done_to, backfill FROM provider_lineages WHERE owner_id = ? AND root_id = ? AND provider = ?`
	if err := db.row(ctx, done, o.ID(), string(root), to).Scan(&p.DoneTo, &p.Backfill); err != nil && !isNoRows(err) {
		return p, fmt.Errorf("read what a provider was told: %w", err)
	}
	var err error
	p.ReadDoneTo = p.DoneTo
	p.Marks, err = rowsOf(ctx, db, func(rows *rows) (m provider.Mark, err error) { return m, rows.Scan(&m.Source, &m.From, &m.To, &m.Sent) },
		`SELECT source, told_from, told_to, sent_to FROM provider_marks WHERE owner_id = ? AND root_id = ? AND provider = ? ORDER BY source, told_from`,
		o.ID(), string(root), to)
	if err != nil {
		return p, fmt.Errorf("read what a provider was told: %w", err)
	}
	p.Skips, err = rowsOf(ctx, db, func(rows *rows) (s provider.Skip, err error) { return s, rows.Scan(&s.From, &s.To, &s.Never) },
		`SELECT from_seq, to_seq, never FROM provider_skips WHERE owner_id = ? AND root_id = ? ORDER BY from_seq`, o.ID(), string(root))
	if err != nil {
		return p, err
	}
	p.Unsure, err = rowsOf(ctx, db, func(rows *rows) (s provider.Source, err error) { return s, rows.Scan(&s) },
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
		ON CONFLICT (owner_id, root_id, provider) DO UPDATE SET done_to = excluded.done_to
		WHERE provider_lineages.done_to = ? AND provider_lineages.backfill = excluded.backfill`
	const mark = `INSERT INTO provider_marks (owner_id, provider, root_id, source, told_from, told_to, sent_to) VALUES (?,?,?,?,?,?,?)
		ON CONFLICT (owner_id, root_id, provider, source, told_from) DO UPDATE SET told_to = excluded.told_to, sent_to = excluded.sent_to`
	return db.w.submit(ctx, o, func(t *tx) error {
		if err := t.hasLineage(o, task.Root); err != nil {
			return err
		}
		if err := t.holds(o, &task); err != nil {
			return err
		}
		t.expect("keep what a provider was told", func(kept int64) error {
			if kept == 0 {
				return provider.ErrChanged
			}
			return nil
		}, keep, o.ID(), to, string(task.Root), p.DoneTo, p.Backfill, p.ReadDoneTo)
		for _, m := range p.Marks {
			t.send("keep what a provider was told", mark, o.ID(), to, string(task.Root), string(m.Source), m.From, m.To, m.Sent)
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
	err := db.w.submit(ctx, o, func(t *tx) (err error) {
		roots, err = t.roots(`INSERT INTO provider_lineages (owner_id, provider, root_id, done_to, backfill)
			SELECT DISTINCT owner_id, ?2::text, root_id, 0, true FROM sessions WHERE owner_id = ?1 AND is_tip
			ON CONFLICT (owner_id, root_id, provider) DO UPDATE SET done_to = 0, backfill = true RETURNING root_id`, o.ID(), to)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("let everything be told: %w", err)
	}
	slices.Sort(roots)
	return roots, nil
}

// skip notes that no provider is told the messages of a step.
func (t *tx) skip(o owner.Owner, step *lineage.Step) {
	if step.Untold == lineage.Tellable || len(step.Messages) == 0 {
		return
	}
	first, last := &step.Messages[0], &step.Messages[len(step.Messages)-1]
	t.send("note what is not told", `INSERT INTO provider_skips (owner_id, root_id, from_seq, to_seq, never) VALUES (?,?,?,?,?)
		ON CONFLICT (owner_id, root_id, from_seq) DO UPDATE SET to_seq = excluded.to_seq, never = excluded.never`,
		o.ID(), string(first.RootID), first.Seq, last.Seq+1, step.Untold == lineage.Never)
}

// roots reads the ids of lineages.
func (t *tx) roots(query string, args ...any) ([]session.ID, error) {
	var roots []session.ID
	err := t.rows(func(rows *rows) error {
		var root session.ID
		err := rows.Scan(&root)
		roots = append(roots, root)
		return err
	}, query, args...)
	return roots, err
}
