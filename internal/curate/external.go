package curate

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// External passes on to external memory providers what was forgotten here. The stores have
// noted it in the transactions that erased it, so nothing is lost if this fails.
type External interface {
	// PassOn makes the providers forget what they are to forget of an owner, as far as a few
	// seconds allow, and returns what they have confirmed since a time and what is left; nil
	// if no provider was told of any of it.
	PassOn(ctx context.Context, o owner.Owner, since time.Time) (*PassedOn, error)
}

// PassedOn is the part of a certificate about external memory providers.
type PassedOn struct {
	// Confirmed is how many messages or places are gone there: a search after the erasure
	// has found nothing.
	Confirmed int `json:"confirmed"`
	// Left are the places that have not confirmed yet. They are asked again for 30 days.
	Left []Owed `json:"left"`
}

// Owed is what a place at a provider has not confirmed to have forgotten.
type Owed struct {
	Provider string `json:"provider"`
	Place    string `json:"place"`
	// Whole says that the whole place is to go, otherwise Messages are.
	Whole    bool      `json:"whole"`
	Messages int       `json:"messages"`
	OwedAt   time.Time `json:"forgotten_at"`
	// AskedAt is when the provider took the request; nil if it has not.
	AskedAt       *time.Time `json:"asked_at"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	Why           string     `json:"why,omitempty"`
}

// passOn adds the part about external memory providers to a certificate.
func (c *Curator) passOn(ctx context.Context, o owner.Owner, since time.Time, out *Forgotten) error {
	if c.external == nil || out.DryRun {
		return nil
	}
	passed, err := c.external.PassOn(ctx, o, since)
	out.External = passed
	return err
}
