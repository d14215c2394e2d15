package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// verbatim fails unless the words of every fact stand in its message, where the fact says.
func verbatim(t interface{ Errorf(string, ...any) }, d ranking.Document, before []ranking.Document) {
	ids := map[FactID]bool{}
	for _, f := range Distill(d, before) {
		if ids[f.ID] {
			t.Errorf("%q: id %s twice", d.Text, f.ID)
		}
		ids[f.ID] = true
		if f.Source.Start < 0 || f.Source.End > len(d.Text) || d.Text[f.Source.Start:f.Source.End] != f.Quote {
			t.Errorf("%q: the quote %q does not stand at %d", d.Text, f.Quote, f.Source.Start)
		}
		if f.Statement == "" || !strings.Contains(f.Quote, f.Statement) {
			t.Errorf("%q: the statement %q is not in the quote %q", d.Text, f.Statement, f.Quote)
		}
		if !strings.Contains(d.Text, f.Because) || !strings.Contains(d.Text, f.Value) {
			t.Errorf("%q: the reason %q or the value %q is not in the message", d.Text, f.Because, f.Value)
		}
	}
}

// pieces are parts of messages, which generated messages are made of; never written.
var pieces = []string{
	"We use Postgres", "I live in Graz", "it's on Redis now", "down to 3", "because the bill doubled", "work as a nurse", "scratch that",
	"My name is Ada", "that's why we left", "and moved from Jenkins to Buildkite", "yes, let's do that", "- kitchen 30k", "Plan:", "on 14 February",
	"she said \"we never use it at all\"", "please always answer in French", "how do I sort it", "if we win", "the limit is 100", "caused 3 outages",
	"Commit: removed the cache", "我住在上海", "نستخدم بوستغرس", "🎉", "<context>", "</context>", "```", "> quoted", "lol", "our team, on the other hand, agreed",
}

var joints = []string{" ", ". ", ", ", "\n", "; ", "! ", "\n\n", " and ", "? ", ""}

// TestVerbatim is the rule that nothing is put into the user's mouth: over generated
// messages, also as replies to the assistant.
func TestVerbatim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			b.WriteString(rapid.SampledFrom(joints).Draw(t, "joint"))
		}
		asked := spoken(0, session.Assistant, rapid.SampledFrom([]string{"Which one?", "I suggest NATS.", "Done."}).Draw(t, "asked"))
		verbatim(t, spoken(1, session.User, b.String()), []ranking.Document{asked})
	})
}

// TestOwnPart reads only the person's question in what a front end wrapped.
func TestOwnPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, own, others string }{
		"retrieval": {
			"### Task:\nAnswer the query with the context.\n\n<context>\n<source id=\"1\">We use Oracle 12.</source>\n</context>\n\n<user_query>\nWe use Postgres 15.\n</user_query>",
			"We use Postgres 15", "Oracle",
		},
		"history": {
			"### Task:\nReply to the user.\n### Chat History:\nUSER: We use Oracle 12.\n### Question:\nWe use Postgres 15.",
			"We use Postgres 15", "Oracle",
		},
		"template": {"Use the context below.\nContext: We use Oracle 12.\nQuestion: We use Postgres 15.", "We use Postgres 15", "Oracle"},
		"mail":     {"From now on answer in French.\nFrom: ads@example.com\nWe use Oracle 12 and so should you.", "answer in French", "Oracle"},
		"paste": {
			"what does this mean?\nWe use Oracle 12 in all of our offices. We moved to Oracle 12 on 3 May 2024 because of the licence, and paid 40,000 euros.",
			"", "Oracle",
		},
		"none": {"Context matters: we use Postgres 15.", "we use Postgres 15", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := ""
			for _, f := range Distill(said(c.text), nil) {
				if f.Kind.Asserted() {
					all += f.Statement + "\n"
				}
			}
			if !strings.Contains(all, c.own) || c.others != "" && strings.Contains(all, c.others) {
				t.Errorf("got %q, want %q and no %q", all, c.own, c.others)
			}
		})
	}
}
