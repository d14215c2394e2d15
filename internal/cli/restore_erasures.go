package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/trail"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// ledgerOnly applies the ledger to data that was restored by other means: a dump of PostgreSQL,
// or a copy of the file.
func (a *app) ledgerOnly(ctx context.Context, cfg *config.Config, since string) error {
	at, err := bound.ParseMoment(since, bound.DayStart)
	if err != nil {
		return usageError{fmt.Errorf("--since needs the time of the backup, such as 2026-11-27T03:00:00Z, or its day, got %q", since)}
	}
	s, err := assemble(ctx, assembly{
		cfg: cfg, log: a.newLogger(cfg), restoring: true, getenv: a.process.Getenv,
		choose: func() (upstream.Choice, error) { return upstream.Choice{Kind: upstream.KindRecall}, nil },
	})
	if err != nil {
		return err
	}
	out := &restored{Notes: []string{}, Kept: []string{}}
	if err := errors.Join(s.applyLedger(ctx, at, out), s.close()); err != nil {
		return interrupted(ctx, err,
			"Interrupted: what the ledgers list was forgotten and revoked in part. Start no server yet, and run the command again.")
	}
	if a.json {
		return a.printJSON(out)
	}
	a.say("Forgotten again: %s. Revoked again: %s.", forgottenAgain(&out.Forgotten), out.revokedAgain())
	for _, note := range out.Notes {
		a.say("  note          %s", note)
	}
	return nil
}

// applyLedger forgets and revokes again what the ledgers list since a time.
func (s *server) applyLedger(ctx context.Context, since time.Time, out *restored) error {
	ctx = trail.With(ctx, trail.Trail{Actor: trail.Terminal})
	entries, err := backup.ReadLedgers(s.cfg.Home, s.cfg.Backup.Dir)
	if err != nil {
		return err
	}
	pending := backup.PendingOf(entries, since, s.db.HashKey())
	owners, err := s.owners(ctx)
	if err != nil {
		return err
	}
	if err := s.settleAccess(ctx, owners, pending, out); err != nil {
		return err
	}
	for _, o := range owners {
		again, err := s.curator.ForgetAgain(ctx, o, pending.Again(o))
		if err != nil {
			return err
		}
		out.forgot(&again)
	}
	out.tellUnfound(pending)
	return nil
}
