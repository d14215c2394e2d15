package discord_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// strict is a ledger that looks at each stored position: all that was said before it must
// be stored. Discord has no acknowledgements: the position is one.
type strict struct {
	*gatewaytest.Ledger
	d *gatewaytest.Discord

	mu       sync.Mutex
	looked   map[string]int // how far, by session
	all      int            // positions
	skipped  []string       // what a position has left behind
	answered int
}

func newStrict(d *gatewaytest.Discord) *strict {
	return &strict{Ledger: gatewaytest.NewLedger(), d: d, looked: make(map[string]int)}
}

// Commit stores events, and looks at the position. Each seventh answer is lost.
func (s *strict) Commit(ctx context.Context, events []gateway.Event, after gateway.Position) error {
	if err := s.Ledger.Commit(ctx, events, after); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look(after)
	if s.answered++; s.answered%7 == 0 {
		return errors.New("the answer is lost")
	}
	return nil
}

func (s *strict) look(after gateway.Position) {
	session, seq := discord.SessionOf(after)
	if session == "" {
		return
	}
	s.all++
	for _, id := range s.d.SaidBetween(session, s.looked[session], seq) {
		if !s.Has(id) {
			s.skipped = append(s.skipped, id)
		}
	}
	s.looked[session] = max(s.looked[session], seq)
}

// verdict is how many positions were stored, and what they left behind.
func (s *strict) verdict() (all int, skipped []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all, s.skipped
}

// sometimes is a store that refuses each third commit.
func sometimes() func() error {
	var mu sync.Mutex
	n := 0
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%3 == 0 {
			return errors.New("the store refuses")
		}
		return nil
	}
}

// TestPositions: of 10,000 messages in ten channels none is skipped and none is stored
// twice, while commits fail, connections break, and the adapter starts anew.
func TestPositions(t *testing.T) {
	t.Parallel()
	const messages = 10_000
	d, in := positions(t, messages, func(d *gatewaytest.Discord, i int, _ func()) {
		if i%1500 == 700 {
			d.Drop()
		}
	})
	if d.Identifies() != 1 || d.Resumes() < 3 {
		t.Errorf("the bot identified %d times and resumed %d times, want one session", d.Identifies(), d.Resumes())
	}
	if all, skipped := in.verdict(); all < 100 || len(skipped) != 0 {
		t.Errorf("of %d positions, some left %d messages behind", all, len(skipped))
	}
}

// TestPositionsOfLostSessions: the same while sessions are lost, so that messages come
// neither as events nor by a resume.
func TestPositionsOfLostSessions(t *testing.T) {
	t.Parallel()
	const messages = 2000
	d, in := positions(t, messages, func(d *gatewaytest.Discord, i int, settle func()) {
		switch i % 400 {
		case 100:
			settle() // two losses in a row would be one
			d.Invalidate()
		case 300:
			settle()
			d.ForgetSessions()
			d.Drop()
		}
	})
	if d.Identifies() < 5 {
		t.Errorf("the bot identified %d times, want at least 5", d.Identifies())
	}
	if _, skipped := in.verdict(); len(skipped) != 0 {
		t.Errorf("positions left %d messages behind", len(skipped))
	}
}

// positions says messages while something goes wrong, and checks that all of them arrive.
func positions(t *testing.T, messages int, wrong func(d *gatewaytest.Discord, i int, settle func())) (*gatewaytest.Discord, *strict) {
	t.Helper()
	d := gatewaytest.NewDiscord(t, gatewaytest.DiscordOptions{})
	in := newStrict(d)
	r := run(t, d, adapter(t, d, discord.Config{}), in)
	const channels = 10
	for c := range channels {
		id := strconv.Itoa(800 + c)
		d.AddChannel(gatewaytest.DiscordChannel{ID: id, Type: 1})
		in.AwaitEvents(t, d.Say(gatewaytest.DiscordSaid{Channel: id, Text: "the first in " + id}))
	}
	in.FailBy(sometimes())
	var ids []string
	settle := func() { in.AwaitEvents(t, ids...) } // all that was said is stored
	for i := range messages {
		ids = append(ids, d.Say(gatewaytest.DiscordSaid{Channel: strconv.Itoa(800 + i%channels), Text: fmt.Sprintf("message %d", i)}))
		wrong(d, i, settle)
		if i%(messages/4) == messages/8 { // four restarts
			r.halt(t)
			r = run(t, d, adapter(t, d, discord.Config{}), in)
		}
	}
	for some := range slices.Chunk(ids, 500) {
		in.AwaitEvents(t, some...)
	}
	r.halt(t)
	texts := map[string]bool{}
	for _, e := range in.Events() {
		texts[e.Text] = true
	}
	all, failed := in.Commits()
	t.Logf("%d commits, %d of them failed; identified %d times, resumed %d times", all, failed, d.Identifies(), d.Resumes())
	if len(texts) != messages+channels || len(in.Events()) != messages+channels {
		t.Errorf("got %d events with %d texts, want %d", len(in.Events()), len(texts), messages+channels)
	}
	if failed == 0 {
		t.Error("no commit failed")
	}
	return d, in
}
