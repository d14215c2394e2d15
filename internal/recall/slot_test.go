package recall_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestAskedBySlot: who has moved somewhere lives there, and who has joined somebody works there,
// whatever the words. What somebody else did, or what fills another slot, answers nothing.
func TestAskedBySlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ told, question, want string }{
		{"I moved to Rotterdam.", "Where do I live?", "Rotterdam"},
		{"I just moved to Rotterdam last week.", "where do i live", "Rotterdam"},
		{"We relocated to Porto in May.", "Where are we living?", "Porto"},
		{"just moved to Graz, still unpacking", "where do I live?", "Graz"},
		{"I've settled in Bergen for good.", "Where do I live now?", "Bergen"},
		{"I joined Siemens in May.", "Who is my employer?", "Siemens"},
		{"I turned 40 in spring.", "How old am I?", "40"},
		{"I work as a nurse.", "What do I do for a living?", "nurse"},
		{"I live in Porto.", "What do I do for a living?", ""},
		{"My brother moved to Oslo.", "Where do I live?", ""},
		{"The office moved to Leeds.", "Where do I live?", ""},
		{"We moved the deadline to Friday.", "Where do we live?", ""},
		{"I work at Bosch.", "Where do I live?", ""},
		{"I live in Bern.", "Where do I work?", ""},
		{"I grew up in Oslo.", "Where do I live?", ""},
	} {
		k := newTalk(t)
		k.tell(c.told)
		got := k.say(c.question)
		if c.want == "" && sure(got) || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: got %q, want %q in it", c.told, c.question, got, c.want)
		}
	}
}

// TestAskedForJob: who asks for their own work is told what they are, and not whom they know.
func TestAskedForJob(t *testing.T) {
	t.Parallel()
	others := []string{"My dentist is Dr. Patel.", "My wife is a teacher.", "My brother works as a pilot.", "I'm a father of two."}
	for _, c := range []struct{ told, want string }{
		{"I'm a nurse.", "nurse"},
		{"Quick background: I work as a nurse at St. Mary's in Leeds, night shifts mostly.", "nurse"},
		{"Some context: I'm an electrician.", "electrician"},
		{"I'm a software engineer, by the way.", "software engineer"},
		{"", ""},
	} {
		for _, question := range []string{"What's my job?", "What do I do for a living?", "What is my profession?", "And what do I work as?"} {
			k := newTalk(t)
			if c.told != "" {
				k.tell(c.told)
			}
			k.tell(others...)
			if got := k.say(question); sure(got) != (c.want != "") || !strings.Contains(got, c.want) {
				t.Errorf("%s %s: got %q, want %q in it", c.told, question, got, c.want)
			}
		}
	}
	k := newTalk(t)
	k.tell("I'm a nurse.", "Anna: I'm a lawyer.")
	if got := k.say("What's my job?"); !strings.HasSuffix(got, "you're a nurse.") {
		t.Errorf("got %q", got)
	}
}

// TestUnrealHomes: what somebody wishes, nearly did, did once or denies does not end what holds, and
// is no answer to a question for what holds.
func TestUnrealHomes(t *testing.T) {
	t.Parallel()
	for _, later := range []string{
		"I want to live in Japan one day.", "I used to live in Bern.", "I'd love to live in Rome.", "I would never live in Paris.",
		"I nearly moved to Oslo.", "We might move to Kiel.", "I hope to work at Google.", "I don't live in Linz.", "I have never lived in Genoa.",
		"I wish I lived in Nice.", "My sister Ines lives in Malaga.", "Tomas works at Siemens.", "If I lived in Berlin I'd be happier.",
	} {
		k := newTalk(t)
		k.tell("I live in Graz.", "I work at the Nordbahn clinic.")
		if change, _ := k.learn(session.User, "", later); len(change.Reversals) > 0 {
			t.Errorf("%s: got the reversals %+v, want none", later, change.Reversals)
		}
		for question, want := range map[string]string{"Where do I live?": "you live in Graz.", "Where do I work?": "you work at the Nordbahn clinic."} {
			if got := k.say(question); !sure(got) || !strings.HasSuffix(got, want) {
				t.Errorf("%s %s: got %q, want %q", later, question, got, want)
			}
		}
	}
}
