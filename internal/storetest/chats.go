package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func chatTests() []test {
	return []test{
		{"an event is stored once, with the position behind it", testEventOnce},
		{"the first chat of a bot has the short key, the next ones have the long one", testChatKeys},
		{"two people of one name are told apart", testChatNames},
		{"events are taken once", testTakeEvents},
		{"a plan is kept", testPlanCommand},
		{"a settled event has no text, and its answer waits", testSettleEvents},
		{"an answer that is given up loses its events", testLoseAnswer},
		{"a settled event leaves a chat where it was led", testSettleElsewhere},
		{"a sent message is edited if its text changes", testSendChanges},
		{"a part that is begun replaces nothing", testBeginSend},
		{"a chat is led from one session to another", testLeadChat},
		{"a chat moves with all it has", testMoveChat},
		{"the newest message of a place is known", testNewestMessage},
		{"who was let in gets another id", testMovePerson},
		{"unfinished chats are named", testUnfinished},
		{"what is old is swept", testSweepChats},
	}
}

// thePlace is a chat in which every owner writes.
func thePlace() gateway.Place { return placeOf("the-chat") }

func placeOf(chat string) gateway.Place {
	return gateway.Place{Platform: gateway.Telegram, Account: "the-bot", Chat: chat}
}

// inbound is a message to the bot, whose texts hold a mark.
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
	n, err := st.CommitEvents(t.Context(), o, gateway.Committed{
		Platform: gateway.Telegram, Account: "the-bot", Events: events, After: after, At: epoch(),
	})
	if err != nil {
		t.Fatalf("commit events: %v", err)
	}
	return n
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

func testChatKeys(t *testing.T, st Store) {
	threaded := inbound(alice(), "2", "first", "hello")
	threaded.Event.Place.Thread = "t"
	own := inbound(alice(), "4", "third", "hello")
	own.Keys.Short = ""
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "first", "hello"), threaded, inbound(alice(), "3", "second", "hello"), own)
	mustCommit(t, st, bob(), "", inbound(bob(), "1", "first", "hello"))
	for _, c := range []struct {
		o    owner.Owner
		at   gateway.Place
		want session.Key
	}{
		{alice(), placeOf("first"), "short"}, {alice(), threaded.Event.Place, "short"}, {alice(), placeOf("second"), "long:second"},
		{alice(), placeOf("third"), "long:third"}, {bob(), placeOf("first"), "short"},
	} {
		chat, err := st.Chat(t.Context(), c.o, c.at)
		if err != nil || chat.Key != c.want {
			t.Errorf("%s %v: got %q, %v, want %q", c.o.ID(), c.at, chat.Key, err, c.want)
		}
	}
}

func testChatNames(t *testing.T, st Store) {
	var events []gateway.Admitted
	for i, user := range []string{"u1", "u2", "u1", "u3"} {
		e := inbound(alice(), fmt.Sprint(i), "c", "Alex")
		e.Event.Type, e.Event.From.ID = gateway.Group, user
		events = append(events, e)
	}
	mustCommit(t, st, alice(), "", events...)
	var labels []string
	for _, e := range mustOpen(t, st, placeOf("c")) {
		labels = append(labels, e.Label)
	}
	same(t, "labels", labels, []string{"Alex", "Alex (2)", "Alex", "Alex (3)"})
}

// nameOf names an event of the bot.
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
	open := mustOpen(t, st, placeOf("c"))
	if open[0].Run != "run_1" || open[1].State != gateway.Waiting {
		t.Errorf("got %+v, want the second event waiting", open)
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

// outbound is a message to be sent.
func outbound(id, text string) gateway.Send {
	return gateway.Send{ID: id, Place: placeOf("c"), Type: gateway.DM, Origin: "run_1", Text: text, State: gateway.ToSend, CreatedAt: epoch()}
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
		if err := st.SettleEvents(t.Context(), alice(), s); err != nil {
			t.Fatal(err)
		}
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
	if err != nil || len(sends) != 1 || sends[0].Text != "hi" {
		t.Errorf("sends: got %+v, %v", sends, err)
	}
}

// testLoseAnswer: an answer is given up before its turn is over, or after that.
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
		kind(t, "settle", st.SettleEvents(ctx, alice(), gateway.Settlement{Place: at, Events: k.Events, State: gateway.Answered, At: hour(2)}), "")
		if order[1] {
			kind(t, "give up", st.MarkSend(ctx, alice(), &s), "")
		}
	}
	same(t, "events", states(), []string{"failed The chat is gone.", "failed The chat is gone."})
}

// testSettleElsewhere: the end of a turn does not lead a chat back that was led to another
// session meanwhile.
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
	if err := st.SettleEvents(t.Context(), alice(), s); err != nil {
		t.Fatal(err)
	}
	if chat, err := st.Chat(t.Context(), alice(), placeOf("c")); err != nil || chat.Session != "s2" {
		t.Errorf("got %+v, %v, want the chat at s2", chat, err)
	}
}

func testSendChanges(t *testing.T, st Store) {
	ctx := t.Context()
	add := func(s gateway.Send) {
		t.Helper()
		if err := st.AddSends(ctx, alice(), []gateway.Send{s}); err != nil {
			t.Fatal(err)
		}
	}
	state := func(want gateway.SendState) gateway.Send {
		t.Helper()
		s, err := st.FindSend(ctx, alice(), placeOf("c"), "a", "")
		if err != nil || s.State != want {
			t.Errorf("got %v, %v, want %v", s.State, err, want)
		}
		return s
	}
	s := outbound("a", "first")
	s.Buttons = []gateway.Button{{ID: "b", Label: "Press"}}
	add(s)
	add(outbound("z", "behind"))
	s.State, s.Attempts = gateway.Sending, 1
	if err := st.MarkSend(ctx, alice(), &s); err != nil {
		t.Fatal(err)
	}
	changed := s
	changed.Text = "second"
	add(changed) // while it is being sent
	s.State, s.Message, s.SentAt = gateway.Sent, "m1", hour(1)
	if err := st.MarkSend(ctx, alice(), &s); err != nil {
		t.Fatal(err)
	}
	got := state(gateway.ToEdit)
	if got.Text != "second" || got.Message != "m1" || len(got.Buttons) != 1 {
		t.Errorf("got %+v", got)
	}
	got.State = gateway.Sent
	if err := st.MarkSend(ctx, alice(), &got); err != nil {
		t.Fatal(err)
	}
	state(gateway.Sent)
	got.Buttons = nil
	add(got)
	state(gateway.ToEdit)
	sends, err := st.Sends(ctx, alice(), placeOf("c"), 10)
	if err != nil || len(sends) != 2 || sends[0].ID != "a" {
		t.Errorf("order: got %+v, %v", sends, err)
	}
	byMessage, err := st.FindSend(ctx, alice(), placeOf("c"), "unknown", "m1")
	if err != nil || byMessage.ID != "a" {
		t.Errorf("by the platform's id: got %+v, %v", byMessage, err)
	}
}

func testBeginSend(t *testing.T, st Store) {
	ctx := t.Context()
	first := outbound("a", "half")
	kind(t, "begin", st.BeginSend(ctx, alice(), first), "")
	kind(t, "add the whole", st.AddSends(ctx, alice(), []gateway.Send{outbound("a", "half and half"), outbound("z", "the end")}), "")
	kind(t, "begin behind it", st.BeginSend(ctx, alice(), outbound("z", "the")), "")
	sends, err := st.Sends(ctx, alice(), placeOf("c"), 10)
	kind(t, "sends", err, "")
	var texts []string
	for i := range sends {
		texts = append(texts, sends[i].Text)
	}
	same(t, "texts", texts, []string{"half and half", "the end"})
}

func testLeadChat(t *testing.T, st Store) {
	ctx := t.Context()
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	if err := st.LeadChat(ctx, alice(), placeOf("c"), "", "s1", ""); err != nil {
		t.Fatal(err)
	}
	if err := st.LeadChat(ctx, alice(), placeOf("c"), "s1", "s2", "New session."); err != nil {
		t.Fatal(err)
	}
	kind(t, "lead from another session", st.LeadChat(ctx, alice(), placeOf("c"), "s1", "s3", ""), fault.Conflict)
	chat, err := st.Chat(ctx, alice(), placeOf("c"))
	if err != nil || chat.Session != "s2" || chat.Notice != "New session." {
		t.Errorf("got %+v, %v", chat, err)
	}
	idle, err := st.IdleChats(ctx, hour(1))
	if err != nil || len(idle) != 1 || idle[0].Place != placeOf("c") || idle[0].Owner.ID() != "alice" {
		t.Errorf("idle: got %+v, %v", idle, err)
	}
	if idle, err = st.IdleChats(ctx, epoch()); err != nil || len(idle) != 0 {
		t.Errorf("idle before its activity: got %+v, %v", idle, err)
	}
}

func testMoveChat(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	if err := st.AddSends(t.Context(), alice(), []gateway.Send{outbound("a", "hi")}); err != nil {
		t.Fatal(err)
	}
	if err := st.SetHome(t.Context(), alice(), placeOf("c")); err != nil {
		t.Fatal(err)
	}
	if err := st.MoveChat(t.Context(), alice(), placeOf("c"), "moved"); err != nil {
		t.Fatal(err)
	}
	chat, err := st.Chat(t.Context(), alice(), placeOf("moved"))
	if err != nil || chat.Key != "short" || !chat.Home || chat.Former != "c" {
		t.Errorf("got %+v, %v", chat, err)
	}
	if list, err := st.ListChats(t.Context(), alice(), gateway.Telegram); err != nil || len(list) != 1 || list[0].Former != "c" {
		t.Errorf("list: got %+v, %v", list, err)
	}
	sends, err := st.Sends(t.Context(), alice(), placeOf("moved"), 10)
	if err != nil || len(sends) != 1 || len(mustOpen(t, st, placeOf("moved"))) != 1 {
		t.Errorf("sends: got %+v, %v", sends, err)
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
	if err := st.SettleEvents(ctx, alice(), gateway.Settlement{Place: placeOf("c"), Events: []gateway.EventName{nameOf("2")}, State: gateway.Answered, At: hour(2)}); err != nil {
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

func testMovePerson(t *testing.T, st Store) {
	ctx := t.Context()
	put := func(user string, state gateway.PersonState, data string) {
		t.Helper()
		p := personOf(alice())
		p.User, p.Chat, p.State, p.Owner = user, user, state, data
		if err := st.PutPerson(ctx, alice(), p); err != nil {
			t.Fatal(err)
		}
	}
	move := func(from, to string) (gateway.Person, error) {
		return st.MovePerson(ctx, alice(), gateway.Telegram, "the-bot", from, to)
	}
	put("old", gateway.Approved, "carol")
	put("new", gateway.Asking, "")
	put("asks", gateway.Asking, "")
	got, err := move("old", "new")
	if err != nil || got.User != "new" || got.Chat != "new" || got.State != gateway.Approved || got.Owner != "carol" || got.Listed != "the-listed" {
		t.Errorf("got %+v, %v, want carol's person with the new id", got, err)
	}
	for _, from := range []string{"old", "asks", "nobody"} {
		_, err := move(from, "newer")
		kind(t, "move "+from, err, fault.NotFound)
	}
	if got, err = move("new", "new"); err != nil || got.User != "new" {
		t.Errorf("move to the same id: got %+v, %v", got, err)
	}
	put("number", gateway.Approved, "dave")
	if got, err = move("number", "new"); err != nil || got.Owner != "carol" {
		t.Errorf("move to an id that was let in: got %+v, %v, want it kept", got, err)
	}
	_, err = st.Person(ctx, alice(), gateway.Telegram, "the-bot", "number")
	kind(t, "the old id", err, fault.NotFound)
}

func testUnfinished(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"))
	if err := st.AddSends(t.Context(), bob(), []gateway.Send{outbound("a", "hi")}); err != nil {
		t.Fatal(err)
	}
	due, err := st.UnfinishedChats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var owners []string
	for _, d := range due {
		owners = append(owners, d.Owner.ID())
	}
	slices.Sort(owners)
	same(t, "owners", owners, []string{"alice", "bob"})
}

func testSweepChats(t *testing.T, st Store) {
	ctx := t.Context()
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "hello"), inbound(alice(), "2", "c", "still open"))
	if err := st.SettleEvents(ctx, alice(), gateway.Settlement{Place: placeOf("c"), Events: []gateway.EventName{nameOf("1")}, State: gateway.Answered, At: epoch()}); err != nil {
		t.Fatal(err)
	}
	asking := gateway.Person{
		Platform: gateway.Telegram, Account: "the-bot", User: "stranger", State: gateway.Asking, CodeHash: []byte("code"), AskedAt: epoch(), ExpiresAt: hour(1),
	}
	let := asking
	let.User, let.State, let.CodeHash, let.ExpiresAt, let.ApprovedAt = "friend", gateway.Approved, nil, time.Time{}, hour(1)
	for _, p := range []gateway.Person{asking, let} {
		if err := st.PutPerson(ctx, alice(), p); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.SweepChats(ctx, hour(9)); err != nil {
		t.Fatal(err)
	}
	list, err := st.ChatEvents(ctx, alice(), gateway.EventFilter{Limit: 10})
	if err != nil || len(list) != 1 || list[0].ID != "2" {
		t.Errorf("events: got %+v, %v, want the open one", list, err)
	}
	people, err := st.ListPeople(ctx, alice(), "")
	if err != nil || len(people) != 1 || people[0].User != "friend" {
		t.Errorf("people: got %+v, %v, want the friend", people, err)
	}
}

// settleChat stores a chat for an owner, in which every text holds the owner's mark.
func settleChat(t *testing.T, st Store, o owner.Owner) {
	t.Helper()
	mark := markOf(o)
	in := inbound(o, "the-event", "the-chat", mark)
	in.Event.Message = gateway.MessageID(mark)
	mustCommit(t, st, o, gateway.Position(mark), in)
	s := outbound("the-send", mark)
	s.Place = thePlace()
	if err := st.AddSends(t.Context(), o, []gateway.Send{s}); err != nil {
		t.Fatal(err)
	}
	if err := st.PutPerson(t.Context(), o, personOf(o)); err != nil {
		t.Fatal(err)
	}
	if err := st.PutRest(t.Context(), o, gateway.Rest{Place: placeOf(mark), Until: hour(2)}); err != nil {
		t.Fatal(err)
	}
	mustPut(t, st, o, fileOf("the-file", mark))
}

// personOf is a person who was let in, and whose name is the owner's mark.
func personOf(o owner.Owner) gateway.Person {
	return gateway.Person{
		Platform: gateway.Telegram, Account: "the-bot", User: "the-user", Name: markOf(o), Chat: "the-chat", State: gateway.Approved, AskedAt: epoch(),
		ApprovedAt: epoch(), Listed: "the-listed",
	}
}

func chatReadingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"BotPosition": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.BotPosition(ctx, o, gateway.Telegram, "the-bot")
		}},
		"BotQueues": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.BotQueues(ctx, o, gateway.Telegram, "the-bot")
		}},
		"OpenEvents": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.OpenEvents(ctx, o, thePlace(), 10)
		}},
		"SaidEvents": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.SaidEvents(ctx, o, thePlace(), gateway.MessageID(markOf(o)))
		}},
		"ChatEvents": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ChatEvents(ctx, o, gateway.EventFilter{Limit: 10})
		}},
		"ChatEvent": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ChatEvent(ctx, o, nameOf("the-event"))
		}},
		"NewestMessage": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.NewestMessage(ctx, o, thePlace(), hour(1))
		}},
		"Chat": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Chat(ctx, o, thePlace())
		}},
		"ListChats": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ListChats(ctx, o, "")
		}},
		"Sends": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Sends(ctx, o, thePlace(), 10)
		}},
		"SendsOf": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.SendsOf(ctx, o, thePlace(), "run_1")
		}},
		"FindSend": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.FindSend(ctx, o, thePlace(), "the-send", "")
		}},
		"Person": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Person(ctx, o, gateway.Telegram, "the-bot", "the-user")
		}},
		"ListPeople": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ListPeople(ctx, o, gateway.Telegram)
		}},
	}
}

func chatWritingCases() map[string]isolationCase {
	taking := gateway.Taking{Place: thePlace(), Events: []gateway.EventName{nameOf("the-event")}, Run: "run_1", Session: theSession, At: hour(1)}
	return map[string]isolationCase{
		"CommitEvents": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.CommitEvents(ctx, o, gateway.Committed{
				Platform: gateway.Telegram, Account: "the-bot", After: "changed", At: epoch(),
				Events: []gateway.Admitted{inbound(o, "the-event", "the-chat", "changed"), inbound(o, "another", "the-chat", "changed")},
			})
		}},
		"TakeEvents": {stranger: fault.Conflict, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.TakeEvents(ctx, o, taking)
		}},
		"PlanCommand": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.PlanCommand(ctx, o, nameOf("the-event"), "changed")
		}},
		"SettleEvents": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.SettleEvents(ctx, o, gateway.Settlement{Place: thePlace(), Events: taking.Events, State: gateway.Answered, At: hour(1)})
		}},
		"LeadChat": {silent: true, stranger: fault.Conflict, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.LeadChat(ctx, o, thePlace(), "", theSession, "changed")
		}},
		"MoveChat": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.MoveChat(ctx, o, thePlace(), "changed")
		}},
		"SetHome": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.SetHome(ctx, o, thePlace())
		}},
		"AddSends": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			s := outbound("the-send", "changed")
			s.Place = thePlace()
			return nil, st.AddSends(ctx, o, []gateway.Send{s})
		}},
		"BeginSend": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			s := outbound("the-send", "changed")
			s.Place = thePlace()
			return nil, st.BeginSend(ctx, o, s)
		}},
		"MarkSend": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			s := outbound("the-send", markOf(o))
			s.State, s.Message = gateway.Sent, "changed"
			return nil, st.MarkSend(ctx, o, &s)
		}},
		"PutPerson": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			p := personOf(o)
			p.Name = "changed"
			return nil, st.PutPerson(ctx, o, p)
		}},
		"MovePerson": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.MovePerson(ctx, o, gateway.Telegram, "the-bot", "the-user", "changed")
		}},
		"DropPerson": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.DropPerson(ctx, o, gateway.Telegram, "the-bot", "the-user")
		}},
	}
}
