package storetest

import (
	"context"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// testErasedEvents: an event that waits for its answer, or is being answered, outlives the forgetting of its words. It has
// none of them any more, and no turn takes it. An event without an end keeps its text if only a name is forgotten.
func testErasedEvents(t *testing.T, st Store) {
	theirs := inbound(bob(), "7", "h", "the wombat of bob")
	mustCommit(t, st, alice(), "", saidIn("1", "a wombat", "Ada"), saidIn("2", "a zebra", "Ada"), saidIn("3", "/title wombat", "Ada"),
		saidIn("4", "hello", "Wombat"), saidIn("5", "another wombat", "Ada"), saidIn("6", "/retry", "Ada"))
	mustCommit(t, st, bob(), "", theirs)
	_, err := st.TakeEvents(t.Context(), alice(), gateway.Taking{Place: placeOf("g"), Events: []gateway.EventName{eventOf("5")}, Run: "run_1", Session: "s", At: epoch()})
	kind(t, "take", err, "")
	_, err = st.PlanCommand(t.Context(), alice(), eventOf("6"), `{"Content":"a wombat"}`)
	kind(t, "plan", err, "")
	file := fileOf("file_1", "a photo")
	file.Run = "run_1"
	kind(t, "keep a file", st.PutFile(t.Context(), alice(), &file), "")

	for _, dry := range []bool{true, false} {
		swept, err := st.Sweep(t.Context(), alice(), mention.Of("wombat"), dry)
		kind(t, "sweep", err, "")
		same(t, "unanswered", swept.Unanswered, 4)
	}
	traces, err := st.Mentions(t.Context(), alice(), mention.Of("wombat"))
	kind(t, "mentions", err, "")
	for _, trace := range traces {
		if trace.Hits > 0 {
			t.Errorf("%d mentions are left in the %s", trace.Hits, trace.File)
		}
	}
	type left struct {
		Text, Label, Title, Interaction, Plan string
		State                                 gateway.EventState
		Erased, Order                         bool
	}
	got := make(map[string]left)
	open := mustOpen(t, st, placeOf("g"))
	for i := range open {
		e := &open[i]
		got[e.ID] = left{e.Text, e.Label, e.Title, e.Interaction, e.Plan, e.State, e.Erased, e.Order}
		same(t, "type and sender of "+e.ID, [2]string{string(e.Type), e.From.ID}, [2]string{string(gateway.Group), "the-user"})
	}
	same(t, "open events", got, map[string]left{
		"1": {"", "Ada", "", "token", "", gateway.Waiting, true, false},
		"2": {"a zebra", "Ada", "Chess", "token", "", gateway.Waiting, false, false},
		"3": {"", "Ada", "", "token", "", gateway.Waiting, true, true},
		"4": {"hello", "", "", "token", "", gateway.Waiting, false, false},
		"5": {"", "Ada", "", "token", "", gateway.Taken, true, false},
		"6": {"", "Ada", "", "token", "", gateway.Waiting, true, true},
	})
	_, err = st.File(t.Context(), alice(), "file_1")
	kind(t, "the file of an erased message", err, fault.NotFound)
	endErased(t, st)
}

// testOrders: an event that orders to forget a thing keeps the thing until all else is erased. It then has no word of it, and
// its plan says that its own order is done. The order to forget another thing only loses its words.
func testOrders(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", saidIn("1", "/forget wombat --yes", "Ada"), saidIn("2", "/forget wombat hill", "Ada"), saidIn("3", "/forget Wombats", "Ada"),
		saidIn("4", "/forget zebra", "Ada"), saidIn("5", "", "Ada"))
	for id, thing := range map[string]string{"1": "wombat", "2": "wombat hill", "4": "zebra", "5": "Wombat"} {
		_, err := st.PlanCommand(t.Context(), alice(), eventOf(id), curate.OrderOf(thing))
		kind(t, "plan "+id, err, "")
	}
	plans := func(what string, want map[string]string) {
		t.Helper()
		got := make(map[string]string)
		open := mustOpen(t, st, placeOf("g"))
		for i := range open {
			if e := &open[i]; e.Text != "" || e.Plan != "" {
				got[e.ID] = strings.TrimSpace(e.Text + " | " + e.Plan)
			}
			same(t, what+": erased "+open[i].ID, open[i].Erased, open[i].Text == "" && (open[i].ID != "5" || what != "swept"))
		}
		same(t, what, got, want)
	}
	for _, dry := range []bool{true, false} {
		swept, err := st.Sweep(t.Context(), alice(), mention.Of("wombat"), dry)
		kind(t, "sweep", err, "")
		same(t, "unanswered", swept.Unanswered, 1)
	}
	plans("swept", map[string]string{
		"1": "/forget wombat --yes | forget wombat", "2": "/forget wombat hill | forget wombat hill", "4": "/forget zebra | forget zebra", "5": "| forget Wombat",
	})
	traces, err := st.Mentions(t.Context(), alice(), mention.Of("wombat"))
	kind(t, "mentions", err, "")
	for _, trace := range traces {
		same(t, "mentions in "+trace.File, trace.Hits, map[string]int{"rows of chat_events": 3}[trace.File])
	}
	kind(t, "sweep the orders of bob", st.SweepOrders(t.Context(), bob(), mention.Of("wombat")), "")
	kind(t, "sweep the orders", st.SweepOrders(t.Context(), alice(), mention.Of("wombat")), "")
	plans("orders swept", map[string]string{"1": "| forgotten", "4": "/forget zebra | forget zebra", "5": "| forgotten"})
}

// saidIn is a message in a group.
func saidIn(id, text, name string) gateway.Admitted {
	e := inbound(alice(), id, "g", text)
	e.Event.Type, e.Event.Title, e.Event.From.Name, e.Event.Interaction = gateway.Group, "Chess", name, "token"
	return e
}

// eventOf names an event.
func eventOf(id string) gateway.EventName {
	return gateway.EventName{Platform: gateway.Telegram, Account: "the-bot", ID: id}
}

// endErased ends events without words, and takes others.
func endErased(t *testing.T, st Store) {
	t.Helper()
	for id, want := range map[string]fault.Kind{"1": fault.Conflict, "3": fault.Conflict, "4": ""} {
		_, err := st.TakeEvents(t.Context(), alice(), gateway.Taking{Place: placeOf("g"), Events: []gateway.EventName{eventOf(id)}, Run: "run_" + id, Session: "s", At: epoch()})
		kind(t, "take "+id, err, want)
	}
	_, err := st.SettleEvents(t.Context(), alice(), gateway.Settlement{
		Place: placeOf("g"), Events: []gateway.EventName{eventOf("1"), eventOf("5")}, State: gateway.Answered, Reason: "erased", At: epoch(),
	})
	kind(t, "settle", err, "")
	e, err := st.ChatEvent(t.Context(), alice(), eventOf("5"))
	kind(t, "settled", err, "")
	same(t, "settled", [2]string{string(e.State), e.Reason}, [2]string{string(gateway.Answered), "erased"})
	other, err := st.OpenEvents(t.Context(), bob(), placeOf("h"), 10)
	if err != nil || len(other) != 1 || other[0].Text != "the wombat of bob" {
		t.Errorf("bob's event: got %+v, %v", other, err)
	}
}

// orderCases are the cases of isolation of orders to forget.
func orderCases() map[string]isolationCase {
	return map[string]isolationCase{
		"SweepOrders": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.SweepOrders(ctx, o, mention.Of("canary"))
		}},
	}
}
