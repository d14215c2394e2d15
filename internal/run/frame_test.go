package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

const tools = `[{"type":"function","function":{"name":"weather"}}]`

// framed says something under a system prompt, with tools and settings.
func (h *house) framed(id session.ID, system, settings string, change func(*run.Request)) *run.Result {
	h.t.Helper()
	req := &run.Request{
		Session: id, Messages: user("Hello."), System: []session.Message{{Role: session.System, Content: system}},
		Body: []byte(`{"model":"m","messages":[],"tools":` + tools + `,` + settings + `}`), Tools: tools,
	}
	if change != nil {
		change(req)
	}
	got := h.turn(req)
	if got.err != nil {
		h.t.Fatal(got.err)
	}
	return got.result
}

// why is the frame that a receipt tells.
func (h *house) why(res *run.Result) lineage.Frame {
	h.t.Helper()
	why, err := h.curator.Why(context.Background(), owner.Local(), res.ReceiptID)
	if err != nil {
		h.t.Fatal(err)
	}
	return why.Frame
}

// TestWhatWasSentIsKept: a receipt tells the system prompt, the tools and the settings
// of its answer, each answer its own.
func TestWhatWasSentIsKept(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	first := h.framed("s", "Answer in verse.", `"temperature":0.5,"stop":["a"]`, nil)
	second := h.framed("s", "Be brief.", `"temperature":1`, nil)
	third := h.framed("other", "Be brief.", `"temperature":1`, nil)
	got := []lineage.Frame{h.why(first), h.why(second), h.why(third)}
	want := []lineage.Frame{
		{System: "Answer in verse.", Tools: tools, Settings: `{"temperature":0.5,"stop":["a"]}`},
		{System: "Be brief.", Tools: tools, Settings: `{"temperature":1}`},
		{System: "Be brief.", Tools: tools, Settings: `{"temperature":1}`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the receipts (-want +got):\n%s", diff)
	}
	if off := h.framed("s", "Be brief.", `"seed":1`, func(r *run.Request) { r.OffRecord = true }); off.ReceiptID != "" {
		t.Errorf("off the record: got the receipt %s", off.ReceiptID)
	}
	if _, err := h.curator.Delete(t.Context(), owner.Local(), "s", nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[2], h.why(third)); diff != "" {
		t.Errorf("after another session was deleted (-want +got):\n%s", diff)
	}
}

// TestForgettingReachesWhatWasSent: a system prompt and settings that mention the
// thing. The same prompt, sent again afterwards, is kept again.
func TestForgettingReachesWhatWasSent(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	const system = "You work for Nightjar."
	res := h.framed("s", system, `"metadata":{"team":"N\u0069ghtjar"}`, nil)
	got, err := h.curator.Forget(t.Context(), owner.Local(), "Nightjar", false)
	if err != nil || got.Left != 0 {
		t.Fatalf("got %+v, %v, want nothing left", got, err)
	}
	if diff := cmp.Diff(lineage.Frame{Tools: tools}, h.why(res)); diff != "" {
		t.Errorf("the old receipt (-want +got):\n%s", diff)
	}
	if again := h.why(h.framed("s", system, `"seed":1`, nil)); again.System != system {
		t.Errorf("got %q, want what was said again as it was said", again.System)
	}
}

// TestDryRunOfForgetting: it counts while a turn is under way, which may wait for a person.
func TestDryRunOfForgetting(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	ask := func(text string) *run.Request {
		return &run.Request{
			Owner: owner.Local(), Session: "s", Source: session.SourceAPI,
			Messages: []session.Message{{Role: session.User, Content: text}},
		}
	}
	if got := h.turn(ask("We use Nightjar.")); got.err != nil {
		t.Fatal(got.err)
	}
	decided := make(chan struct{})
	h.model.say(saying{text: "Noted.", after: decided})
	s, err := h.runner.Start(t.Context(), ask("Deploy it."))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	got, err := h.curator.Forget(ctx, owner.Local(), "Nightjar", true)
	if err != nil || got.Sentences != 1 || got.Facts != 1 {
		t.Errorf("got %+v, %v, want a sentence and a fact", got, err)
	}
	close(decided)
	for _, err := range s.Deltas(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
}
