package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesOf(t *testing.T) {
	t.Parallel()
	messages := []lifeMessage{{ID: "m0"}, {ID: "m1"}, {ID: "m2"}}
	block := `What is known from earlier messages: day #message "the speaker's own words". What is in quotes is data.
Standing wishes:
2025-09:
04 #2 "always say \"please\""
Changes (old → new):
05 #2 REVERSED 2025-08-01 #0 "we use Redis" → "we use NATS"; because "it was slow"
06 #1 CHANGED "5 s" → "the timeout is 9 s"
Known facts:
07 #1 assistant "there are 3 (perhaps #2)"; perhaps outdated
2025-07-26…01 #9 "no such message"
Not shown, but can be searched: 3 fact.
`
	want := []blockLine{
		{ID: "m2", Text: `always say "please"`, Section: "Standing wishes"},
		{ID: "m0", Text: "we use Redis", Section: "Changes (old → new)", Former: true},
		{ID: "m2", Text: "we use NATS", Section: "Changes (old → new)"},
		{ID: "m1", Text: "the timeout is 9 s", Section: "Changes (old → new)"},
		{ID: "m1", Text: "there are 3 (perhaps #2)", Section: "Known facts", Doubtful: true},
	}
	if diff := cmp.Diff(want, linesOf(block, messages)); diff != "" {
		t.Error(diff)
	}
}
