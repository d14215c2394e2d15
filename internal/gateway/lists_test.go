package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestMemoryListsStatements: /memory shows what a person told, and not what was asked or supposed.
func TestMemoryListsStatements(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := h.overBridge
		say("My zebra is called Quagga.")
		say("What is my zebra called?")
		say("If my zebra ran away I would cry.")
		for _, command := range []string{"/memory", "/memory zebra"} {
			got := say(command)
			if !strings.Contains(got, "called Quagga") || strings.Contains(got, "What is") {
				t.Errorf("%s is answered with %q, want the statement and not the question", command, got)
			}
		}
		if got := say("/memory"); strings.Contains(got, "ran away") {
			t.Errorf("/memory is answered with %q, want nothing that was supposed", got)
		}
	})
}

// TestMemoryLooksForWords: /memory with words shows what has them, or words that may stand for
// them, and says so if nothing has.
func TestMemoryLooksForWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		said := []string{
			"My sister Karin marries in Ghent.", "The landlord is called Okafor.", "I bought a kayak.", "My rabbits eat hay.", "我住在東京",
		}
		for _, text := range said {
			h.overBridge(text)
		}
		for words, want := range map[string]int{
			"karin": 0, "KARIN": 0, "the landlord": 1, "kayaks": 2, "rabbit food": 3, "purchases": 2, "東京": 4, "chess": -1, "the": -1,
		} {
			got := h.overBridge("/memory " + words)
			if nothing := strings.HasPrefix(got, "Nothing"); nothing != (want < 0) {
				t.Errorf("/memory %s: got %q", words, got)
			}
			for i, text := range said {
				if n := strings.Count(got, strings.Trim(text, ".")); want >= 0 && (n == 1) != (i == want) || n > 1 {
					t.Errorf("/memory %s: got %q, want only %q", words, got, said[want])
				}
			}
		}
	})
}

// TestMemoryOfOneOfAClass: what is said of another thing of the same class is not what was looked for. What is said in other words
// stands under a heading that says so.
func TestMemoryOfOneOfAClass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for _, text := range []string{
			"My dog is called Rex.", "My cat is called Tom.", "I bought a kayak.", "The purchase of a tent is done.", "My brother lives in Graz.", "My sister lives in Linz.",
			"We have lunch at noon.", "We have dinner at eight.",
		} {
			h.overBridge(text)
		}
		for words, want := range map[string]struct{ has, other, not string }{
			"cat": {"Tom", "", "Rex"}, "dog": {"Rex", "", "Tom"}, "brother": {"Graz", "", "Linz"}, "sister": {"Linz", "", "Graz"},
			"lunch": {"noon", "", "eight"}, "dinner": {"eight", "", "noon"}, "purchase": {"tent", "kayak", "noon"}, "pets": {"", "Rex", "noon"},
		} {
			with, other, _ := strings.Cut(h.overBridge("/memory "+words), "In other words:")
			if !strings.Contains(with, want.has) || !strings.Contains(other, want.other) || strings.Contains(with+other, want.not) {
				t.Errorf("/memory %s: got %q and, in other words, %q", words, with, other)
			}
			if want.other != "" && strings.Contains(with, want.other) {
				t.Errorf("/memory %s: %q stands among what has the word", words, want.other)
			}
		}
	})
}

// TestSessionsListsConversations: /sessions leaves out the session of notes and those of jobs, and
// the numbers of /resume are those of the list.
func TestSessionsListsConversations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := h.overBridge
		say("My zebra is called Quagga.")
		first := say("/sessions")
		say("/new")
		say("Quagga eats hay.")
		key := session.Key("agent:main:matrix:dm")
		if _, err := h.curator.Remember(context.Background(), &curate.Note{Owner: h.bot.Owner, Key: key, Text: "The stable is in Graz."}); err != nil {
			t.Fatal(err)
		}
		_, _, err := h.curator.Append(context.Background(), &curate.Addition{
			Owner: h.bot.Owner, Session: "job-run", Key: key, Source: session.SourceCron,
			Messages: []session.Message{{Role: session.User, Content: "What is due?"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := say("/sessions")
		if strings.Contains(got, "memory:") || strings.Contains(got, "Graz") || strings.Contains(got, "job-run") || strings.Count(got, " messages") != 2 {
			t.Errorf("/sessions is answered with %q, want the two conversations", got)
		}
		if back := say("/resume 2"); strings.Contains(back, "No session") || !strings.Contains(say("/sessions"), strings.TrimSpace(first[3:20])) {
			t.Errorf("/resume 2 is answered with %q after %q", back, got)
		}
	})
}

// TestResumeByTitle: a title leads back to its session, also after a fold has numbered the title.
// A title of exactly that name is first.
func TestResumeByTitle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := h.overBridge
		for _, title := range []string{"Zebra talk #2", "Hay", "Hay #3"} {
			say("My zebra is called Quagga.")
			say("/title " + title)
			say("/new")
		}
		say("Quagga eats straw.")
		for name, want := range map[string]string{"zebra TALK": "Zebra talk \\#2", "Zebra talk #2": "Zebra talk \\#2", "hay": "Hay", "Hay #3": "Hay \\#3"} {
			if got := say("/resume " + name); got != "Going on with "+want+", 2 messages." {
				t.Errorf("/resume %s is answered with %q, want %s", name, got, want)
			}
		}
		for name, want := range map[string]string{
			"2026": "There is no conversation", "9": "There is no conversation", "0": "There is no conversation", "-1": "There is no conversation",
			"20": "There is no conversation", "z": "No session", "2000010": "There is no conversation",
		} {
			if got := say("/resume " + name); !strings.HasPrefix(got, want) {
				t.Errorf("/resume %s is answered with %q, want %s …", name, got, want)
			}
		}
		list, err := h.db.Sessions(t.Context(), h.bot.Owner, session.Filter{Limit: 10})
		if err != nil || len(list) == 0 {
			t.Fatalf("sessions: got %v, %v", list, err)
		}
		id := string(list[0].ID)
		for name, want := range map[string]string{id[:9]: "The ids of several", id[:len(id)-1]: "Going on"} {
			if got := say("/resume " + name); !strings.HasPrefix(got, want) {
				t.Errorf("/resume %s is answered with %q, want %s …", name, got, want)
			}
		}
		if got := say("/resume Zebra"); !strings.HasPrefix(got, "No session") {
			t.Errorf("a part of a title is answered with %q", got)
		}
	})
}

// TestCommandsBehindBlanks: blanks before a command do not make it a question to the model.
func TestCommandsBehindBlanks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.overBridge("My zebra is called Quagga.")
		for _, text := range []string{" /status", "\n\t/STATUS", " !status", "\u00a0/stat"} {
			if got := h.overBridge(text); !strings.HasPrefix(got, "Session:") {
				t.Errorf("%q is answered with %q, want the state of the session", text, got)
			}
		}
		if got := h.overBridge("  /title Zebra talk "); got != "Title: Zebra talk" {
			t.Errorf("an argument behind a blank is answered with %q", got)
		}
		if got := h.overBridge(" /etc/hosts is empty"); !strings.HasPrefix(got, "You said:") {
			t.Errorf("a path is answered with %q, want the model", got)
		}
	})
}

// TestCommandOfAnotherBot: a bot that answers everything in a group leaves the commands of others
// alone.
func TestCommandOfAnotherBot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Mention = false })
		defer h.end()
		h.receive(h.group(ada, "Ada", "/new@other_bot", false))
		h.settled()
		if got := h.wire.said(); len(got) != 0 {
			t.Errorf("the command of another bot is answered with %q", got)
		}
		h.receive(h.group(ada, "Ada", "/title", false))
		h.settled()
		if got := h.wire.said(); len(got) != 1 {
			t.Errorf("a command without a name is answered with %q, want the title", got)
		}
	})
}
