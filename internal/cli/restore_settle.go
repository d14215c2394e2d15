package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/trail"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// restoring is what the data of a backup is brought up to date with.
type restoring struct {
	out      *restored
	entries  []backup.Entry
	key      []byte // of the replaced database; nil for none
	keepJobs bool
}

// settle opens the unpacked backup as a home of its own, and brings it up to date: schema,
// erasures, keys, and what was under way. It is closed again when settle returns, and its file
// alone is the whole database.
func (a *app) settle(ctx context.Context, cfg *config.Config, unpacked *backup.Unpacked, r *restoring) error {
	own := *cfg
	own.Home, own.MCPServers, own.Platforms, own.Backup.Dir = unpacked.Dir, nil, config.Platforms{}, ""
	own.Transcripts.Enabled = false
	s, err := assemble(ctx, assembly{
		cfg: &own, log: a.newLogger(cfg), restoring: true, getenv: a.process.Getenv,
		choose: func() (upstream.Choice, error) { return upstream.Choice{Kind: upstream.KindRecall}, nil },
	})
	if err != nil {
		return err
	}
	if err := errors.Join(s.settleRestored(ctx, r), s.close()); err != nil {
		return err
	}
	if err := sqlite.Fold(ctx, unpacked.Database()); err != nil {
		return err
	}
	left, err := sqlite.StandingOf(ctx, unpacked.Database())
	r.out.Sessions, r.out.Messages = left.Counts["sessions"], left.Counts["messages"]
	return err
}

func (s *server) settleRestored(ctx context.Context, r *restoring) error {
	ctx = trail.With(ctx, trail.Trail{Actor: trail.Terminal})
	db, ok := s.db.(*sqlite.DB)
	if !ok {
		return errElsewhere()
	}
	var err error
	if r.out.Ended, err = db.EndRestored(ctx, s.now()); err != nil {
		return err
	}
	pending := backup.PendingOf(r.entries, r.out.Manifest.CreatedAt, db.HashKey(), r.key)
	owners, err := s.owners(ctx)
	if err != nil {
		return err
	}
	if err := s.settleAccess(ctx, owners, pending, r.out); err != nil {
		return err
	}
	for _, o := range owners {
		if err := s.settleOwner(ctx, o, pending, r); err != nil {
			return err
		}
		if err := db.CarryErasures(ctx, o, backup.Erasures(r.entries, o, db.HashKey())); err != nil {
			return err
		}
	}
	r.out.tellUnfound(pending)
	_, note := audit.With(ctx, owner.Local(), s.now, "backup.restore", "", "")
	note.Detail(fmt.Sprintf("made=%s moved=%t", r.out.Manifest.CreatedAt.UTC().Format(time.RFC3339), r.out.Moved))
	return note.Close(context.WithoutCancel(ctx), s.db, "")
}

// forgot adds what was forgotten again for an owner.
func (out *restored) forgot(again *curate.ForgottenAgain) {
	f := &out.Forgotten
	f.Things += again.Things
	f.Sentences += again.Sentences
	f.Sessions += again.Sessions
	f.Left += again.Left
}

// tellUnfound notes what the ledger lists and no search can find.
func (out *restored) tellUnfound(p *backup.Pending) {
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	if p.Unfound > 0 {
		note("%s of one letter or sign cannot be found by a hash; forget such names again: hermes forget --about NAME",
			countOf(p.Unfound, "forgotten name", "forgotten names"))
	}
	if p.Foreign > 0 {
		note("%s of the ledger are about another database, and were left out", countOf(p.Foreign, "entry", "entries"))
	}
	if out.Forgotten.Left > 0 {
		note("%s left of forgotten things; forget them again: hermes forget --about NAME",
			countOf(out.Forgotten.Left, "mention is", "mentions are"))
	}
}

// settleOwner forgets again for an owner, and settles the owner's jobs.
func (s *server) settleOwner(ctx context.Context, o owner.Owner, p *backup.Pending, r *restoring) error {
	again, err := s.curator.ForgetAgain(ctx, o, p.Again(o))
	if err != nil {
		return err
	}
	r.out.forgot(&again)
	jobs, err := s.db.Jobs(ctx, o)
	if err != nil {
		return err
	}
	for i := range jobs {
		if jobs[i].State != job.Scheduled {
			continue
		}
		paused, err := s.settleJob(ctx, o, &jobs[i], r.out.Moved && !r.keepJobs)
		if err != nil {
			return err
		}
		if paused {
			r.out.Paused++
		}
	}
	return nil
}

// settleJob pauses a job of another home. Here, a due time that has passed since the backup was
// fired, or missed, before: the job goes on from now.
func (s *server) settleJob(ctx context.Context, o owner.Owner, j *job.Job, pause bool) (paused bool, err error) {
	if !pause && j.NextRunAt.After(s.now()) {
		return false, nil
	}
	read := j.UpdatedAt
	j.State, j.NextRunAt, j.UpdatedAt = job.Paused, time.Time{}, s.now()
	if err := s.db.UpdateJob(ctx, o, *j, read); err != nil || pause {
		return true, err
	}
	_, err = s.planner.Resume(ctx, o, j.ID)
	if fault.KindOf(err) == fault.Invalid { // its only due time is over
		return true, nil
	}
	return false, err
}
