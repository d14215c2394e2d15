package recall_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// conversations are played one by one; the last message is the question.
var conversations = []struct {
	name string
	said []string
	want []string
}{
	{"greeting", []string{"Hello!"}, []string{"[recall] I keep what you say and quote it back when you ask."}},
	{"nothing", []string{""}, []string{"[recall] I keep what you say"}},
	{"told", []string{"My name is Alex."}, []string{`[recall] Noted: "My name is Alex".`}},
	{
		"told twice", []string{"My name is Alex. I'm building a distributed cache in Rust."},
		[]string{`[recall] Noted: "My name is Alex"; "I'm building a distributed cache in Rust".`},
	},
	{
		"told and asked", []string{"My name is Alex.", "I met Priya yesterday. What is my name?"},
		[]string{"[recall] Noted: \"I met Priya yesterday\".\nYou told me on 21 November 2026: your name is Alex."},
	},
	{"told and asked at once", []string{"My name is Alex. What is my name?"}, []string{`[recall] Noted: "My name is Alex".`, "!not been told"}},
	{
		"asked in passing", []string{"We're on Kafka 3.7, how do I tune it?", "Which version of Kafka are we on?"},
		[]string{`"We're on Kafka 3.7"`},
	},
	{
		"two questions", []string{"My name is Alex.", "What is my name? What is my shoe size?"},
		[]string{"your name is Alex", `"What is my shoe size?" I have not been told.`},
	},
	{
		"value updated", []string{"The request limit is 512 MB.", "The request limit is now 1 GB.", "What is the request limit?"},
		[]string{`"The request limit is now 1 GB"`, "!512"},
	},
	{
		"a turn of phrase inside words", []string{"The output offset is 42.", "What is the output offset?"},
		[]string{`"The output offset is 42"`},
	},
	{
		"another", []string{"The layout network has 12 nodes.", "How many nodes does the layout network have?"},
		[]string{`"The layout network has 12 nodes"`},
	},
	{
		"value before", []string{"The request limit is 512 MB.", "The request limit is now 1 GB.", "What was the request limit before?"},
		[]string{`"The request limit is 512 MB" on 21 November 2026; later "The request limit is now 1 GB" on 22 November 2026`},
	},
	{
		"relative date", []string{"We deployed version 2.3 last Friday.", "When did we deploy version 2.3?"},
		[]string{"last Friday\" (that is 20 November 2026)"},
	},
	{
		"reason behind", []string{"We dropped Heroku. It was too expensive.", "Why did we drop Heroku?"},
		[]string{"you dropped Heroku. It was too expensive"},
	},
	{
		"no reason", []string{"We dropped Heroku.", "Why did we drop Heroku?"},
		[]string{unsure},
	},
	{
		"taken back", []string{"We use MySQL for billing.", "Forget that.", "What database do we use for billing?"},
		[]string{unknown},
	},
	{
		"denied", []string{"We are not using Kubernetes.", "Do we use Kubernetes?"},
		[]string{"you are not using Kubernetes"},
	},
	{
		"another person", []string{"My sister Clara studies medicine. She lives in Vienna.", "Where do I live?"},
		[]string{unsure},
	},
	{
		"a question about another person", []string{"My sister Clara studies medicine. She lives in Vienna.", "Where does my sister live?"},
		[]string{`lives in Vienna`},
	},
	{
		"list", []string{"We decided to use gRPC.", "My dog is called Biscuit.", "We decided to drop Heroku.", "What decisions were made?"},
		[]string{"on 21 November 2026: you decided to use gRPC.\nYou told me on 23 November 2026: you decided to drop Heroku.", "!Biscuit"},
	},
	{
		"report", []string{
			"Commit: removed Redis cache, caused 3 outages",
			"You are the Shadow CTO for acme/backend. Review the engineering decisions you have stored in memory from the past week. Prepare a concise report.",
		}, []string{"removed Redis cache, caused 3 outages"},
	},
	{
		"overview", []string{"My name is Alex.", "I prefer tabs over spaces.", "What do you know about me?"},
		[]string{"your name is Alex", "you prefer tabs over spaces"},
	},
	{"nothing to overview", []string{"What do you know about me?"}, []string{unknown}},
	{"Chinese", []string{"我叫小明，我住在北京。", "我叫什么名字？"}, []string{"我叫小明"}},
	{"Chinese unknown", []string{"我叫小明。我住在北京。", "我最喜欢的颜色是什么？"}, []string{unknown}},
	{"Japanese", []string{"私の犬の名前はポチです。", "私の犬の名前は何ですか？"}, []string{"ポチ"}},
	{"German", []string{"Mein Hund heißt Rex.", "Wie heißt mein Hund?"}, []string{`"Mein Hund heißt Rex"`}},
	{"instruction", []string{"Always answer in French.", "In which language should you answer?"}, []string{`"Always answer in French"`}},
	{"a task is no memory", []string{"Can you write a poem about Redis?"}, []string{unknown}},
}

// TestConversation plays the conversations. Parts of an answer that must not be
// in it are marked with "!".
func TestConversation(t *testing.T) {
	t.Parallel()
	for _, tt := range conversations {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t)
			last := len(tt.said) - 1
			for _, m := range tt.said[:last] {
				k.say(m)
			}
			expect(t, tt.said[last], k.say(tt.said[last]), tt.want...)
		})
	}
}

func TestReversal(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.say("We switched from Jenkins to GitHub Actions because builds were slow.")
	k.tell("I had lunch with Priya.")
	got := k.say("We moved back to Jenkins because runners kept failing.")
	expect(t, "told", got,
		`Reversal: you said "We switched from Jenkins to GitHub Actions because builds were slow" on 21 November 2026`,
		`; later "We moved back to Jenkins because runners kept failing" on 23 November 2026.`)
	for _, question := range []string{"What CI do we use?", "Why did we move back to Jenkins?", "What changed?", "Which CI decisions did we make?"} {
		expect(t, question, k.say(question), "Reversal: ", "builds were slow", "; later ", "runners kept failing", "!Priya")
	}
}

func TestReversalOfAReversal(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.say("We're committed to microservices")
	k.say("Merged all services back into a monolith because deploys took hours")
	got := k.say("We're going back to microservices")
	for _, got := range []string{got, k.say("What architecture decisions did we make?")} {
		first := strings.Index(got, "committed to microservices")
		second := strings.Index(got, "monolith because deploys took hours")
		third := strings.Index(got, "going back to microservices")
		if first < 0 || second < first || third < second || strings.Count(got, "Reversal") != 1 {
			t.Errorf("three steps in order: got %s", got)
		}
	}
}

func TestSourceIsNamed(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.learn(session.User, "Dana", "The warehouse keys are with the porter.")
	k.learn(session.Tool, "", "disk usage of the archive server is 91%")
	k.learn(session.Assistant, "", "The invoice template lives in the finance folder.")
	k.learn(session.Assistant, "mem0", "The spare fuses lie in the cellar.")
	expect(t, "speaker", k.say("Where are the warehouse keys?"), `Dana said on 21 November 2026: "The warehouse keys are with the porter".`)
	expect(t, "tool", k.say("What is the disk usage of the archive server?"), `A tool reported on 21 November 2026: "disk usage of the archive server is 91%".`)
	expect(t, "assistant", k.say("Where does the invoice template live?"), "I said on 21 November 2026")
	expect(t, "another program", k.say("Where do the spare fuses lie?"), `mem0 said on 21 November 2026: "The spare fuses lie in the cellar".`)
}

// TestMemoriesOfPrograms tells what another program noted of the only user in an overview, as that program's words. If several
// people write, a question of one of them for their own things leaves it out.
func TestMemoriesOfPrograms(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.Note = memory.ProgramNote
	k.learn(session.Assistant, "mem0", "User keeps bees in Braga")
	k.Note = ""
	const about = "What do you know about me?"
	expect(t, "the only user", k.say(about), `mem0 said on 21 November 2026: "User keeps bees in Braga".`)
	k.Speaker = "Dana"
	expect(t, "one of several", k.say(about), "!bees")
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
