package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/trail"
)

const (
	// codeSigns are the signs of pairing codes: none looks like another one.
	codeSigns  = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	codeLength = 8
	codeFor    = time.Hour
	// greetEach is how often a stranger is sent a code.
	greetEach = 10 * time.Minute
	// mostAsking is how many strangers of a platform may have a code.
	mostAsking = 3
	// mostWrong is how many wrong codes lock pairing for lockFor.
	mostWrong = 5
	lockFor   = time.Hour
)

// newCode is a pairing code.
func newCode() string {
	b := make([]byte, codeLength)
	_, _ = rand.Read(b) // crypto/rand never fails since Go 1.24
	for i := range b {
		b[i] = codeSigns[int(b[i])%len(codeSigns)] // 256 is a multiple of 32
	}
	return string(b)
}

// hashCode is a code as it is stored.
func hashCode(code string) []byte {
	h := sha256.Sum256([]byte("hermes pairing " + strings.ToUpper(strings.TrimSpace(code))))
	return h[:]
}

// sendCode stores a code for a stranger, and sends it. A flood of strangers gets no codes.
func (g *Gateway) sendCode(ctx context.Context, b *Bot, e *Event, now time.Time) error {
	code, err := g.newCodeFor(ctx, b, e, now)
	if err != nil {
		return err
	}
	if code == "" {
		return g.refuse(ctx, b, e)
	}
	text := fmt.Sprintf("I do not know you yet. The person who runs this bot can let you in within an hour:\n\n`hermes pairing approve %s %s`", e.Place.Platform, code)
	s := Send{ID: sendID(b.Owner, e.Place, "pairing "+e.ID, 0), Place: e.Place, Type: e.Type, Text: text,
		Interaction: e.Interaction, CreatedAt: now}
	if err := g.sendOnce(ctx, b, &s); err != nil {
		return fmt.Errorf("send a pairing code: %w", err)
	}
	g.record(ctx, b.Owner, "pairing.ask", string(e.Place.Platform), audit.OK)
	return nil
}

// newCodeFor stores a code for a stranger; "" if enough strangers have one, or if the stranger was sent one
// within greetEach. A further code would end that one. One stranger after the other is given a code, so that
// no more than mostAsking get one at once.
func (g *Gateway) newCodeFor(ctx context.Context, b *Bot, e *Event, now time.Time) (string, error) {
	g.asking.Lock()
	defer g.asking.Unlock()
	people, err := g.store.ListPeople(ctx, b.Owner, e.Place.Platform)
	if err != nil {
		return "", fmt.Errorf("list people: %w", err)
	}
	asking := 0
	for i := range people {
		p := &people[i]
		switch {
		case p.State != Asking || !p.ExpiresAt.After(now):
		case p.User != e.From.ID:
			asking++
		case p.Account == b.Account && now.Sub(p.AskedAt) < greetEach:
			return "", nil
		}
	}
	if asking >= mostAsking {
		return "", nil
	}
	code := newCode()
	err = g.store.PutPerson(ctx, b.Owner, Person{
		Platform: e.Place.Platform, Account: b.Account, User: e.From.ID, Name: e.From.Name, Chat: e.Place.Chat, State: Asking,
		CodeHash: hashCode(code), AskedAt: now, ExpiresAt: now.Add(codeFor),
	})
	if err != nil {
		return "", fmt.Errorf("store a pairing code: %w", err)
	}
	return code, nil
}

// wrongCodes count wrong codes.
type wrongCodes struct {
	mu    sync.Mutex
	count int
	until time.Time // pairing is locked until then
}

// Approve lets in the person who was sent a code. forOwner is whose data the person's DMs
// are; "" means the platform's owner. Invalid for a name that is no platform's, NotFound for a
// code that nobody was sent, and RateLimited after too many of those.
func (g *Gateway) Approve(ctx context.Context, host owner.Owner, p Platform, code, forOwner string) (Person, error) {
	if err := checkPlatform(p); err != nil { // before a wrong code is counted
		return Person{}, err
	}
	now := g.moment()
	g.wrong.mu.Lock()
	defer g.wrong.mu.Unlock()
	if now.Before(g.wrong.until) {
		f := fault.New(fault.RateLimited, "pairing_locked", "Too many wrong codes. Pairing is locked for an hour.")
		f.RetryAfter = g.wrong.until.Sub(now)
		g.record(ctx, host, "pairing.approve", string(p), f.Code) // who guesses goes on guessing
		return Person{}, f
	}
	list, err := g.store.ListPeople(ctx, host, p)
	if err != nil {
		return Person{}, fmt.Errorf("list people: %w", err)
	}
	hash := hashCode(code)
	for _, one := range list {
		if one.State != Asking || !one.ExpiresAt.After(now) || subtle.ConstantTimeCompare(one.CodeHash, hash) != 1 {
			continue
		}
		one.State, one.CodeHash, one.ExpiresAt, one.ApprovedAt, one.Owner = Approved, nil, time.Time{}, now, forOwner
		g.wrong.count = 0
		g.record(ctx, host, "pairing.approve", string(p), audit.OK)
		return one, g.store.PutPerson(ctx, host, one)
	}
	if g.wrong.count++; g.wrong.count >= mostWrong {
		g.wrong.count, g.wrong.until = 0, now.Add(lockFor)
	}
	g.record(ctx, host, "pairing.approve", string(p), "not_found")
	return Person{}, fault.New(fault.NotFound, "pairing_not_found", "No person was sent this code, or the code is older than an hour.")
}

// checkPlatform refuses a name that is no platform's.
func checkPlatform(p Platform) error {
	if slices.Contains(Platforms(), p) {
		return nil
	}
	return fault.New(fault.Invalid, "unknown_platform",
		"There is no platform of this name that people are let in to. The platforms are: "+joinedNames(Platforms())+".").At("platform")
}

// People lists who has asked and who was let in; of all platforms for "".
func (g *Gateway) People(ctx context.Context, host owner.Owner, p Platform) ([]Person, error) {
	if err := checkPlatform(p); p != "" && err != nil {
		return nil, err
	}
	return g.store.ListPeople(ctx, host, p)
}

// Revoke shuts a person out, and returns who it was. Invalid for a name that is no platform's,
// NotFound if nobody of this id has asked or was let in.
func (g *Gateway) Revoke(ctx context.Context, host owner.Owner, p Platform, user string) (Person, error) {
	if err := checkPlatform(p); err != nil {
		return Person{}, err
	}
	list, err := g.store.ListPeople(ctx, host, p)
	if err != nil {
		return Person{}, fmt.Errorf("list people: %w", err)
	}
	i := slices.IndexFunc(list, func(one Person) bool { return one.User == user })
	if i < 0 {
		return Person{}, fault.New(fault.NotFound, "pairing_not_found",
			"Nobody of this id has asked or was let in. People in the settings are taken out there.")
	}
	if err := g.store.DropPerson(ctx, host, p, list[i].Account, user); err != nil {
		return Person{}, err
	}
	g.record(ctx, host, "pairing.revoke", string(p), audit.OK)
	return list[i], nil
}

// record writes an entry of the audit. A failure of it is logged.
func (g *Gateway) record(ctx context.Context, o owner.Owner, action, platform, outcome string) {
	if g.audit == nil {
		return
	}
	by := trail.From(ctx) // of a request; a platform has none
	e := audit.Entry{
		At: g.moment(), Actor: by.Actor, RequestID: by.RequestID, Action: action, Kind: "platform", Target: platform, Outcome: outcome,
	}
	if err := g.audit.Enter(ctx, o, e); err != nil {
		g.log.Warn("the audit was not written", "action", action, "err", err)
	}
}
