package ranking_test

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// TestSearchOtherWords: a message that shares no word with the question, and none that the
// lists of words know as alike, is found by its meaning.
func TestSearchOtherWords(t *testing.T) {
	t.Parallel()
	const told, asked = "user: An oncologist examined the tumour on Monday.", "Did I have chemotherapy or other cancer treatments?"
	lines := append([]string{
		"user: The carpet arrived in blue.", told, "assistant: Noted.", "user: Our parliament voted on tariffs.",
	}, slices.Repeat([]string{"user: The goalkeeper missed again.", "assistant: A pity."}, 50)...)
	hits := indexOf(talk(lines...)).Search(ranking.Query{Text: asked})
	if len(hits) == 0 || hits[0].MessageID != 2 {
		t.Errorf("got %v, want 2 first", numbers(hits))
	}
	words := func(text string) (stems []string) {
		scan := language.Scan(text)
		for w, ok := scan.Next(); ok; w, ok = scan.Next() {
			if !w.Stop {
				stems = append(stems, string(w.Stem))
			}
		}
		return stems
	}
	for _, stem := range words(asked) {
		for _, other := range append(append(slices.Clone(language.Alike(stem)), language.Kinds(stem)...), stem) {
			if slices.Contains(words(told[len("user: "):]), other) {
				t.Errorf("the question's %q meets %q without any meaning", stem, other)
			}
		}
	}
}

// TestModelNames: names in files of weights are one word each and differ.
func TestModelNames(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(slices.Values(ranking.ModelNames()))
	if n := len(names); len(slices.Compact(slices.Clone(names))) != n {
		t.Errorf("a name is there twice: %v", names)
	}
	if _, err := fitted.Parse(names[0]+" 1\n"+names[len(names)-1]+" 2", names); err != nil {
		t.Error(err)
	}
}
