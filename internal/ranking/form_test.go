package ranking

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
)

func TestAsksSeveral(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"Which kayaks did Anna rent?":              true,
		"What kinds of boat does Bert build?":      true,
		"How many lakes did she cross?":            true,
		"Where has Anna paddled?":                  true,
		"What has Bert built?":                     true,
		"What did both of them carve?":             true,
		"What are the rivers of the valley?":       true,
		"Which kayak did Anna rent?":               false,
		"What did Anna carve?":                     false,
		"What bus is the last one?":                false,
		"Which glass has she broken?":              false,
		"When did Anna cross the lakes?":           false,
		"kayaks":                                   false,
		"":                                         false,
		"I wonder whether the rivers are too high": false,
	} {
		if got := asksSeveral(question); got != want {
			t.Errorf("asksSeveral(%q) is %v", question, got)
		}
	}
}

func TestJoined(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"e-mail": "email", "sky-high": "skyhigh", "sky high": "", "sky - high": "", "covid-19": "", "high": "",
	} {
		scan := language.Scan(text)
		start, end, got := 0, 0, ""
		for w, ok := scan.Next(); ok; w, ok = scan.Next() {
			got = joined(text, start, end, &w)
			start, end = w.Start, w.End
		}
		if got != want {
			t.Errorf("joined(%q) is %q, want %q", text, got, want)
		}
	}
}

// TestNaming tells names in one breath from a subject and an object.
func TestNaming(t *testing.T) {
	t.Parallel()
	x := New()
	for _, name := range []string{"Anna", "Bert"} {
		x.Add(Document{Speaker: name, Text: "The kayak is green."})
	}
	for text, want := range map[string]bool{
		"What did Anna and Bert carve?":             true,
		"What does Anna or Bert carve?":             true,
		"What did Anna say to Bert about kayaks?":   false,
		"What did Anna carve and Bert paint green?": false,
		"What did Anna and the other one carve?":    false,
	} {
		x.scratch = new(scratch)
		q := x.parse(Query{Text: text})
		if q.pair != want {
			t.Errorf("parse(%q): pair is %v", text, q.pair)
		}
	}
}
