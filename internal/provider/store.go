package provider

import (
	"context"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// Telling is the kind of work that tells a provider what was said in a lineage.
const Telling curate.Work = "telling"

// Queue keeps the lineages of which a provider is yet to be told.
type Queue interface{ study.Queue }

// Names keeps what sources are called at a provider. No two sources of an owner share a
// name there. Each method is one transaction.
type Names interface {
	// ProviderHome returns what the workspaces of the store are called at a provider, which no other
	// store's are; "" if the provider was told something before stores had such names. It takes no
	// owner because it names the store.
	ProviderHome(ctx context.Context, provider string) (string, error)
	// ProviderName returns the name of a source; "" if it has none at present.
	ProviderName(ctx context.Context, o owner.Owner, provider string, s Source) (string, error)
	// TakeProviderName returns the name of a source. If it has none, it gets the first
	// candidate of its next generation that nothing was ever called by.
	TakeProviderName(ctx context.Context, o owner.Owner, provider string, s Source, candidates func(generation int) []string) (string, error)
	// ProviderNames lists the names of the sources that begin with a text.
	ProviderNames(ctx context.Context, o owner.Owner, provider, begin string) ([]string, error)
}

// Tellings keeps how far a provider was told. Each method is one transaction.
type Tellings interface {
	// SwitchProvider says which provider is in use from a time on, "" for none, and returns
	// since when it has been in use without a break.
	SwitchProvider(ctx context.Context, provider string, at time.Time) (time.Time, error)
	// ProviderSince returns since when a provider has been in use; zero if it is not. It only reads.
	ProviderSince(ctx context.Context, provider string) (time.Time, error)
	// Untold lists lineages with messages that may have to be told: first those that a call with an unknown outcome was
	// for, then the others, last used first.
	Untold(ctx context.Context, o owner.Owner, provider string, since time.Time, limit int) ([]session.ID, error)
	// Told returns how far a provider was told of a lineage.
	Told(ctx context.Context, o owner.Owner, provider string, root session.ID) (Progress, error)
	// KeepTold stores progress under a claim. NotFound if the lineage is gone, Conflict
	// "claim_lost" if another worker has claimed the task since, and ErrChanged if the lineage is
	// to be told from its beginning since the progress was read: a backfill has begun, or a place
	// was emptied.
	KeepTold(ctx context.Context, o owner.Owner, provider string, task curate.Task, p *Progress) error
	// BackfillProvider lets all lineages of an owner be told from their beginning, and
	// returns them.
	BackfillProvider(ctx context.Context, o owner.Owner, provider string) ([]session.ID, error)
}

// ErrChanged says that progress was not kept, because the stored one is not as it was read.
var ErrChanged error = fault.New(fault.Conflict, "telling_changed", "What the provider is to be told has changed meanwhile.")

// Progress is how far a provider was told of a lineage.
type Progress struct {
	// DoneTo is the first Seq that was not looked at.
	DoneTo int64
	// ReadDoneTo is what Told returned as DoneTo.
	ReadDoneTo int64
	// Backfill says that messages from before the provider was in use are told, too.
	Backfill bool
	// Marks are the parts that were told, by place and Seq. KeepTold changes only those that
	// it is given.
	Marks []Mark
	// Skips are the parts that are not told. They are only read.
	Skips []Skip
	// Unsure are the places in which other lineages of the owner may have been told
	// something. They are only read.
	Unsure []Source
}

// Mark is a part of a lineage that a place was told, in Seqs.
type Mark struct {
	Source   Source
	From, To int64
	// Sent is the end of what may have been told: it is raised before a call.
	Sent int64
}

// told reports whether a place was told the message with a Seq.
func (p *Progress) told(s Source, seq int64) bool {
	return slices.ContainsFunc(p.Marks, func(m Mark) bool { return m.Source == s && seq >= m.From && seq < m.To })
}

// unsure reports whether the outcome of the call that told a place the message with a Seq is unknown.
func (p *Progress) unsure(s Source, seq int64) bool {
	return slices.ContainsFunc(p.Marks, func(m Mark) bool { return m.Source == s && seq >= m.To && seq < m.Sent })
}

// next is the first Seq that is to be looked at: DoneTo, or the first message of a call with an unknown outcome.
func (p *Progress) next() int64 {
	to := p.DoneTo
	for _, m := range p.Marks {
		if m.To < m.Sent {
			to = min(to, m.To)
		}
	}
	return to
}

// standing are those of some marks that are still there. The place of the others was emptied.
func (p *Progress) standing(marks []Mark) []Mark {
	return slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool {
		return !slices.ContainsFunc(p.Marks, func(have Mark) bool { return have.Source == m.Source && have.From == m.From })
	})
}

// passed are the marks that change when everything before a Seq was looked at: what is still to be told of a call with an
// unknown outcome was told again by then, and the rest of it was undone or is never told.
func (p *Progress) passed(to int64) []Mark {
	var out []Mark
	for _, m := range p.Marks {
		if end := min(m.Sent, to); m.To < end {
			m.To = end
			out = append(out, m)
		}
	}
	return out
}

// Skip is a part of a lineage that is not told: an import, which a backfill tells all the
// same, or what is never told, such as the turn of a job.
type Skip struct {
	From, To int64
	Never    bool
}

// Debts keeps what was forgotten here and is yet to be forgotten at a provider. A store
// adds them in the transaction that erases, rewrites or undoes a message that a provider
// may have been told of. Each method is one transaction.
type Debts interface {
	// DueDebts names the places to be dealt with at a time, oldest first, and says when to
	// look next. It only reads, and takes no owner because each row names its own.
	DueDebts(ctx context.Context, provider string, at time.Time, limit int) ([]DueDebt, time.Time, error)
	// Debt returns what a place is to forget; NotFound if that is nothing.
	Debt(ctx context.Context, o owner.Owner, provider, name string) (Debt, error)
	// EmptyPlace turns the debt of a place into one for the whole place, and takes the name
	// from its source: the next telling is in another place. With again, everything that
	// still stands is told there; the lineages are returned.
	EmptyPlace(ctx context.Context, o owner.Owner, provider, name string, again bool) ([]session.ID, error)
	// SettleDebt stores the outcome of an attempt: the debt as it was read is paid, or waits.
	// What was added meanwhile stays due.
	SettleDebt(ctx context.Context, o owner.Owner, d *Debt, paid bool) error
	// OweAll lets a provider forget all places of an owner, and returns how many. What was said so
	// far is told only by a backfill from then on.
	OweAll(ctx context.Context, o owner.Owner, provider string) (int, error)
	// Debts lists the debts of an owner at all providers.
	Debts(ctx context.Context, o owner.Owner) ([]Debt, error)
}

// DueDebt names a place that is to forget something.
type DueDebt struct {
	Owner owner.Owner
	Name  string
}

// Debt is what a place at a provider is to forget.
type Debt struct {
	Provider string
	Name     string
	// Whole says that the place itself is to go.
	Whole bool
	// IDs are the messages to go; nil in a list.
	IDs []int64
	// Count is the number of the messages.
	Count int
	// Alone says that the place has nothing else.
	Alone bool
	// OwedAt is when the first of it was forgotten here, and AskedAt when the provider took
	// the request; zero for not yet.
	OwedAt, AskedAt time.Time
	// WakeAt is when it is tried next; zero for never again.
	WakeAt   time.Time
	Attempts int
	// Error says why it is not done; it is safe to show.
	Error string
}

// Head is how long the forgetting itself may pass on what it has forgotten, before the
// background does.
const Head = 2 * time.Second
