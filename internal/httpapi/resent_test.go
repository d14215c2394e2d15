package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestRewrittenAnswers: clients show answers in another form, and send them as they were
// shown. The chat stays one session.
func TestRewrittenAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer, shown string
		sessions            int
	}{
		{"white space", "It is **blue**.\n\n- a\n- b\n", "  It is **blue**.\n\n- a\n- b", 1},
		{"Markdown taken off", "# Title\n\nIt is **blue**, see [the page](https://x.example/a_(b)?c=1 \"T\").\n\n```go\nx := 1\n```\n", "Title\n\nIt is blue, see the page.\n\nx := 1", 1},
		{"thoughts taken off", "<think>\nThe sky is meant.\n</think>\n\nIt is blue.", "It is blue.", 1},
		{"other quotation marks", `It is "blue" - said Ann...`, "It is “blue” – said Ann…", 1},
		{"another language", "Das ist **blau**: 1.5 °C, größer als –2.", "Das ist blau: 1.5 °C, größer als –2.", 1},
		{"another answer", "It is blue.", "It is red.", 2},
		{"another number", "It is 1.5 degrees.", "It is 15 degrees.", 2},
		{"another sign", "It is -5 degrees.", "It is 5 degrees.", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			history := `{"role":"user","content":"What is it like?"}`
			for range 3 {
				w.up.Queue(upstreamtest.Step{Text: tt.answer})
				if got := w.call("POST", "/v1/chat/completions", `{"model":"hermes","messages":[`+history+`]}`); got.status != http.StatusOK {
					t.Fatalf("got %d %s", got.status, got.body)
				}
				shown, _ := json.Marshal(tt.shown)
				history += `,{"role":"assistant","content":` + string(shown) + `},{"role":"user","content":"And now?"}`
			}
			if s, m := w.sessions(); s != tt.sessions || s == 1 && m != 6 {
				t.Errorf("got %d sessions with %d messages, want %d", s, m, tt.sessions)
			}
		})
	}
}

// TestLeftOutCalls: a client that sends its history without calls and their results stays
// in its session.
func TestLeftOutCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	const (
		asked = `{"role":"user","content":"The weather in Lima?"}`
		call  = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]}`
		found = `{"role":"tool","tool_call_id":"c1","content":"20 degrees"}`
		said  = `{"role":"assistant","content":"It is warm."}`
	)
	w.up.Queue(
		upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "c1", Name: "weather", Arguments: "{}"}}},
		upstreamtest.Step{Text: "It is warm."}, upstreamtest.Step{Text: "In Oslo, too."}, upstreamtest.Step{Text: "Bye."},
	)
	for _, history := range []string{
		asked, asked + "," + call + "," + found,
		asked + "," + said + `,{"role":"user","content":"And in Oslo?"}`,
		asked + "," + said + `,{"role":"user","content":"And in Oslo?"},{"role":"assistant","content":"In Oslo, too."},{"role":"user","content":"Thanks."}`,
	} {
		if got := w.call("POST", "/v1/chat/completions", `{"model":"hermes","messages":[`+history+`]}`); got.status != http.StatusOK {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	if s, m := w.sessions(); s != 1 || m != 8 {
		t.Errorf("got %d sessions with %d messages, want 1 with 8", s, m)
	}
}

// TestWindowOfShortWords: several short exchanges together tell a conversation from others.
func TestWindowOfShortWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	c := &resender{w: w, window: 9}
	for i := range 8 {
		c.says(fmt.Sprintf("No. %d", i))
	}
	if s, m := w.sessions(); s != 1 || m != 16 {
		t.Errorf("got %d sessions with %d messages, want 1 with 16", s, m)
	}
}
