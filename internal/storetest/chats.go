package storetest

import (
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
		{"a label stays that of its person", testChatNamesKept},
		{"an event is alone in its chat", testEventAlone},
		{"an event is settled where its chat is", testSettleMoved},
		{"events are taken once", testTakeEvents},
		{"a plan is kept", testPlanCommand},
		{"an open event outlives its words", testErasedEvents},
		{"an order to forget outlives its sweep", testOrders},
		{"an unsent message ends with a line", testErasedSends},
		{"the line has any name but the forgotten one", testErasedSendsOfAnyName},
		{"a settled event has no text, and its answer waits", testSettleEvents},
		{"an answer that is given up loses its events", testLoseAnswer},
		{"a settled event leaves a chat where it was led", testSettleElsewhere},
		{"a sent message is edited if its text changes", testSendChanges},
		{"a sent message is edited if the platform may show another text", testSendRevised},
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

// testChatNamesKept: a label under which a person has spoken in a chat is never another person's there, also not
// after a change of the name or in a chat that has got another id. A person who takes an old name back has the
// old label.
func testChatNamesKept(t *testing.T, st Store) {
	number := 0
	said := func(chat, user, name string) string {
		t.Helper()
		number++
		e := inbound(alice(), fmt.Sprint(number), chat, "hello")
		e.Event.Type, e.Event.From = gateway.Group, gateway.Sender{ID: user, Name: name}
		mustCommit(t, st, alice(), "", e)
		open := mustOpen(t, st, placeOf(chat))
		return open[len(open)-1].Label
	}
	for _, c := range []struct{ chat, user, name, want string }{
		{"c", "u1", "Otto", "Otto"}, {"c", "u1", "Karl", "Karl"}, {"c", "u2", "Otto", "Otto (2)"}, {"c", "u3", "Karl", "Karl (2)"},
		{"c", "u1", "Otto", "Otto"}, {"c", "u2", "Karl", "Karl (3)"}, {"c", "u4", "Otto", "Otto (3)"}, {"c", "u2", "Otto", "Otto (2)"},
		{"c", "u5", "Otto (2)", "Otto (2) (2)"}, {"c", "u1", "Karl", "Karl"}, {"c", "u1", "Karl", "Karl"}, {"d", "u4", "Otto", "Otto"},
	} {
		if got := said(c.chat, c.user, c.name); got != c.want {
			t.Errorf("%s as %s in %s: got %q, want %q", c.user, c.name, c.chat, got, c.want)
		}
	}
	if err := st.MoveChat(t.Context(), alice(), placeOf("c"), "moved"); err != nil {
		t.Fatal(err)
	}
	if got := said("moved", "u6", "Otto"); got != "Otto (4)" {
		t.Errorf("in a chat with another id: got %q, want a label of its own", got)
	}
}

// nameOf names an event of the bot.

// outbound is a message to be sent.

// testLoseAnswer: an answer is given up before its turn is over, or after that.

// testSettleElsewhere: the end of a turn does not lead a chat back that was led to another

// session meanwhile.

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
	if _, err := st.SettleEvents(ctx, alice(), gateway.Settlement{Place: placeOf("c"), Events: []gateway.EventName{nameOf("1")}, State: gateway.Answered, At: epoch()}); err != nil {
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

// personOf is a person who was let in, and whose name is the owner's mark.
