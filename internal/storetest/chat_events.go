package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func inbound(o owner.Owner, id, chat, mark string) gateway.Admitted {
	return gateway.Admitted{
		Owner: o, State: gateway.Waiting, Keys: gateway.Keys{Short: "short", Long: session.Key("long:" + chat)},
		Event: gateway.Event{
			ID: id, Kind: gateway.Said, Place: placeOf(chat), Type: gateway.DM, Title: mark, Message: gateway.MessageID("m-" + id),
			From: gateway.Sender{ID: "the-user", Name: mark}, Text: mark, At: epoch(),
		},
	}
}

func mustCommit(t *testing.T, st Store, o owner.Owner, after gateway.Position, events ...gateway.Admitted) int {
	t.Helper()
	return kept(t, st, o, after, events...).Fresh
}

func kept(t *testing.T, st Store, o owner.Owner, after gateway.Position, events ...gateway.Admitted) gateway.Kept {
	t.Helper()
	kept, err := st.CommitEvents(t.Context(), o, gateway.Committed{
		Platform: gateway.Telegram, Account: "the-bot", Events: events, After: after, At: epoch(),
	})
	if err != nil {
		t.Fatalf("commit events: %v", err)
	}
	return kept
}

func mustOpen(t *testing.T, st Store, at gateway.Place) []gateway.Inbound {
	t.Helper()
	open, err := st.OpenEvents(t.Context(), alice(), at, 100)
	if err != nil {
		t.Fatalf("open events: %v", err)
	}
	return open
}

func testEventOnce(t *testing.T, st Store) {
	if n := mustCommit(t, st, alice(), "7", inbound(alice(), "1", "c", "hello"), inbound(alice(), "2", "c", "again")); n != 2 {
		t.Errorf("got %d new events, want 2", n)
	}
	if n := mustCommit(t, st, alice(), "", inbound(alice(), "2", "c", "again"), inbound(alice(), "3", "c", "more")); n != 1 {
		t.Errorf("got %d new events, want 1", n)
	}
	open := mustOpen(t, st, placeOf("c"))
	var texts []string
	for _, e := range open {
		texts = append(texts, e.Text)
	}
	same(t, "texts", texts, []string{"hello", "again", "more"})
	position, err := st.BotPosition(t.Context(), alice(), gateway.Telegram, "the-bot")
	if err != nil || position != "7" {
		t.Errorf("position: got %q, %v, want 7", position, err)
	}
	queues, err := st.BotQueues(t.Context(), alice(), gateway.Telegram, "the-bot")
	if err != nil || queues.Events != len(texts) || queues.Sends != 0 || queues.LastAt.IsZero() {
		t.Errorf("queues: got %+v, %v, want %d events", queues, err, len(texts))
	}
	ignored := inbound(alice(), "4", "elsewhere", "a secret")
	ignored.State, ignored.Reason = gateway.Ignored, "not allowed"
	mustCommit(t, st, alice(), "", ignored)
	_, err = st.Chat(t.Context(), alice(), placeOf("elsewhere"))
	kind(t, "the chat of an ignored event", err, fault.NotFound)
	list, err := st.ChatEvents(t.Context(), alice(), gateway.EventFilter{State: gateway.Ignored, Limit: 10})
	if err != nil || len(list) != 1 || list[0].Text != "" || list[0].Reason != "not allowed" {
		t.Errorf("ignored events: got %+v, %v, want one without a text", list, err)
	}
}

func testEventAlone(t *testing.T, st Store) {
	group := inbound(alice(), "1", "group", "hello")
	group.Event.Type = gateway.Group
	for _, e := range []gateway.Admitted{inbound(alice(), "2", "c", "hello"), group} {
		got := kept(t, st, alice(), "", e)
		if got.Alone == nil {
			t.Fatalf("the first event of a chat: got %+v, want it alone", got)
		}
		same(t, "events", mustOpen(t, st, e.Event.Place), []gateway.Inbound{*got.Alone})
	}
	elsewhere, ignored := inbound(alice(), "6", "c", "hello"), inbound(alice(), "7", "ignored", "hello")
	elsewhere.Event.Place.Thread, ignored.State = "t", gateway.Ignored
	for name, c := range map[string]struct {
		events []gateway.Admitted
		fresh  int
		alone  bool
	}{
		"again":             {[]gateway.Admitted{inbound(alice(), "2", "c", "hello")}, 0, false},
		"behind another":    {[]gateway.Admitted{inbound(alice(), "3", "c", "more")}, 1, false},
		"two at once":       {[]gateway.Admitted{inbound(alice(), "4", "d", "hello"), inbound(alice(), "5", "e", "hello")}, 2, false},
		"in another thread": {[]gateway.Admitted{elsewhere}, 1, true},
		"ignored":           {[]gateway.Admitted{ignored}, 1, false},
	} {
		if got := kept(t, st, alice(), "", c.events...); got.Fresh != c.fresh || (got.Alone != nil) != c.alone {
			t.Errorf("%s: got %+v, want %d new events, alone %t", name, got, c.fresh, c.alone)
		}
	}
}

func nameOf(id string) gateway.EventName {
	return gateway.EventName{Platform: gateway.Telegram, Account: "the-bot", ID: id}
}

func testTakeEvents(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"), inbound(alice(), "2", "c", "again"))
	k := gateway.Taking{Place: placeOf("c"), Events: []gateway.EventName{nameOf("1")}, Run: "run_1", Session: "s1", At: hour(1)}
	chat, err := st.TakeEvents(t.Context(), alice(), k)
	if err != nil || chat.Session != "s1" {
		t.Fatalf("take: got %+v, %v", chat, err)
	}
	k.Events, k.Run, k.Session = []gateway.EventName{nameOf("2"), nameOf("1")}, "run_2", "s2"
	_, err = st.TakeEvents(t.Context(), alice(), k)
	kind(t, "take what is taken", err, fault.Conflict)
	k.Events = k.Events[:1]
	k.ActiveAfter = k.At
	_, err = st.TakeEvents(t.Context(), alice(), k)
	if fault.CodeOf(err) != gateway.CodeIdle {
		t.Errorf("take of a chat that was active at that time: got %v, want the code %s", err, gateway.CodeIdle)
	}
	open := mustOpen(t, st, placeOf("c"))
	if open[0].Run != "run_1" || open[1].State != gateway.Waiting {
		t.Errorf("got %+v, want the second event waiting", open)
	}
	k.ActiveAfter = k.At.Add(-time.Millisecond)
	if chat, err := st.TakeEvents(t.Context(), alice(), k); err != nil || chat.Session != "s1" {
		t.Errorf("take of a chat that was active since: got %+v, %v", chat, err)
	}
	mustCommit(t, st, alice(), "", inbound(alice(), "3", "fresh", "hello"))
	k.Place, k.Events, k.ActiveAfter = placeOf("fresh"), []gateway.EventName{nameOf("3")}, hour(99)
	if _, err := st.TakeEvents(t.Context(), alice(), k); err != nil {
		t.Errorf("take of a chat without a session: %v", err)
	}
}

func testPlanCommand(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "/new"))
	for _, plan := range []string{"first", "second"} {
		got, err := st.PlanCommand(t.Context(), alice(), nameOf("1"), plan)
		if err != nil || got != "first" {
			t.Errorf("plan %s: got %q, %v, want first", plan, got, err)
		}
	}
}

func testSettleEvents(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	k := gateway.Taking{Place: placeOf("c"), Events: []gateway.EventName{nameOf("1")}, Run: "run_1", Session: "s1", At: hour(1)}
	if _, err := st.TakeEvents(t.Context(), alice(), k); err != nil {
		t.Fatal(err)
	}
	l := newTalk(alice(), "s1", "short")
	l.say(t, st, "hello")
	l.commit(t, st, l.fold(t, st, "s1-folded", "again"))
	s := gateway.Settlement{
		Place: placeOf("c"), Events: k.Events, State: gateway.Answered, Session: "s1-folded", At: hour(2), Sends: []gateway.Send{outbound("a", "hi")},
	}
	for range 2 { // the second time changes nothing
		if alone, err := st.SettleEvents(t.Context(), alice(), s); err != nil || !alone {
			t.Fatalf("got %t, %v, want the answer alone", alone, err)
		}
	}
	more := gateway.Settlement{Place: placeOf("c"), State: gateway.Answered, At: hour(2), Sends: []gateway.Send{outbound("b", "and")}}
	if alone, err := st.SettleEvents(t.Context(), alice(), more); err != nil || alone {
		t.Errorf("behind another answer: got %t, %v, want it not alone", alone, err)
	}
	if open := mustOpen(t, st, placeOf("c")); len(open) != 0 {
		t.Errorf("got %+v, want no open event", open)
	}
	list, err := st.ChatEvents(t.Context(), alice(), gateway.EventFilter{Limit: 10})
	if err != nil || len(list) != 1 || list[0].State != gateway.Answered || list[0].Text != "" {
		t.Errorf("events: got %+v, %v, want one answered without a text", list, err)
	}
	chat, err := st.Chat(t.Context(), alice(), placeOf("c"))
	if err != nil || chat.Session != "s1-folded" || !chat.Active.Equal(hour(2)) {
		t.Errorf("chat: got %+v, %v", chat, err)
	}
	sends, err := st.Sends(t.Context(), alice(), placeOf("c"), 10)
	if err != nil || len(sends) != 2 || sends[0].Text != "hi" {
		t.Errorf("sends: got %+v, %v", sends, err)
	}
}

func testLoseAnswer(t *testing.T, st Store) {
	ctx := t.Context()
	states := func() (out []string) {
		list, err := st.ChatEvents(ctx, alice(), gateway.EventFilter{Run: "run_1", Limit: 10})
		kind(t, "events", err, "")
		for i := range list {
			out = append(out, string(list[i].State)+" "+list[i].Reason)
		}
		return out
	}
	for name, order := range map[string][2]bool{"before": {true, false}, "after": {false, true}} {
		at := placeOf("lost " + name)
		e := inbound(alice(), name, at.Chat, "hello")
		mustCommit(t, st, alice(), "", e, inbound(alice(), "other "+name, at.Chat, "hello"))
		k := gateway.Taking{Place: at, Events: []gateway.EventName{nameOf(name)}, Run: "run_1", Session: "s1", At: hour(1)}
		if _, err := st.TakeEvents(ctx, alice(), k); err != nil {
			t.Fatal(err)
		}
		s := outbound("a "+name, "hi")
		s.Place = at
		kind(t, "begin", st.BeginSend(ctx, alice(), s), "")
		s.State, s.Error = gateway.GaveUp, "The chat is gone."
		if order[0] {
			kind(t, "give up", st.MarkSend(ctx, alice(), &s), "")
		}
		_, err := st.SettleEvents(ctx, alice(), gateway.Settlement{Place: at, Events: k.Events, State: gateway.Answered, At: hour(2)})
		kind(t, "settle", err, "")
		if order[1] {
			kind(t, "give up", st.MarkSend(ctx, alice(), &s), "")
		}
	}
	same(t, "events", states(), []string{"failed The chat is gone.", "failed The chat is gone."})
}

func testSettleElsewhere(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	k := gateway.Taking{Place: placeOf("c"), Events: []gateway.EventName{nameOf("1")}, Run: "run_1", Session: "s1", At: hour(1)}
	if _, err := st.TakeEvents(t.Context(), alice(), k); err != nil {
		t.Fatal(err)
	}
	newTalk(alice(), "s1", "short").say(t, st, "hello")
	newTalk(alice(), "s2", "short").say(t, st, "hello")
	if err := st.LeadChat(t.Context(), alice(), placeOf("c"), "s1", "s2", ""); err != nil {
		t.Fatal(err)
	}
	s := gateway.Settlement{Place: placeOf("c"), Events: k.Events, State: gateway.Answered, Session: "s1", At: hour(2)}
	if _, err := st.SettleEvents(t.Context(), alice(), s); err != nil {
		t.Fatal(err)
	}
	if chat, err := st.Chat(t.Context(), alice(), placeOf("c")); err != nil || chat.Session != "s2" {
		t.Errorf("got %+v, %v, want the chat at s2", chat, err)
	}
}

func testSettleMoved(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	k := gateway.Taking{Place: placeOf("c"), Events: []gateway.EventName{nameOf("1")}, Run: "run_1", Session: "s1", At: hour(1)}
	if _, err := st.TakeEvents(t.Context(), alice(), k); err != nil {
		t.Fatal(err)
	}
	if err := st.MoveChat(t.Context(), alice(), placeOf("c"), "d"); err != nil {
		t.Fatal(err)
	}
	s := gateway.Settlement{Place: placeOf("c"), Events: k.Events, State: gateway.Answered, At: hour(2), Sends: []gateway.Send{outbound("a", "hi")}}
	if _, err := st.SettleEvents(t.Context(), alice(), s); fault.CodeOf(err) != gateway.CodeMoved {
		t.Errorf("where the chat was: got %v, want the code %s", err, gateway.CodeMoved)
	}
	for _, at := range []gateway.Place{placeOf("c"), placeOf("d")} {
		if sends, err := st.Sends(t.Context(), alice(), at, 10); err != nil || len(sends) != 0 {
			t.Errorf("%s: got %+v, %v, want nothing to be sent", at.Chat, sends, err)
		}
	}
	if open := mustOpen(t, st, placeOf("d")); len(open) != 1 || open[0].State != gateway.Taken {
		t.Errorf("got %+v, want the event taken", open)
	}
	s.Place, s.Events = placeOf("d"), append(s.Events, nameOf("erased"))
	if _, err := st.SettleEvents(t.Context(), alice(), s); err != nil || len(mustOpen(t, st, placeOf("d"))) != 0 {
		t.Errorf("where the chat is: got %v, want the event settled", err)
	}
}

func testNewestMessage(t *testing.T, st Store) {
	ctx := t.Context()
	at := func(h int, events ...gateway.Admitted) {
		t.Helper()
		_, err := st.CommitEvents(ctx, alice(), gateway.Committed{Platform: gateway.Telegram, Account: "the-bot", Events: events, At: hour(h)})
		if err != nil {
			t.Fatal(err)
		}
	}
	thread, ignored, edit := inbound(alice(), "t", "c", "hello"), inbound(alice(), "4", "c", "hello"), inbound(alice(), "5", "c", "hello")
	thread.Event.Place.Thread, ignored.State, ignored.Reason, edit.Event.Kind = "t", gateway.Ignored, "not addressed", gateway.Edited
	mustCommit(t, st, bob(), "", inbound(bob(), "9", "c", "hello"))
	at(1, inbound(alice(), "1", "c", "hello"), thread)
	at(2, inbound(alice(), "2", "c", "hello"))
	at(3, inbound(alice(), "3", "c", "hello"))
	at(4, ignored, edit)
	if _, err := st.SettleEvents(ctx, alice(), gateway.Settlement{Place: placeOf("c"), Events: []gateway.EventName{nameOf("2")}, State: gateway.Answered, At: hour(2)}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		place  gateway.Place
		before time.Time
		want   gateway.MessageID
	}{
		{placeOf("c"), hour(9), "m-4"}, {placeOf("c"), hour(4), "m-3"}, {placeOf("c"), hour(3), "m-2"}, {placeOf("c"), hour(1), "m-1"},
		{placeOf("c"), epoch(), "m-1"}, {thread.Event.Place, hour(9), "m-t"}, {placeOf("elsewhere"), hour(9), ""},
	} {
		if got, err := st.NewestMessage(ctx, alice(), tt.place, tt.before); err != nil || got != tt.want {
			t.Errorf("before %s in %v: got %q, %v, want %q", tt.before, tt.place, got, err, tt.want)
		}
	}
}
