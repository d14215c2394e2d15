package storetest

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/mention"
)

// testErasedSends: a message that is not over and names a forgotten thing becomes a line, once for the parts of an answer that
// wait, and always where the platform may show the old text. One that is over is deleted, as is one to a chat that names
// the thing.
func testErasedSends(t *testing.T, st Store) {
	ctx := t.Context()
	send := func(id, origin string, part int, text string, state gateway.SendState) gateway.Send {
		s := outbound(id, text)
		s.Origin, s.Part, s.State = origin, part, state
		return s
	}
	question := send("q", "forget wombat", 0, "May I?", gateway.ToSend)
	question.Buttons = []gateway.Button{{ID: "yes", Label: "Erase"}}
	file := send("f", "run_2", 0, "All of it.", gateway.Parked)
	file.File, file.ReplyTo = &gateway.File{Name: "answer.md", Data: []byte("the wombat sleeps")}, "m-wombat"
	there := send("t", "run_3", 0, "a wombat", gateway.ToSend)
	there.Place = placeOf("wombat")
	kind(t, "add", st.AddSends(ctx, alice(), []gateway.Send{
		send("a0", "run_1", 0, "a wombat", gateway.Sent), send("a1", "run_1", 1, "a wombat", gateway.ToEdit), send("a2", "run_1", 2, "a zebra", gateway.ToSend),
		send("a3", "run_1", 3, "a wombat", gateway.Sending), send("a4", "run_1", 4, "a wombat", gateway.ToSend), send("a5", "run_1", 5, "wombats", gateway.Parked),
		send("b", "run_4", 0, "a wombat", gateway.GaveUp), send("c", "run_5", 0, "a wombat", gateway.ToSend), send("d", "run_5", 1, "a wombat", gateway.ToSend),
		question, file, there,
	}), "")
	_, err := st.Sweep(ctx, alice(), mention.Of("wombat"), false)
	kind(t, "sweep", err, "")
	traces, err := st.Mentions(ctx, alice(), mention.Of("wombat"))
	kind(t, "mentions", err, "")
	for _, trace := range traces {
		same(t, "mentions in "+trace.File, trace.Hits, 0)
	}
	open, err := st.Sends(ctx, alice(), placeOf("c"), 100)
	kind(t, "sends", err, "")
	got := make(map[string]string)
	lines := 0
	for i := range open {
		s := &open[i]
		if strings.Contains(s.Text, "had me forget") {
			s.Text = "line"
		}
		if s.Origin == "run_5" {
			lines += strings.Count(s.Text, "line")
			continue
		}
		got[s.ID] = strings.Join([]string{string(s.State), s.Origin, s.Text, string(s.ReplyTo)}, "|")
		same(t, "buttons and file of "+s.ID, len(s.Buttons) == 0 && s.File == nil, true)
	}
	same(t, "open messages", got, map[string]string{
		"a1": "changed|run_1|line|", "a2": "waiting|run_1|a zebra|", "a3": "sending|run_1|line|", "q": "waiting|forgotten q|line|", "f": "parked|run_2|line|",
	})
	same(t, "lines of an answer in two parts", lines, 1)
}

// testErasedSendsOfAnyName: the line does not name the thing, whatever the thing is.
func testErasedSendsOfAnyName(t *testing.T, st Store) {
	ctx := t.Context()
	for i, thing := range []string{"message", "erased", "somebody had me", "🗑️"} {
		s := outbound(string(rune('a'+i)), "It has "+thing+" in it.")
		s.Origin = "run_" + s.ID
		kind(t, "add", st.AddSends(ctx, alice(), []gateway.Send{s}), "")
		_, err := st.Sweep(ctx, alice(), mention.Of(thing), false)
		kind(t, "sweep", err, "")
		open, err := st.Sends(ctx, alice(), placeOf("c"), 100)
		kind(t, "sends", err, "")
		want := i + 1
		if thing == "🗑️" { // also the lines from before
			want = 0
		}
		same(t, "messages behind "+thing, len(open), want)
		for i := range open {
			same(t, open[i].Text+" names "+thing, mention.Of(thing).In(open[i].Text), false)
		}
	}
}
