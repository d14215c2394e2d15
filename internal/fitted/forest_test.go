package fitted

import (
	"math"
	"testing"
)

func TestParseForest(t *testing.T) {
	t.Parallel()
	f, err := ParseForest("# made by hand\nbase -1\n\nlong 2 = 0.5 short 1 = 4 = 8\n= 16\n", []string{"short", "long"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ short, long, want float32 }{{9, 2, 15.5}, {1, 3, 19}, {1.5, 3, 23}} {
		if got := f.Score([]float32{c.short, c.long}); got != c.want {
			t.Errorf("%v: got %v", c, got)
		}
	}
}

func TestParseForestRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"base NaN", "other 1 = 1 = 2", "long 1 = 1", "long 1 = 1 = 2 = 3", "= +Inf", "long", "=",
		"long 1 long 1 long 1 long 1 long 1 long 1 long 1 long 1 long 1 = 1 = 1 = 1 = 1 = 1 = 1 = 1 = 1 = 1 = 1",
	} {
		if _, err := ParseForest(text, []string{"long"}); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzForest(f *testing.F) {
	f.Add("base 1\nlong 2.5 = 1 = -2.5e3\n# note")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseForest(text, []string{"long"})
		if err == nil && math.IsNaN(float64(m.Score([]float32{0}))) {
			t.Errorf("%q scores NaN", text)
		}
	})
}

// TestReach: a score that is high enough is that of Score, and no such score is missed.
func TestReach(t *testing.T) {
	t.Parallel()
	f, err := ParseForest("base -3\nlong 2 = 0.1 = 4\nshort 1 = -0.7 long 1 = 2.5 = 0.3\nlong 5 = 0.001 = -6\n", []string{"short", "long"})
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	for _, least := range []float32{-9, -3, -2.7, 0, 1.3, 4} {
		for n := range 64 {
			values := []float32{float32(n % 8), float32(n / 8)}
			want := f.Score(values)
			got, reached := f.Reach(values, least)
			if reached && got != want || !reached && want >= least {
				t.Errorf("%v from %v: got %v, %v, want %v", values, least, got, reached, want)
			}
			if !reached {
				early++
			}
		}
	}
	if early == 0 {
		t.Error("no sum ended early")
	}
}
