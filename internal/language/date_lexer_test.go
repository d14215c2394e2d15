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
	for class := otherWord; class <= toWord; class++ {
		for value := range int32(4) {
			if d := (dateToken{class: class, value: value}); !tellsTime(d) {
				silent = append(silent, d)
			}
			if class != countWord && class != partWord {
				break
			}
		}
	}
	for _, first := range silent {
		for _, second := range silent {
			for _, third := range silent {
				text := []dateToken{first, second, third, {class: pastWord}, second, first}
				if got := datesOf(text, anchor); len(got) > 0 {
					t.Fatalf("%+v: got %+v", text, got)
				}
			}
		}
	}
}
