package recall_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// checkAnswer fails unless an answer is marked and every quotation in it was
// said. Sayings with quotation marks of their own are left to the first check.
func checkAnswer(t *testing.T, got string, said ...string) {
	t.Helper()
	if !strings.HasPrefix(got, "[recall] ") || !utf8.ValidString(got) {
		t.Fatalf("got %q", got)
	}
	all := language.OneLine(strings.Join(said, "\n")) // quotes stand on one line
	if strings.ContainsAny(all, `"`) {
		return
	}
	parts := strings.Split(got, `"`)
	for i := 1; i < len(parts); i += 2 {
		if !strings.Contains(all, parts[i]) {
			t.Fatalf("got %q, which was never said\nsaid: %q\ngot:  %q", parts[i], all, got)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("My name is Alex. I'm building a distributed cache in Rust.", "We moved to Go.", "What tech stack are we using?")
	f.Add("We're committed to microservices", "Merged all services back into a monolith", "What changed?")
	f.Add("Tried GraphQL in Q1, reverted in Q2 due to N+1 issues", "", "why did we revert GraphQL?")
	f.Add("我叫小明。我住在北京。", "私の犬の名前はポチです。", "我叫什么名字？")
	f.Add("> quoted\n```\ncode\n```\n- list\n1. first", "Forget that.", "What did I say about the list?")
	f.Add("我叫小明，我住在北京。", "He said “we use Go”, then left", "我住在哪里？")
	f.Add("I", "my", "?")
	f.Add(" … ", "\x00\xff", "¿ ?!")
	f.Add(strings.Repeat("a very long sentence about nothing ", 60), "I’m ‘here’", "What is the sentence about?")
	f.Fuzz(func(t *testing.T, first, second, question string) {
		k := newTalk(t)
		k.learn(session.User, "", strings.ToValidUTF8(first, ""))
		k.Now = k.Now.Add(time.Hour)
		k.learn(session.User, "Dana", strings.ToValidUTF8(second, ""))
		k.Now = k.Now.Add(time.Hour)
		question = strings.ToValidUTF8(question, "")
		p := k.prompt(question, false)
		got, _ := answerOf(t, p)
		checkAnswer(t, got, strings.ToValidUTF8(first, ""), strings.ToValidUTF8(second, ""), question)
		p.Streaming = true
		if streamed, _ := answerOf(t, p); streamed != got {
			t.Fatalf("in pieces: got %q, want %q", streamed, got)
		}
	})
}

// TestMixedConversations answers every question after every saying of the
// scopes, whatever that makes of them.
func TestMixedConversations(t *testing.T) {
	t.Parallel()
	never := runtest.Scopes[len(runtest.Scopes)-1].Never
	for _, s := range runtest.Scopes {
		k := newTalk(t)
		var said []string
		for n, c := range s.Told {
			question := never[n%len(never)]
			said = append(said, c.Said, question, c.Said+" "+question)
			checkAnswer(t, k.say(c.Said), said...)
			checkAnswer(t, k.say(question), said...)
			checkAnswer(t, k.say(c.Said+" "+question), said...)
		}
	}
}

func TestSameAnswerEveryTime(t *testing.T) {
	t.Parallel()
	play := func() string {
		k := newTalk(t)
		var b strings.Builder
		for _, c := range runtest.Scopes[0].Told {
			b.WriteString(k.say(c.Said))
		}
		for _, q := range []string{"What do you know about me?", "What changed?", "List the decisions we made.", "What did I say about the build?", "What do we use?"} {
			b.WriteString(k.say(q))
		}
		return b.String()
	}
	first := play()
	for range 3 {
		if again := play(); again != first {
			t.Fatalf("got %s\nthen %s", first, again)
		}
	}
}

func TestHugeMessages(t *testing.T) {
	t.Parallel()
	log := strings.Repeat("request served from the edge in some milliseconds without an error\n", 16000)
	blob := strings.Repeat("x", 1<<20)
	k := newTalk(t)
	k.tell("The cache eviction policy is LRU.", log, blob, log+"The relay password rotates on Mondays.\n")
	for _, question := range []string{"What is the cache eviction policy?", "What was served from the edge?", "What is it? " + blob, log + "What is the cache eviction policy?"} {
		got := k.say(question)
		if !strings.HasPrefix(got, "[recall] ") || len(got) > 8<<10 {
			t.Errorf("%.40q: got %d bytes: %.200s", question, len(got), got)
		}
	}
	expect(t, "policy", k.say("What is the cache eviction policy?"), `"The cache eviction policy is LRU"`)
}
