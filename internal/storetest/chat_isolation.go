package storetest

import (
	"context"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

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
			return st.SettleEvents(ctx, o, gateway.Settlement{Place: thePlace(), Events: taking.Events, State: gateway.Answered, At: hour(1)})
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
