package job

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Target is where the output of a fire goes: "local", "webhook:<url>", or
// "<platform>:<chat>".
type Target string

// Local keeps the output in the fire's row and sends it nowhere.
const Local Target = "local"

// Origin is the chat that a job belongs to. A planner replaces it by the chat's own target.
const Origin Target = "origin"

// webhook begins the target of a webhook.
const webhook = "webhook"

// split returns the kind of a target and its place.
func (t Target) split() (kind, place string) {
	kind, place, _ = strings.Cut(string(t), ":")
	return kind, place
}

// DeliveryState is what became of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	Stored      DeliveryState = "stored"    // target local: there is nothing to be sent
	Silent      DeliveryState = "silent"    // the answer began with [SILENT]
	Pending     DeliveryState = "pending"   // to be sent, or to be sent again
	Awaited     DeliveryState = "waiting"   // a person was asked to write; the output follows what the person writes
	Delivered   DeliveryState = "delivered" // taken by the other side
	Undelivered DeliveryState = "failed"    // given up
)

// Delivery is a row of the outbox: the output of one fire for one target. Its id is the
// event's id, and stays the same for every attempt.
type Delivery struct {
	ID       string // "evt_" and hex digits
	Job      ID
	DueAt    time.Time // of the fire
	Target   Target
	State    DeliveryState
	Attempts int
	Fence    int64
	// WakeAt is when the next attempt is due, or when a claim ends; zero when it is
	// over.
	WakeAt      time.Time
	Error       string // of the last attempt; safe to show
	CreatedAt   time.Time
	DeliveredAt time.Time

	// The content to send is read with the claim: the fire, and the name and the secret
	// of its job.
	Run     *Fire
	JobName string
	Secret  string
}

// Event is the content of a delivery.
type Event struct {
	// ID is the same for every attempt.
	ID string
	// Type is "job.run.completed" or "job.run.failed".
	Type    string
	JobName string
	Run     Fire
	Secret  string // signs the event
}

// Deliverer sends events to one kind of place: a webhook, a chat platform.
type Deliverer interface {
	// Check refuses a place that cannot receive events of an owner, with Invalid
	// "invalid_deliver".
	Check(ctx context.Context, o owner.Owner, place string) error
	// Deliver sends an event of an owner and returns when the receiver has accepted it. A fault of
	// kind Invalid or NotFound says that retrying is useless. After a crash it may be
	// called again with the same event.
	Deliver(ctx context.Context, o owner.Owner, place string, e *Event) error
}

// CodeAwaited is the code of a fault of Deliver: the receiver takes the output only behind a message of a person, who was
// asked to write. The output is sent then, and Deliver, called again, says so.
const CodeAwaited = "person_awaited"

// Targets are the kinds of targets other than "local", by the word that begins them:
// "webhook", "telegram".
type Targets map[string]Deliverer

// check refuses a target of an unknown kind.
func (ts Targets) check(ctx context.Context, o owner.Owner, t Target) error {
	if t == Local {
		return nil
	}
	kind, place := t.split()
	d, known := ts[kind]
	if !known {
		names := []string{string(Local)}
		for _, name := range slices.Sorted(maps.Keys(ts)) {
			names = append(names, name+":…")
		}
		return fault.New(fault.Invalid, "invalid_deliver",
			fmt.Sprintf("Nothing can be delivered to %q. There are: %s.", kind, strings.Join(names, ", "))).At("deliver")
	}
	if place == "" && strings.HasSuffix(string(t), ":") {
		return fault.New(fault.Invalid, "invalid_deliver",
			fmt.Sprintf("No place is named behind the colon of %q. Name one, or leave the colon out.", string(t))).At("deliver")
	}
	return d.Check(ctx, o, place)
}

const maxURL = 2048

const unreadable = "cannot be read: it looks like https://example.org/hook"

// parseWebhook checks a webhook's URL, as far as its text allows. The address behind a
// name is checked when it is dialled.
func parseWebhook(text string, private bool) (*url.URL, error) {
	wrong := func(why string) error {
		return fault.New(fault.Invalid, "invalid_deliver", fmt.Sprintf("The webhook's URL %s.", why)).At("deliver")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > maxURL:
		return nil, wrong(unreadable)
	case u.Host == "" || u.Opaque != "":
		return nil, wrong(unreadable)
	case u.Scheme != "https" && (u.Scheme != "http" || !private):
		return nil, wrong("must begin with https://")
	case u.User != nil:
		return nil, wrong("must not hold a password")
	case u.Fragment != "":
		return nil, wrong("must not have a fragment (#…)")
	}
	return u, nil
}
