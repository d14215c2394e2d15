package storetest

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/session"
)

// testOwnWords: the words with which this program begins keys, ids and targets are no mention of a thing, wherever they
// are stored. What a platform, another program or a client gave is one.
func testOwnWords(t *testing.T, st Store) {
	for _, at := range []struct {
		id  session.ID
		key session.Key
	}{
		{"20260102_150405_0a1b2c3d", "agent:main:telegram:dm"},
		{"20260102_150405_0a1b2c3e", "agent:main:discord:channel:8035"},
		{"20260102_150405_0a1b2c3f", "agent:main:whatsapp:dm:4915"},
		{"20260102_150405_0a1b2c40", "agent:main:matrix:group:!quagga:example.org"},
		{"chatgpt:custom-instructions:wombat", "me"},
		{"mem0:okapi", "memories-of-okapi"},
		{"letta:ag-1:human", ""},
		{"job:zebu", "me"},
		{"memory:agent:main:slack:dm:D1", "agent:main:slack:dm:D1"},
		{"hermes:MEMORY.md", "me"},
		{"hermes:USER.md", "me"},
	} {
		l := newTalk(alice(), at.id, at.key)
		l.sessions[0].Source = "telegram"
		step := l.step(t, st, "one", "two")
		if at.id == "mem0:okapi" {
			step.Origin = originOf("memory:okapi", "first")
			step.Origin.System, step.Origin.Root = "mem0", at.id
		}
		l.commit(t, st, step)
		tell(t, st, l, 2)
	}
	e := inbound(alice(), "1", "8035", "hello")
	e.Keys.Short = "agent:main:telegram:dm"
	mustCommit(t, st, alice(), "", e)
	j := aJob("job_0123456789abcdef", "zebu")
	j.Deliver, j.Prompt = "telegram:77001", "Is it new?"
	kind(t, "create", st.CreateJob(t.Context(), alice(), j, manyJobs), "")
	kind(t, "send", st.AddSends(t.Context(), alice(), []gateway.Send{{
		ID: "s", Place: placeOf("8035"), Type: gateway.DM, Origin: "forget quagga", Text: "Erase all of it?", State: gateway.ToSend, CreatedAt: epoch(),
	}}), "")

	for _, word := range []string{
		"Gent", "agent", "main", "Ain", "telegram", "gram", "ram", "discord", "cord", "slack", "lack", "whatsapp", "hat", "app", "matrix",
		"group", "channel", "Han", "chatgpt", "GPT", "custom", "instructions", "Mem0", "letta", "human", "job", "memory", "forget", "agent main telegram",
		"me", "md", "MEMORY.md",
	} {
		traces, err := st.Mentions(t.Context(), alice(), mention.Of(word))
		kind(t, word, err, "")
		for _, trace := range traces {
			if trace.Hits > 0 {
				t.Errorf("%s: %d mentions in the %s", word, trace.Hits, trace.File)
			}
		}
		swept, err := st.Sweep(t.Context(), alice(), mention.Of(word), true)
		kind(t, word, err, "")
		same(t, word+": jobs and records", [2]int{swept.Jobs, swept.Records}, [2]int{})
	}
	chosen := newTalk(alice(), "q3", "agent:gent:x")
	chosen.commit(t, st, chosen.step(t, st, "one", "two"))
	for word, table := range map[string]string{
		"8035": "rows of sessions", "4915": "rows of messages", "quagga": "rows of chat_sends", "wombat": "rows of sessions", "okapi": "rows of imports",
		"zebu": "rows of jobs", "77001": "rows of jobs", "D1": "rows of scopes", "gent": "rows of sessions",
	} {
		traces, err := st.Mentions(t.Context(), alice(), mention.Of(word))
		kind(t, word, err, "")
		found := false
		for _, trace := range traces {
			found = found || trace.File == table && trace.Hits > 0
		}
		if !found {
			t.Errorf("%s: no mention in the %s", word, table)
		}
	}
	same(t, "the name of a place", named(t, st, alice(), provider.SourceOf("agent:main:telegram:dm", "")), "agent-main-telegram-dm")
}

// testOwnSpeakers: the name of a program is no mention where an import wrote it as the speaker of memories, and into
// a title. A person of that name is one.
func testOwnSpeakers(t *testing.T, st Store) {
	for i, role := range []session.Role{session.Assistant, session.User} {
		l := newTalk(alice(), session.ID([]string{"mem0:okapi", "s"}[i]), "chatgpt-9")
		l.sessions[0].Title, l.sessions[0].TitleSource = "Memories of mem0", session.TitleModel
		step := l.step(t, st, "I like tea.")
		m := &step.Messages[0]
		m.Role, m.Name = role, "mem0"
		learned := fact("tea", m, memory.Plain)
		learned.ID, learned.Source.Speaker = memory.FactID([]string{"f_tea", "f_two"}[i]), "mem0"
		step.Changes = []memory.Change{{Learned: []memory.Fact{learned}}}
		l.commit(t, st, step)
		for _, word := range []string{"mem0", "Mem", "memories", "chatgpt"} {
			traces, err := st.Mentions(t.Context(), alice(), mention.Of(word))
			kind(t, word, err, "")
			var hit []string
			for _, trace := range traces {
				if trace.Hits > 0 {
					hit = append(hit, trace.File)
				}
			}
			var want []string
			if role == session.User && (word == "mem0" || word == "Mem") {
				want = []string{"rows of facts", "rows of messages"}
			}
			same(t, word+": mentions", hit, want)
		}
		var read []string
		kind(t, "read all texts", st.Texts(t.Context(), alice(), func(text string) { read = append(read, text) }), "")
		same(t, "the speaker is read", slices.Contains(read, "mem0"), role == session.User)
	}
	left, err := st.Traces(t.Context(), mention.Of("hatgp"))
	kind(t, "search the files", err, "")
	for _, trace := range left {
		same(t, "a part of a key in "+trace.File, trace.Hits, 0)
	}
}
