package recall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/run"
)

// TestQuestionsAboutMemory asks what no passage has the words for.
func TestQuestionsAboutMemory(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.Now = time.Date(2025, time.May, 1, 10, 0, 0, 0, time.UTC)
	k.tell("We use Postgres for billing.", "We decided to pay Figma yearly.")
	k.Now = time.Date(2025, time.July, 1, 10, 0, 0, 0, time.UTC)
	k.tell("Our team is called Runway.", "We moved billing from Postgres to MySQL because of the licence.")
	k.Now = time.Date(2025, time.September, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"What has changed since June?", []string{"Runway", `later "We moved billing from Postgres to MySQL`, "!Figma"}},
		{"Which decisions were reversed?", []string{`you said "We use Postgres for billing"`, "MySQL", "!Figma", "!Runway"}},
		{"List our decisions.", []string{"Figma", "!Runway"}},
		{"What do you know about us?", []string{"Figma", "Runway", "MySQL"}},
		{"What has changed since August?", []string{"[recall] I was told of no change."}},
	} {
		expect(t, c.question, k.say(c.question), c.want...)
	}
}

// TestNothingIsAnAnswer asks about memory that has nothing of the kind.
func TestNothingIsAnAnswer(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.tell("My dog is called Biscuit.")
	for question, want := range map[string]string{
		"Which decisions were reversed?":    "[recall] I was told of no reversal.",
		"What changed?":                     "[recall] I was told of no change.",
		"Which decisions have been made?":   "[recall] I was told of no decision.",
		"List all the decisions we made.":   "[recall] I was told of no decision.",
		"Which of our choices did we undo?": "[recall] I was told of no reversal.",
	} {
		if got := k.say(question); got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
}

// TestKinds holds the kind that an answer reports against its words.
func TestKinds(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.tell("My name is Alex. I'm building a distributed cache in Rust.", "My sister Clara studies medicine. She lives in Vienna.")
	for message, want := range map[string]run.RecallKind{
		"What is my name?":                  run.RecallSure,
		"Where do I live?":                  run.RecallUnsure,
		"What is the wifi password?":        run.RecallNone,
		"What is my name? Where do I live?": run.RecallUnsure,
		"The launch is on 7 May.":           "",
	} {
		got, pieces := answerOf(t, k.prompt(message, false))
		last := pieces[len(pieces)-1].Recall
		switch {
		case want == "" && last == nil:
		case last == nil || last.Kind != want:
			t.Errorf("%s: got %+v with %s, want %s", message, last, got, want)
		case want != run.RecallNone && (len(last.Scores) == 0 || last.Scores[0] <= 0 || last.Scores[0] > 1):
			t.Errorf("%s: got the scores %v", message, last.Scores)
		}
	}
}

// TestOverviewOfOneMessage tells all that is known of a person who said it in one long message, and a short message once.
func TestOverviewOfOneMessage(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.tell("Hi there! I am Marit, a glaciologist from Tromsø. My husband Jonas bakes bread for a living. We have a son called Eirik. " +
		"I can't stand liver. My office is on the third floor of the Fram Centre. I cycle to work, even in winter. " +
		"We chose a wooden house over a flat because of the garden. My sister Liv moved to Bergen. I am learning to weave on my " +
		"grandmother's loom, which stands in the cellar.")
	k.tell("I play the fiddle. I collect stamps.")
	got := k.say("What do you know about me?")
	for _, word := range []string{"glaciologist", "Jonas", "Eirik", "liver", "third floor", "cycle", "garden", "Bergen", "weave", "fiddle", "stamps"} {
		if strings.Count(got, word) != 1 {
			t.Errorf("%q is told %d times: %s", word, strings.Count(got, word), got)
		}
	}
}
