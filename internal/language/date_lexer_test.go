package language

import (
	"testing"
	"time"
)

// TestTellsTime: no words make an expression of time of which none tells one.
func TestTellsTime(t *testing.T) {
	t.Parallel()
	anchor := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	var silent []dateToken
	for class := otherWord; class <= wasWord; class <<= 1 {
		if d := (dateToken{is: class, value: 1}); !tellsTime(d) {
			silent = append(silent, d)
		}
	}
	for _, first := range silent {
		for _, second := range silent {
			for _, third := range silent {
				text := []dateToken{first, second, third, {is: pastWord}, second, first}
				if got := datesOf("", text, anchor); len(got) > 0 {
					t.Fatalf("%+v: got %+v", text, got)
				}
			}
		}
	}
}
