package memory

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestAppendQuote: what stands in quotes reads back as it was said.
func TestAppendQuote(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 5, 23, 0, 0, 0, time.FixedZone("", -3600*5))
	for text, want := range map[string]string{
		"We use Go.":            `- user, 2026-03-06: "We use Go."` + "\n",
		`He said "no" \ maybe.`: `- user, 2026-03-06: "He said \"no\" \\ maybe."` + "\n",
		"Grüße, 世界 \x00\xff":    `- user, 2026-03-06: "Grüße, 世界 ` + "\ufffd\"\n",
		"":                      `- user, 2026-03-06: ""` + "\n",
	} {
		if got := string(appendQuote(nil, &message{Document: ranking.Document{Role: session.User, SaidAt: at, Text: text}})); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := string(appendQuote([]byte("x"), &message{Document: ranking.Document{Role: session.User, Speaker: "Ada", SaidAt: at, Text: "Hi"}})); got != "x- Ada, 2026-03-06: \"Hi\"\n" {
		t.Errorf("got %s", got)
	}
}
