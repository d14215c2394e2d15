package recall

import (
	"strings"
	"testing"
)

// TestIdiomsKeepWordsWhole: a turn of phrase is one only where words begin and end.
func TestIdiomsKeepWordsWhole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"What is the output offset?", "the input officer", "a blackout of the layout network", "Where is the outlook after noon?", "a catalog inlet",
		"the brunout spare", "an armband in the hand informer", "the timeouts", "a data storefront", "the resultant offer",
	} {
		if got := idioms.Replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got := phrases.Replace(text); got != text {
			t.Errorf("for a passage, %q became %q", text, got)
		}
	}
}

// TestEveryIdiomIsFound: at the beginning, in the middle and at the end of a text, in
// front of a mark, and not inside words.
func TestEveryIdiomIsFound(t *testing.T) {
	t.Parallel()
	for _, list := range []struct {
		turns *sayings
		pairs []string
	}{{idioms, idiomPairs}, {phrases, phrasePairs}} {
		for i := 0; i < len(list.pairs); i += 2 {
			was, now := list.pairs[i], list.pairs[i+1]
			if was != strings.TrimSpace(was) || now != strings.TrimSpace(now) {
				t.Errorf("%q: a row has blanks around its words", was)
			}
			for frame, want := range map[string]string{"%": "%", "we % it": "we % it", "to %.": "to %.", "(%)": "(%)"} {
				got := list.turns.Replace(strings.Replace(frame, "%", was, 1))
				if want = strings.Replace(want, "%", now, 1); got != want && !longer(list.pairs, was, frame) {
					t.Errorf("%q in %q: got %q, want %q", was, frame, got, want)
				}
			}
			if strings.HasSuffix(was, "?") { // a mark ends it wherever it stands
				continue
			}
			for _, inside := range []string{"x" + was, was + "x", "x" + was + "x", "é" + was, was + "9"} {
				if got := list.turns.Replace(inside); strings.HasPrefix(got, now) && strings.HasPrefix(inside, was) && got != inside {
					t.Errorf("inside %q: got %q", inside, got)
				}
			}
		}
	}
}

// longer reports whether another row begins earlier in the text, or in front of this
// one in the list, and takes its words.
func longer(pairs []string, was, frame string) bool {
	text := strings.Replace(frame, "%", was, 1)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != was && strings.Contains(text, pairs[i]) {
			return true
		}
	}
	return false
}

// FuzzIdioms: a text without any turn of phrase stays as it is; none makes it panic.
func FuzzIdioms(f *testing.F) {
	f.Add("take care of", "x")
	f.Add("we put off", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		text := a + b
		if got := idioms.Replace(text); got != text && !strings.Contains(strings.ToLower(text), " ") && !strings.Contains(text, "datastore") {
			t.Errorf("%q became %q", text, got)
		}
		_ = phrases.Replace(text)
	})
}
