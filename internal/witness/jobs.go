package witness

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
)

// CreateJob implements job.Store.
func (s *Store) CreateJob(ctx context.Context, o owner.Owner, j job.Job, most int) error {
	err := s.Database.CreateJob(ctx, o, j, most)
	s.tell(o, err, news.Job, string(j.ID), "created")
	return err
}

// UpdateJob implements job.Store.
func (s *Store) UpdateJob(ctx context.Context, o owner.Owner, j job.Job, read time.Time) error {
	err := s.Database.UpdateJob(ctx, o, j, read)
	s.tell(o, err, news.Job, string(j.ID), "changed")
	return err
}

// DeleteJob implements job.Store.
func (s *Store) DeleteJob(ctx context.Context, o owner.Owner, id job.ID) error {
	err := s.Database.DeleteJob(ctx, o, id)
	s.tell(o, err, news.Job, string(id), "deleted")
	return err
}

// AddFire implements job.Store.
func (s *Store) AddFire(ctx context.Context, o owner.Owner, r job.Fire) error {
	err := s.Database.AddFire(ctx, o, r)
	s.tell(o, err, news.JobRun, string(r.Job), "changed")
	return err
}

// OpenSlots implements job.Ledger.
func (s *Store) OpenSlots(ctx context.Context, o owner.Owner, op job.Opening) (bool, error) {
	opened, err := s.Database.OpenSlots(ctx, o, op)
	s.fired(o, opened, err, op.Job)
	return opened, err
}

// ClaimFire implements job.Ledger.
func (s *Store) ClaimFire(ctx context.Context, o owner.Owner, c job.Claim) (job.Fire, bool, error) {
	r, claimed, err := s.Database.ClaimFire(ctx, o, c)
	s.fired(o, claimed, err, c.Job)
	return r, claimed, err
}

// SettleFire implements job.Ledger.
func (s *Store) SettleFire(ctx context.Context, o owner.Owner, st job.Settlement) (bool, error) {
	settled, err := s.Database.SettleFire(ctx, o, st)
	s.fired(o, settled, err, st.Run.Job)
	if settled {
		s.tell(o, err, news.Job, string(st.Run.Job), "changed")
	}
	return settled, err
}

// ClaimDelivery implements job.Ledger.
func (s *Store) ClaimDelivery(ctx context.Context, o owner.Owner, id string, at, until time.Time) (job.Delivery, bool, error) {
	d, claimed, err := s.Database.ClaimDelivery(ctx, o, id, at, until)
	s.fired(o, claimed, err, d.Job)
	return d, claimed, err
}

// SettleDelivery implements job.Ledger.
func (s *Store) SettleDelivery(ctx context.Context, o owner.Owner, d job.Delivery) (bool, error) {
	settled, err := s.Database.SettleDelivery(ctx, o, d)
	s.fired(o, settled, err, d.Job)
	return settled, err
}

// fired tells that a fire of a job has changed.
func (s *Store) fired(o owner.Owner, changed bool, err error, id job.ID) {
	if changed {
		s.tell(o, err, news.JobRun, string(id), "changed")
	}
}
