package recall

import (
	"slices"
	"testing"
)

// TestLists checks that the files of lists and the names in the code agree, and that
// nothing stands in a list twice.
func TestLists(t *testing.T) {
	t.Parallel()
	l := theLexicon()
	for _, c := range []struct {
		files []string
		names []string
	}{
		{[]string{"stem", "word", "attribute"}, wordLists[:]},
		{[]string{"part"}, partLists[:]},
	} {
		have := map[string][]string{}
		for _, file := range c.files {
			l.eachLine(file, func(name string, words []string) { have[name] = append(have[name], words...) })
		}
		for _, name := range c.names {
			if len(have[name]) == 0 {
				t.Errorf("list %q: got nothing in it", name)
			}
		}
		for name, words := range have {
			if !slices.Contains(c.names, name) {
				t.Errorf("list %q: got a list that no code uses", name)
			}
			slices.Sort(words)
			if n := len(slices.Compact(words)); n != len(words) {
				t.Errorf("list %q: got %d words, %d of them there already", name, len(words), len(words)-n)
			}
		}
	}
}
