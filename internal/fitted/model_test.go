package fitted

import (
	"math"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	m, err := Parse("# made by hand\nbase -1\nlong 0.5\n\nshort 2\n", []string{"short", "long", "unweighed"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Score([]float32{1, 4, 9}); got != 3 {
		t.Errorf("got %v, want 3", got)
	}
	if got := Probability(0); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"other 1", "long", "long x", "long NaN", "long +Inf"} {
		if _, err := Parse(text, []string{"long"}); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzModel(f *testing.F) {
	f.Add("base 1\nlong -2.5e3\n# note")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text, []string{"long"})
		if err == nil && math.IsNaN(float64(m.Score([]float32{0}))) {
			t.Errorf("%q scores NaN", text)
		}
	})
}
