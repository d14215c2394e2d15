package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
)

// Provider looks after the external memory provider, if one is configured. Without one its
// methods fail with Conflict "no_memory_provider", except Status.
type Provider interface {
	Status(ctx context.Context, o owner.Owner) (*provider.Status, error)
	// Test makes the provider store, recall and delete a line.
	Test(ctx context.Context, o owner.Owner) ([]provider.Check, error)
	CountBackfill(ctx context.Context, o owner.Owner) (provider.Backfill, error)
	Backfill(ctx context.Context, o owner.Owner) (provider.Backfill, error)
	ForgetAll(ctx context.Context, o owner.Owner) (*curate.PassedOn, error)
}

// ProviderStatus is the answer to GET /api/provider.
type ProviderStatus struct {
	Object string `json:"object"`
	// Type and Place name the provider; null without one.
	Type  *string `json:"type"`
	Place *string `json:"place"`
	// Serves says that it is told what the caller's owner says.
	Serves bool   `json:"serves"`
	Send   string `json:"send"`
	WaitMS int64  `json:"wait_ms"`
	// Since is since when it has been in use without a break; null if it is not in use.
	Since *time.Time `json:"since"`
	// Asked, Answered and Told count since the start of the server, of all owners.
	Asked    int64 `json:"questions"`
	Answered int64 `json:"answers"`
	Told     int64 `json:"messages_told"`
	// Waiting are sessions of the owner with something to tell.
	Waiting int `json:"sessions_waiting"`
	// WaitsFor says what some of them wait for, although the provider answers.
	WaitsFor   *string       `json:"waits_for"`
	RestsUntil *time.Time    `json:"rests_until"`
	Problem    *string       `json:"problem"`
	Owed       []curate.Owed `json:"to_forget"`
}

// providerStatus answers GET /api/provider.
func (s *server) providerStatus(w http.ResponseWriter, r *http.Request) error {
	st, err := s.Provider.Status(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	out := ProviderStatus{
		Object: "hermes.provider", Type: optional(st.Type), Place: optional(st.ID), Serves: st.Serves, Send: "all", WaitMS: st.Wait.Milliseconds(),
		Since: optionalTime(st.Since), Asked: st.Asked, Answered: st.Answered, Told: st.Told,
		Waiting: st.Waiting, WaitsFor: optional(st.WaitsFor), RestsUntil: optionalTime(st.RestsUntil),
		Problem: optional(st.Problem), Owed: st.Owed,
	}
	if st.UserOnly {
		out.Send = "user"
	}
	return writeJSON(w, http.StatusOK, out)
}

// ProviderTest is the answer to POST /api/provider/test.
type ProviderTest struct {
	Object string          `json:"object"`
	OK     bool            `json:"ok"`
	Data   []ProviderCheck `json:"data"`
}

// ProviderCheck is one step of a test.
type ProviderCheck struct {
	Step    string  `json:"step"`
	MS      int64   `json:"ms"`
	Problem *string `json:"problem"`
	// Pending says what the provider has not shown yet, although nothing went wrong.
	Pending *string `json:"pending"`
}

// testProvider answers POST /api/provider/test.
func (s *server) testProvider(w http.ResponseWriter, r *http.Request) error {
	steps, err := s.Provider.Test(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	out := ProviderTest{Object: "hermes.provider.test", OK: true, Data: []ProviderCheck{}}
	for i := range steps {
		c := &steps[i]
		out.OK = out.OK && c.Problem == ""
		out.Data = append(out.Data, ProviderCheck{c.Step, c.Took.Milliseconds(), optional(c.Problem), optional(c.Pending)})
	}
	return writeJSON(w, http.StatusOK, out)
}

// ProviderBackfill is the answer to POST /api/provider/backfill.
type ProviderBackfill struct {
	Object     string `json:"object"`
	DryRun     bool   `json:"dry_run"`
	Sessions   int    `json:"sessions"`
	Messages   int    `json:"messages"`
	Characters int    `json:"characters"`
}

// backfillProvider answers POST /api/provider/backfill: the provider is told what was said
// before it was in use, and what was imported. With dry_run it only counts.
func (s *server) backfillProvider(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		DryRun bool `json:"dry_run"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	fill := s.Provider.Backfill
	if in.DryRun {
		audit.From(r.Context()).Skip()
		fill = s.Provider.CountBackfill
	}
	got, err := fill(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, ProviderBackfill{"hermes.provider.backfill", in.DryRun, got.Lineages, got.Messages, got.Characters})
}

// forgetAtProvider answers POST /api/provider/forget: the provider forgets everything that
// it was told of the caller's owner.
func (s *server) forgetAtProvider(w http.ResponseWriter, r *http.Request) error {
	passed, err := s.Provider.ForgetAll(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct {
		Object string `json:"object"`
		*curate.PassedOn
	}{"hermes.provider.forgotten", passed})
}
