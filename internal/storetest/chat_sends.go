package storetest

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

func outbound(id, text string) gateway.Send {
	return gateway.Send{ID: id, Place: placeOf("c"), Type: gateway.DM, Origin: "run_1", Text: text, State: gateway.ToSend, CreatedAt: epoch()}
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
	_, err = st.FindSend(ctx, alice(), placeOf("d"), "", "m1")
	kind(t, "by the platform's id, in another chat", err, fault.NotFound)
	_, err = st.FindSend(ctx, bob(), placeOf("c"), "", "m1")
	kind(t, "by the platform's id, of another owner", err, fault.NotFound)
}

func testSendRevised(t *testing.T, st Store) {
	ctx := t.Context()
	s := outbound("a", "whole")
	kind(t, "begin", st.BeginSend(ctx, alice(), s), "")
	s.State, s.Message, s.SentAt = gateway.Sent, "m1", hour(1)
	kind(t, "mark", st.MarkSend(ctx, alice(), &s), "")
	for edited, want := range []gateway.SendState{gateway.Sent, gateway.ToEdit} { // the platform may show another text
		_, err := st.SettleEvents(ctx, alice(), gateway.Settlement{
			Place: placeOf("c"), State: gateway.Answered, Sends: []gateway.Send{s}, Edited: edited == 1, At: hour(2),
		})
		kind(t, "settle", err, "")
		if got, err := st.FindSend(ctx, alice(), placeOf("c"), "a", ""); err != nil || got.State != want {
			t.Errorf("edited %d: got %v, %v, want %v", edited, got.State, err, want)
		}
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
