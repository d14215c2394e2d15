package run

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func TestFitting(t *testing.T) {
	t.Parallel()
	hits := func(words ...int) []ranking.Hit {
		out := make([]ranking.Hit, len(words))
		for i, n := range words {
			out[i] = ranking.Hit{MessageID: int64(i + 1), Words: n}
		}
		return out
	}
	short := make([]int, hitBatch+3)
	tests := map[string]struct {
		hits []ranking.Hit
		room int
		want []int64
		rest int
	}{
		"nothing":                     {nil, 1000, []int64{}, 0},
		"all":                         {hits(20, 30), 1000, []int64{1, 2}, 0},
		"what cannot fit is left out": {hits(100, 20), 60, []int64{2}, 0},
		"what is left is for later":   {hits(40, 40, 5), 90, []int64{1}, 2},
		"a long one is cut":           {hits(60_000), 1000, []int64{1}, 0},
		"no more than a batch":        {hits(short...), 1000, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, rest := fitting(test.hits, test.room)
			if diff := cmp.Diff(test.want, got); diff != "" || len(rest) != test.rest {
				t.Errorf("%d hits left, want %d (-want +got):\n%s", len(rest), test.rest, diff)
			}
		})
	}
}

// TestAppendQuote: what stands in quotes reads back as it was said.
func TestAppendQuote(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 5, 23, 0, 0, 0, time.FixedZone("", -3600*5))
	for text, want := range map[string]string{
		"We use Go.":            `- user, 2026-03-06: "We use Go."` + "\n",
		`He said "no" \ maybe.`: `- user, 2026-03-06: "He said \"no\" \\ maybe."` + "\n",
		"Grüße, 世界 \x00\xff":    `- user, 2026-03-06: "Grüße, 世界 \x00\xff"` + "\n",
		"":                      `- user, 2026-03-06: ""` + "\n",
	} {
		if got := string(appendQuote(nil, &ranking.Document{Role: session.User, SaidAt: at, Text: text})); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := string(appendQuote([]byte("x"), &ranking.Document{Role: session.User, Speaker: "Ada", SaidAt: at, Text: "Hi"})); got != "x- Ada, 2026-03-06: \"Hi\"\n" {
		t.Errorf("got %s", got)
	}
}
