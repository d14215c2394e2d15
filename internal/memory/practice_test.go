package memory

import "testing"

// TestShortOwnStatements: what a person says of themself is kept, though the message is that alone.
func TestShortOwnStatements(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"I like chess.", "I keep bees.", "I play tennis.", "I knit.", "I bake bread.", "We play chess on Fridays.", "I drink tea.", "I sail.",
		"Milo is my cat.", "Rex is our dog.", "Tom is my best friend.", "Ida is my sister.", "I really like jazz.",
	} {
		if facts := Distill(said(text), nil); len(facts) == 0 || !facts[0].Kind.Asserted() {
			t.Errorf("%q: got %+v, want a statement", text, facts)
		}
	}
	for _, text := range []string{
		"I like it.", "I like that.", "I like that idea.", "I like the second one.", "I like your answer.", "I keep it.", "I keep forgetting things.",
		"I know.", "I see.", "I agree.", "I act.", "I feel like pizza.", "It's like rain.",
	} {
		if facts := Distill(said(text), nil); len(facts) > 0 {
			t.Errorf("%q: got %+v", text, facts)
		}
	}
}
