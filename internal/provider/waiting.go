package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// waiting are the lineages of an owner with something that a provider in use since a time is to be told now. A store lists
// more of them: it does not know which messages are told.
func (m *Manager) waiting(ctx context.Context, o owner.Owner, since time.Time) ([]session.ID, error) {
	roots, err := m.Tellings.Untold(ctx, o, m.ID, since, perRound)
	if err != nil {
		return nil, err
	}
	var out []session.ID
	for _, root := range roots {
		l := &lineage{Manager: m, o: o, since: since, task: curate.Task{Root: root}}
		waits, err := l.waits(ctx)
		if err != nil && fault.KindOf(err) != fault.NotFound { // it may have been erased meanwhile
			return nil, err
		}
		if waits {
			out = append(out, root)
		}
	}
	return out, nil
}

// waits reports whether something of the lineage is to be told now.
func (l *lineage) waits(ctx context.Context) (bool, error) {
	if err := l.read(ctx); err != nil || neverTold(&l.tip) {
		return false, err
	}
	waits := false
	err := l.due(ctx, l.progress.next(), func(string) bool {
		waits = true
		return false
	})
	return waits, err
}

// due hands over the texts of the lineage that are to be told now, from a Seq on, while take wants more.
func (l *lineage) due(ctx context.Context, from int64, take func(text string) bool) error {
	for {
		page, err := l.page(ctx, from)
		if err != nil || len(page) == 0 {
			return err
		}
		for i := range page {
			msg := &page[i]
			s := SourceOf(msg.Key, msg.RootID)
			if l.isTold(msg, s) || !l.isDue(msg, s) {
				continue
			}
			if text := textOf(msg); text != "" && !take(text) {
				return nil
			}
		}
		from = page[len(page)-1].Seq + 1
	}
}

// read reads how far the lineage was told, and its newest session.
func (l *lineage) read(ctx context.Context) (err error) {
	if l.progress, err = l.Tellings.Told(ctx, l.o, l.ID, l.task.Root); err != nil {
		return fmt.Errorf("read what was told: %w", err)
	}
	if l.tip, err = l.Sessions.Tip(ctx, l.o, l.task.Root); err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	return nil
}

// page are the next messages of the lineage from a Seq on, as they stand.
func (l *lineage) page(ctx context.Context, from int64) ([]session.Message, error) {
	r := session.Range{From: from, Limit: pageSize, Bytes: pageBytes, Standing: true}
	page, err := l.Sessions.Messages(ctx, l.o, l.task.Root, r)
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	return page, nil
}

// neverTold reports whether nothing of a session is told: it is that of a job, or a copy or an import that is under way.
func neverTold(tip *session.Session) bool {
	return tip.Source == session.SourceCron || tip.EndReason == session.EndIncomplete
}
