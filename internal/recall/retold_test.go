package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// chatter is a turn that tells nothing worth knowing; n makes it its own.
func chatter(n int) (user, assistant string) {
	topics := strings.Split("tidal power|Gothic arches|bee colonies|tensor algebra|opera staging|monsoon cycles|map projections|ice cores|paper folding|steam turbines|soil chemistry", "|")
	a, b := topics[n%len(topics)], topics[n/7%len(topics)]
	switch n % 5 {
	case 0:
		user = fmt.Sprintf("Can you explain %s and how it relates to %s?", a, b)
	case 1:
		user = fmt.Sprintf("Write a short note number %d about %s, please.", n, a)
	case 2:
		user = fmt.Sprintf("Then the florist talked about %s near the canal.", a)
	case 3:
		user = fmt.Sprintf("The article on %s says the figure was %d in %d. It felt odd.", a, n*7, 1900+n%90)
	default:
		user = fmt.Sprintf("What is the difference between %s and %s?", a, b)
	}
	return user, fmt.Sprintf("Sure. %s is often compared with %s; in %d it was described as quiet.", a, b, 1800+n)
}

// TestRetold asks for things 400 turns after they were told, in other words: of
// twenty, seventeen are answered right, and one of fifty at most wrong; of what
// was never told, nine of ten are admitted.
func TestRetold(t *testing.T) {
	t.Parallel()
	right, wrong, all, invented, never := 0, 0, 0, 0, 0
	for _, s := range retold {
		k := newTalk(t)
		for _, c := range s.told {
			k.learn(session.User, "", c.said)
			k.now = k.now.Add(time.Hour)
		}
		for n := range 400 {
			user, assistant := chatter(n)
			k.learn(session.User, "", user)
			k.learn(session.Assistant, "", assistant)
			k.now = k.now.Add(time.Hour)
		}
		for _, c := range s.told {
			all++
			switch got := k.say(c.question); {
			case strings.Contains(strings.ToLower(got), strings.ToLower(c.want)):
				right++
			case got != unknown:
				wrong++
				t.Logf("%s: %q: got %s", s.name, c.question, got)
			}
		}
		for _, question := range s.never {
			never++
			if got := k.say(question); got != unknown {
				invented++
				t.Logf("%s: %q: got %s", s.name, question, got)
			}
		}
	}
	t.Logf("%d of %d right, %d wrong; %d of %d answered without being told", right, all, wrong, invented, never)
	if right*20 < all*17 || wrong*50 > all {
		t.Errorf("got %d of %d right and %d wrong, want seventeen of twenty and one of fifty", right, all, wrong)
	}
	if invented*10 > never {
		t.Errorf("answered without being told: got %d of %d", invented, never)
	}
}

// TestSecretStaysHidden quotes a message, but not what opens doors in it.
func TestSecretStaysHidden(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.tell("The admin password of the billing server is tulip-4711-garden.")
	got := k.say("What is the admin password of the billing server?")
	expect(t, "secret", got, "!tulip", "!4711")
}

// TestOwnName answers with the speaker's name, not with that of a thing.
func TestOwnName(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.tell("My name is Alex.", "The secret project is called Bluebird.")
	expect(t, "own name", k.say("What is my name?"), "Alex", "!Bluebird")
}
