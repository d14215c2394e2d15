package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/run"
)

// erasedLine is in what people are told of an answer that was erased before it was sent.
const erasedLine = "was erased, because somebody had me forget what it names"

// TestForgettingWhatIsUnsent: an answer that waits for the platform and names a forgotten thing ends with one line, where
// the answer would have stood. Parts without the thing are sent as they are. A restart changes nothing.
func TestForgettingWhatIsUnsent(t *testing.T) {
	t.Parallel()
	clean := strings.Repeat("A sentence about the weather. ", 12)
	named := strings.Repeat("Montague lives on the hill. ", 13)
	for name, c := range map[string]struct{ answer, says string }{
		"a whole answer":        {"Montague lives on the hill.", "L"},
		"an answer in parts":    {named + "\n\n" + named, "L"},
		"its beginning":         {named + "\n\n" + clean, "Lw"},
		"its end":               {clean + "\n\n" + named, "wL"},
		"an answer without it":  {clean, "w"},
		"an answer as one file": {strings.Repeat(named+"\n\n", 12), "L"},
	} {
		for _, restarts := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { forgetUnsent(t, c.answer, c.says, restarts) })
			})
		}
	}
}

func forgetUnsent(t *testing.T, answer, says string, restarts bool) {
	h := setup(t, func(h *house) { h.bot.Stream = false })
	defer func() { h.end() }()
	h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
		say(answer)
		return nil
	}
	h.wire.refuse = func(*gateway.Out) error { return &gateway.SendError{Reason: gateway.Temporary, Text: "Not now."} }
	h.receive(h.dm(ada, "Tell me something."))
	pass(5 * time.Second)
	done, err := h.curator.Forget(context.Background(), h.bot.Owner, "Montague", false)
	if err != nil || done.Left > 0 {
		t.Errorf("forget: %d mentions left, %v", done.Left, err)
	}
	if restarts {
		h.end()
		h.begin()
	}
	h.wire.mu.Lock()
	h.wire.refuse = nil
	h.wire.mu.Unlock()
	h.settled()
	h.settled()
	got := ""
	for _, s := range h.wire.shown {
		switch {
		case strings.Contains(s.text+s.file, "Montague"):
			got += "M"
		case strings.Contains(s.text, erasedLine):
			got += "L"
		case strings.Contains(s.text, "weather"):
			got += "w"
		case s.file != "":
			got += "f"
		case strings.Contains(s.text, "file"):
			got += "F"
		}
	}
	want(t, "what was sent: "+strings.Join(h.wire.said(), "\n"), got, says)
	traces, err := h.db.Mentions(context.Background(), h.bot.Owner, mention.Of("Montague"))
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range traces {
		if trace.Hits > 0 {
			t.Errorf("%d mentions are left in the %s", trace.Hits, trace.File)
		}
	}
}
