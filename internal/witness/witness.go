// Package witness is a store that tells what was changed in it. Each write goes to the store
// below, and is told after its commit. It decides nothing, and knows no content.
package witness

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// Database is what the witness stands before.
type Database interface {
	session.Store
	session.Catalog
	run.Store
	curate.Store
	curate.Receipts
	curate.Sweeper
	curate.Studies
	memory.Store
	memory.Archive
	memory.Lister
	study.Queue
	study.Store
	owner.KeyStore
	job.Store
	job.Ledger
	live.Store
	live.Queue
}

// Store is a database whose changes are told.
type Store struct {
	Database
	hub *news.Hub
}

// New returns a store over a database.
func New(db Database, hub *news.Hub) *Store { return &Store{db, hub} }

// tell tells an owner's readers about a thing if it was changed.
func (s *Store) tell(o owner.Owner, err error, of news.Type, id, what string) {
	if err == nil {
		s.hub.Tell(o.ID(), news.Item{Type: of, ID: id, What: what})
	}
}

// CreateSession implements session.Store.
func (s *Store) CreateSession(ctx context.Context, o owner.Owner, n session.Session) error {
	err := s.Database.CreateSession(ctx, o, n)
	s.tell(o, err, news.Session, string(n.RootID), "created")
	return err
}

// UpdateSession implements session.Store.
func (s *Store) UpdateSession(ctx context.Context, o owner.Owner, id session.ID, p session.Patch) (session.Session, error) {
	out, err := s.Database.UpdateSession(ctx, o, id, p)
	s.tell(o, err, news.Session, string(out.RootID), "changed")
	return out, err
}

// DeleteLineage implements session.Store.
func (s *Store) DeleteLineage(ctx context.Context, o owner.Owner, root session.ID) error {
	err := s.Database.DeleteLineage(ctx, o, root)
	s.tell(o, err, news.Session, string(root), "deleted")
	s.tell(o, err, news.Memory, string(root), "changed")
	return err
}

// AppendTurn implements lineage.Store.
func (s *Store) AppendTurn(ctx context.Context, o owner.Owner, step lineage.Step) error {
	err := s.Database.AppendTurn(ctx, o, step)
	if err != nil {
		return err
	}
	root := string(step.Session.RootID)
	if step.Opened && step.Session.ID == step.Session.RootID {
		s.tell(o, nil, news.Session, root, "created")
	}
	if n := len(step.Messages); n > 0 {
		seq := step.Messages[n-1].Seq
		s.hub.Tell(o.ID(), news.Item{Type: news.Session, ID: root, What: "message", Seq: &seq})
	} else if !step.Opened {
		s.tell(o, nil, news.Session, root, "changed")
	}
	if step.Ended != nil {
		s.tell(o, nil, news.Session, string(step.Ended.RootID), "changed")
	}
	for i := range step.Changes {
		if len(step.Changes[i].Learned) > 0 {
			s.tell(o, nil, news.Memory, root, "changed")
			break
		}
	}
	return nil
}

// Rewrite implements curate.Store.
func (s *Store) Rewrite(ctx context.Context, o owner.Owner, w curate.Rewrite) error {
	err := s.Database.Rewrite(ctx, o, w)
	if err != nil {
		return err
	}
	roots := make(map[session.ID]bool)
	for i := range w.Messages {
		roots[w.Messages[i].RootID] = true
	}
	for i := range w.Sessions {
		roots[w.Sessions[i].RootID] = true
	}
	for i := range w.Undone {
		roots[w.Undone[i].Root] = true
	}
	for root := range roots {
		s.tell(o, nil, news.Session, string(root), "changed")
	}
	s.tell(o, nil, news.Memory, "", "changed")
	return nil
}

// KeepStudy implements curate.Studies.
func (s *Store) KeepStudy(ctx context.Context, o owner.Owner, st curate.Study) error {
	err := s.Database.KeepStudy(ctx, o, st)
	if st.Summary != nil || st.Title != "" {
		s.tell(o, err, news.Session, string(st.Root), "changed")
	}
	return err
}

// CreateRun implements live.Store.
func (s *Store) CreateRun(ctx context.Context, o owner.Owner, r live.Run, b live.Bounds) (live.Run, bool, error) {
	out, made, err := s.Database.CreateRun(ctx, o, r, b)
	if made {
		s.tell(o, err, news.Run, out.ID, "started")
	}
	return out, made, err
}

// DeleteRun implements live.Store.
func (s *Store) DeleteRun(ctx context.Context, o owner.Owner, id string) error {
	err := s.Database.DeleteRun(ctx, o, id)
	s.tell(o, err, news.Run, id, "deleted")
	return err
}

// ClaimRun implements live.Queue.
func (s *Store) ClaimRun(ctx context.Context, o owner.Owner, c live.Claim) (live.Run, bool, error) {
	out, claimed, err := s.Database.ClaimRun(ctx, o, c)
	if claimed {
		s.tell(o, err, news.Run, c.ID, "changed")
	}
	return out, claimed, err
}

// Advance implements live.Queue.
func (s *Store) Advance(ctx context.Context, o owner.Owner, step live.Step) (int64, bool, error) {
	last, stored, err := s.Database.Advance(ctx, o, step)
	if err != nil || !stored {
		return last, stored, err
	}
	for i := range step.Events {
		switch step.Events[i].Type {
		case live.ApprovalRequest:
			s.tell(o, nil, news.Approval, step.ID, "waiting")
		case live.ApprovalResolved:
			s.tell(o, nil, news.Approval, step.ID, "resolved")
		}
	}
	if step.Run != nil {
		what := "changed"
		if step.Run.State.Over() {
			what = "ended"
		}
		s.tell(o, nil, news.Run, step.ID, what)
	}
	return last, stored, nil
}

// WantWork implements study.Queue.
func (s *Store) WantWork(ctx context.Context, o owner.Owner, items []study.Item) error {
	err := s.Database.WantWork(ctx, o, items)
	s.tell(o, err, news.Work, "", "changed")
	return err
}

// ClaimWork implements study.Queue.
func (s *Store) ClaimWork(ctx context.Context, o owner.Owner, c study.Claim) (study.Item, bool, error) {
	it, claimed, err := s.Database.ClaimWork(ctx, o, c)
	if claimed {
		s.tell(o, err, news.Work, "", "changed")
	}
	return it, claimed, err
}

// SettleWork implements study.Queue.
func (s *Store) SettleWork(ctx context.Context, o owner.Owner, it *study.Item, done bool) (bool, error) {
	settled, err := s.Database.SettleWork(ctx, o, it, done)
	if settled {
		s.tell(o, err, news.Work, "", "changed")
	}
	return settled, err
}

// InsertKey implements owner.KeyStore.
func (s *Store) InsertKey(ctx context.Context, k owner.Key) error {
	err := s.Database.InsertKey(ctx, k)
	s.tellKey(err, k.ID, "created")
	return err
}

// RevokeKey implements owner.KeyStore.
func (s *Store) RevokeKey(ctx context.Context, id string, at time.Time) (owner.Key, error) {
	k, err := s.Database.RevokeKey(ctx, id, at)
	s.tellKey(err, k.ID, "revoked")
	return k, err
}

// LimitKey implements owner.KeyStore.
func (s *Store) LimitKey(ctx context.Context, id string, l owner.KeyLimits) (owner.Key, error) {
	k, err := s.Database.LimitKey(ctx, id, l)
	s.tellKey(err, k.ID, "changed")
	return k, err
}

func (s *Store) tellKey(err error, id, what string) {
	if err == nil {
		s.hub.TellAll(news.Item{Type: news.Key, ID: id, What: what})
	}
}
