package session

import (
	"errors"
	"fmt"
	"testing"
)

func TestTitleBase(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Plan": "Plan", "Plan #2": "Plan", "Plan #17": "Plan", "Plan #2 #3": "Plan #2", "Plan #1": "Plan #1", "Plan #0": "Plan #0",
		"Plan #02": "Plan #02", "Plan #+2": "Plan #+2", "Plan #": "Plan #", "Plan#2": "Plan#2", " #2": " #2", "": "", "Issue #x": "Issue #x",
	} {
		if got := TitleBase(in); got != want {
			t.Errorf("base of %q: got %q, want %q", in, got, want)
		}
	}
}

func TestNextTitle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		taken []string
		title string
		want  string
	}{
		{"free", nil, "Plan", "Plan"},
		{"taken once", []string{"Plan"}, "Plan", "Plan #2"},
		{"taken twice", []string{"Plan", "Plan #2"}, "Plan", "Plan #3"},
		{"a continuation of a continuation", []string{"Plan", "Plan #2"}, "Plan #2", "Plan #3"},
		{"a number that is free", []string{"Plan"}, "Plan #7", "Plan #7"},
		{"the beginning was deleted", []string{"Plan #2"}, "Plan #2", "Plan #3"},
		{"none", []string{"Plan"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := make(map[string]bool)
			for _, s := range c.taken {
				have[s] = true
			}
			got, err := NextTitle(c.title, func(s string) (bool, error) { return have[s], nil })
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestNextTitleIsCheap: a name that everybody uses is numbered with few looks.
func TestNextTitleIsCheap(t *testing.T) {
	t.Parallel()
	const others = 100_000
	have := map[string]bool{"Hello": true}
	for i := 2; i <= others; i++ {
		have[fmt.Sprintf("Hello #%d", i)] = true
	}
	asked := 0
	got, err := NextTitle("Hello", func(s string) (bool, error) {
		asked++
		return have[s], nil
	})
	if want := fmt.Sprintf("Hello #%d", others+1); err != nil || got != want || asked > 40 {
		t.Errorf("got %q, %v after %d looks, want %q after 40 at most", got, err, asked, want)
	}
	wrong := errors.New("broken")
	if _, err := NextTitle("Hello", func(string) (bool, error) { return false, wrong }); !errors.Is(err, wrong) {
		t.Errorf("got %v, want the cause", err)
	}
}

func FuzzNextTitle(f *testing.F) {
	f.Add("Plan #2", "Plan", "Plan #3")
	f.Fuzz(func(t *testing.T, title, a, b string) {
		got, err := NextTitle(title, func(s string) (bool, error) { return s == a || s == b, nil })
		if err != nil || (got == a || got == b) && got != "" || (got == "") != (title == "") {
			t.Errorf("got %q, %v for %q with %q and %q taken", got, err, title, a, b)
		}
	})
}
