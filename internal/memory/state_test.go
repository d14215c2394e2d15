package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStateReversal is the article's example: both sides stay, and the block
// says so.
func TestStateReversal(t *testing.T) {
	t.Parallel()
	conv, change := talk("We're committed to microservices", "Merged all services back into a monolith")
	if len(change.Superseded) != 1 || change.Superseded[0].SupersededBy != change.Learned[0].ID {
		t.Fatalf("got superseded %+v", change.Superseded)
	}
	if diff := cmp.Diff([]Link{{Kind: Supersedes, To: change.Superseded[0].ID}}, change.Learned[0].Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	b := conv.state.Block(500, quarter, BlockOptions{})
	line := lineOf(b.Text, "REVERSED")
	for _, want := range []string{"We're committed to microservices", "Merged all services back into a monolith", "2025-03-04"} {
		if !strings.Contains(line, want) {
			t.Errorf("got line %q, want it to hold %q", line, want)
		}
	}
}

// TestStateChain keeps every step of A → B → A.
func TestStateChain(t *testing.T) {
	t.Parallel()
	conv, _ := talk(
		"We're committed to microservices",
		"Merged all services back into a monolith because deploys were slow",
		"We went back to microservices",
	)
	var steps []string
	current := ""
	for f := range conv.state.Facts() {
		steps = append(steps, f.Value)
		if f.Current() {
			current += f.Value
		}
	}
	if diff := cmp.Diff([]string{"microservices", "monolith", "microservices"}, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if current != "microservices" {
		t.Errorf("got current %q, want only the last", current)
	}
	if line := lineOf(conv.state.Block(500, quarter, BlockOptions{}).Text, "REVERSED"); !strings.Contains(line, "earlier changes: 1") {
		t.Errorf("got line %q, want the count of earlier changes", line)
	}
}

// TestStateRetraction takes back what was said, and nothing else.
func TestStateRetraction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts []string
		want  []string // statements that still hold
	}{
		"next message":   {[]string{"We use Kafka.", "The limit is 5 MB.", "Forget that."}, []string{"We use Kafka"}},
		"after a reply":  {[]string{"We use Kafka.", "A: Noted.", "Scratch that."}, nil},
		"and a new one":  {[]string{"The port is 8080.", "Scratch that, the port is 9090."}, []string{"the port is 9090"}},
		"same message":   {[]string{"We use Kafka. We use NATS. No wait, scratch that."}, []string{"We use Kafka"}},
		"by name":        {[]string{"The rate limit is 100.", "The port is 8080.", "I was wrong about the rate limit."}, []string{"The port is 8080"}},
		"revives":        {[]string{"I live in Berlin.", "I moved to Munich.", "Forget that."}, []string{"I live in Berlin"}},
		"nothing to":     {[]string{"Forget that."}, nil},
		"not a take":     {[]string{"We use Kafka.", "Ignore that file."}, []string{"We use Kafka"}},
		"long ago":       {[]string{"We use Kafka.", "Hello!", "Hello!", "Hello!", "Hello!", "Hello!", "Forget that."}, []string{"We use Kafka"}},
		"i was joking":   {[]string{"I hate cats.", "Just kidding!"}, nil},
		"said as filler": {[]string{"The limit is 5 MB.", "Sorry, that was wrong."}, nil},
		"names what": {
			[]string{"The train leaves at 7.", "I like tea.", "No, that's wrong, the train leaves at 8."}, []string{"I like tea", "the train leaves at 8"},
		},
		"names what, in a sentence": {
			[]string{"My boss is Tom.", "The rent is 900 euros.", "That's not true. My boss is Tim."}, []string{"The rent is 900 euros", "My boss is Tim"},
		},
		"names something new": {[]string{"We use Kafka.", "The limit is 5 MB.", "Scratch that, I live in Graz."}, []string{"We use Kafka", "I live in Graz"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conv, _ := talk(c.texts...)
			var got []string
			for f := range conv.state.Facts() {
				if f.Current() && f.Kind.Asserted() {
					got = append(got, f.Statement)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("still held (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStateLearnTwice checks that a message learnt again changes nothing.
func TestStateLearnTwice(t *testing.T) {
	t.Parallel()
	conv, _ := talk("We use Kafka because it is fast.")
	before := conv.state.Hash()
	if change := conv.state.Learn(Distill(conv.before[0], nil)); len(change.Learned) != 0 {
		t.Errorf("got %d facts learnt again", len(change.Learned))
	}
	if conv.state.Hash() != before {
		t.Error("the state hash changed")
	}
}

// TestStateRestore checks that a state read back from a store shows, matches
// and hashes the same, and goes on the same way.
func TestStateRestore(t *testing.T) {
	t.Parallel()
	conv, _ := talk(longTalk()...)
	facts := slices.Collect(conv.state.Facts())
	again := NewState()
	again.Restore(facts)
	compare := func() {
		t.Helper()
		if again.Hash() != conv.state.Hash() {
			t.Error("the hashes differ")
		}
		for _, budget := range []int{150, 300, 2000} {
			want := conv.state.Block(budget, quarter, BlockOptions{}).Text
			if diff := cmp.Diff(want, again.Block(budget, quarter, BlockOptions{}).Text); diff != "" {
				t.Errorf("blocks of %d (-kept +restored):\n%s", budget, diff)
			}
		}
		question := "Which database do we use and why?"
		if diff := cmp.Diff(conv.state.Match(question, firstDay, 9), again.Match(question, firstDay, 9)); diff != "" {
			t.Errorf("matches (-kept +restored):\n%s", diff)
		}
	}
	compare()
	next := said("We moved back to Postgres because MySQL lost data. Forget that. I prefer tabs now.")
	next.Seq = 1000
	conv.state.Learn(Distill(next, nil))
	again.Learn(Distill(next, nil))
	compare()
}

// TestStateRepeats shows what is said twice once, and the second when the first
// is taken back.
func TestStateRepeats(t *testing.T) {
	t.Parallel()
	conv, _ := talk("The port is 8080.", "Hello!", "As I said, the port is 8080.")
	text := conv.state.Block(500, quarter, BlockOptions{}).Text
	if n := strings.Count(text, "8080"); n != 1 {
		t.Errorf("got it %d times in\n%s", n, text)
	}
}

// longTalk has something of everything.
func longTalk() []string {
	return []string{
		"My name is Alex. I'm building a distributed cache in Rust.",
		"We use PostgreSQL 15 on RDS with read replicas in us-east-1",
		"Removed Redis because cache invalidation bugs caused stale product prices",
		"Tried GraphQL in Q1, reverted in Q2 due to N+1 issues",
		"We're committed to microservices", "Merged all services back into a monolith",
		"I prefer tabs.", "Always answer in French.", "The rate limit is 100.", "The rate limit is now 200.",
		"A: I suggest using NATS for the queue.", "Yes, let's do that.",
		"We moved to MySQL because replication was easier.", "My brother likes jazz.",
		"I have a dentist appointment next Tuesday.", "Yesterday we launched the shop.",
		"The port is 8080.", "Scratch that.", "Maybe we should use Kafka.", "I prefer spaces now.",
	}
}

// lineOf is the first line of a text that holds words.
func lineOf(text, words string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}
