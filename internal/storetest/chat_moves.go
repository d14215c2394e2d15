package storetest

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/session"
)

func chatMoveTests() []test {
	return []test{
		{"a chat that moves onto another one keeps its memory and session", testMoveOnto},
		{"a chat that has moved takes what comes late from its old id", testMoveAgain},
		{"a chat that moves onto another one keeps its labels", testMoveLabels},
	}
}

// wantChat checks what a chat leads to.
func wantChat(t *testing.T, st Store, at gateway.Place, key session.Key, id session.ID, former string) {
	t.Helper()
	chat, err := st.Chat(t.Context(), alice(), at)
	if err != nil || chat.Key != key || chat.Session != id || chat.Former != former {
		t.Errorf("%s/%s: got %+v, %v; want the key %q, the session %q and the former id %q", at.Chat, at.Thread, chat, err, key, id, former)
	}
}

// mustLead leads a chat to its first session.
func mustLead(t *testing.T, st Store, at gateway.Place, to session.ID) {
	t.Helper()
	if err := st.LeadChat(t.Context(), alice(), at, "", to, ""); err != nil {
		t.Fatal(err)
	}
}

// mustMove moves the chat c to the id d.
func mustMove(t *testing.T, st Store) {
	t.Helper()
	if err := st.MoveChat(t.Context(), alice(), placeOf("c"), "d"); err != nil {
		t.Fatal(err)
	}
}

// inThread is a message to the bot in a thread.
func inThread(id, chat, thread string) gateway.Admitted {
	e := inbound(alice(), id, chat, "hello")
	e.Event.Place.Thread = thread
	return e
}

// testMoveOnto: what was said under the new id before the chat moved there is answered in the old chat's session,
// and no thread keeps another memory.
func testMoveOnto(t *testing.T, st Store) {
	ctx := t.Context()
	both, early := inThread("2", "c", "both"), inThread("5", "d", "early")
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"), both)
	mustCommit(t, st, alice(), "", inbound(alice(), "3", "d", "hello"), inThread("4", "d", "both"), early)
	mustLead(t, st, placeOf("c"), "s1")
	mustLead(t, st, both.Event.Place, "s2")
	mustLead(t, st, placeOf("d"), "s3")
	mustLead(t, st, early.Event.Place, "s4")
	there := outbound("b", "hi")
	there.Place = placeOf("d")
	if err := st.AddSends(ctx, alice(), []gateway.Send{outbound("a", "hi"), there}); err != nil {
		t.Fatal(err)
	}
	if err := st.SetHome(ctx, alice(), placeOf("d")); err != nil {
		t.Fatal(err)
	}
	mustMove(t, st)

	wantChat(t, st, placeOf("d"), "short", "s1", "c")
	both.Event.Place.Chat = "d"
	wantChat(t, st, both.Event.Place, "short", "s2", "c")
	wantChat(t, st, early.Event.Place, "short", "", "")
	if chat, err := st.Chat(ctx, alice(), placeOf("d")); err != nil || !chat.Home {
		t.Errorf("got %+v, %v, want the home kept", chat, err)
	}
	_, err := st.Chat(ctx, alice(), placeOf("c"))
	kind(t, "the old id", err, fault.NotFound)
	if open := mustOpen(t, st, placeOf("d")); len(open) != 2 {
		t.Errorf("got %+v, want the events of both ids", open)
	}
	if sends, err := st.Sends(ctx, alice(), placeOf("d"), 10); err != nil || len(sends) != 2 {
		t.Errorf("got %+v, %v, want the messages of both ids", sends, err)
	}
}

// testMoveAgain: the old id is used once more after the move. The chat goes on under the new one.
func testMoveAgain(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	mustLead(t, st, placeOf("c"), "s1")
	mustMove(t, st)
	mustCommit(t, st, alice(), "", inbound(alice(), "2", "c", "hello"))
	mustLead(t, st, placeOf("c"), "s2")
	mustMove(t, st)

	if err := st.MoveChat(t.Context(), alice(), placeOf("d"), "d"); err != nil {
		t.Fatal(err)
	}
	wantChat(t, st, placeOf("d"), "short", "s1", "c")
	_, err := st.Chat(t.Context(), alice(), placeOf("c"))
	kind(t, "the old id", err, fault.NotFound)
	if open := mustOpen(t, st, placeOf("d")); len(open) != 2 {
		t.Errorf("got %+v, want both events", open)
	}
}

// testMoveLabels: the labels of the session that goes on stay those of their people.
func testMoveLabels(t *testing.T, st Store) {
	number := 0
	said := func(chat, user, name string) string {
		t.Helper()
		number++
		e := inbound(alice(), string(rune('a'+number)), chat, "hello")
		e.Event.Type, e.Event.From = gateway.Group, gateway.Sender{ID: user, Name: name}
		mustCommit(t, st, alice(), "", e)
		open := mustOpen(t, st, placeOf(chat))
		return open[len(open)-1].Label
	}
	var got []string
	for _, c := range [][3]string{
		{"c", "u1", "Otto"}, {"c", "u2", "Otto"}, {"d", "u2", "Otto"}, {"d", "u3", "Otto"}, {"d", "u4", "Karl"},
		{"move"}, {"d", "u1", "Otto"}, {"d", "u2", "Otto"}, {"d", "u3", "Otto"}, {"d", "u4", "Karl"},
		{"c", "u5", "Otto"}, {"move"}, {"d", "u1", "Otto"}, {"d", "u5", "Otto"},
	} {
		if c[0] == "move" {
			mustMove(t, st)
			continue
		}
		got = append(got, said(c[0], c[1], c[2]))
	}
	same(t, "labels", got, []string{
		"Otto", "Otto (2)", "Otto", "Otto (2)", "Karl",
		"Otto", "Otto (2)", "Otto (3)", "Karl",
		"Otto", "Otto", "Otto (4)",
	})
}
