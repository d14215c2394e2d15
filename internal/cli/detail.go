package cli

import (
	"context"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// upstreamPatience is the timeout for checking the upstream.
const upstreamPatience = 5 * time.Second

// detail returns the state of the server.
func (s *server) detail(ctx context.Context, deep bool) (httpapi.Detail, error) {
	d := httpapi.Detail{StartedAt: s.started}
	d.Upstream = s.upstreamDetail(ctx)
	d.Data = httpapi.Data{Checked: "quick"}
	if deep {
		d.Data.Checked = "deep"
	}
	err := s.measureData(ctx, &d.Data)
	if err != nil {
		return d, err
	}
	if d.Data.Damage, err = s.db.Check(ctx, deep); err != nil {
		return d, err
	}
	if err := s.db.Ready(); err != nil {
		d.Data.Error = fault.MessageOf(err)
	}
	// What else is counted may lie on the damaged pages. The damage is what has to be told.
	if err := s.countDetail(ctx, &d); err != nil && len(d.Data.Damage) == 0 {
		return d, err
	}
	return d, nil
}

// countDetail counts what the database holds, and what waits in it.
func (s *server) countDetail(ctx context.Context, d *httpapi.Detail) (err error) {
	if d.Data.Rows, err = s.db.CheckRows(ctx); err != nil {
		return err
	}
	index, err := s.db.Index(ctx)
	if err != nil {
		return err
	}
	d.Data.Index = httpapi.Index{Waiting: index.Waiting, Why: index.Why}
	if !index.RemadeAt.IsZero() {
		d.Data.Index.RemadeAt = &index.RemadeAt
	}
	if d.Keys.Development, err = s.keyring.Development(ctx); err != nil {
		return err
	}
	work, err := s.db.WorkCounts(ctx, s.now())
	if err != nil {
		return err
	}
	d.Work = httpapi.Work{Waiting: work.Waiting, Running: work.Running, Failing: work.Failing, Error: work.Error}
	keys, err := s.keyring.List(ctx)
	if err != nil {
		return err
	}
	d.Keys.Valid = len(s.cfg.Server.Keys)
	for i := range keys {
		if keys[i].RevokedAt.IsZero() {
			d.Keys.Valid++
		}
	}
	return nil
}

// upstreamDetail checks the upstream by listing its models, which costs nothing.
func (s *server) upstreamDetail(ctx context.Context) httpapi.Upstream {
	c := &s.choice
	u := httpapi.Upstream{Kind: string(c.Kind), URL: c.BaseURL, Model: c.Name, Why: c.Why, Skipped: c.Skipped}
	if c.Lister == nil {
		return u
	}
	ctx, cancel := context.WithTimeout(ctx, upstreamPatience)
	defer cancel()
	models, err := c.Lister.Models(ctx)
	if err != nil {
		u.Error = fault.MessageOf(err)
	}
	u.Models = len(models)
	u.Listed = c.Name == "" || slices.ContainsFunc(models, func(m upstream.ModelInfo) bool { return m.ID == c.Name })
	return u
}
