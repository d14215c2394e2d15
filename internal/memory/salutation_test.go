package memory

import "testing"

// TestSalutations: nothing is kept of a greeting, whomever it is for. What only begins like one is kept.
func TestSalutations(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Good evening Hermes", "Good Evening, Dr Osei", "Guten Abend", "Gute Nacht", "Hallo Hermes", "Grüß Gott", "Bonjour Hermes",
		"Bonsoir à tous !", "Buenos días, Ana", "Happy birthday, Rosa Lind", "Hi everyone",
	} {
		if facts := Distill(said(text), nil); len(facts) > 0 {
			t.Errorf("%q: got %+v", text, facts)
		}
	}
	for _, text := range []string{
		"Good evening, I'm Ana.", "Christmas is in Porto.", "My birthday is on Monday.", "Good food in Rome.", "New year party at Anna's",
	} {
		if facts := Distill(said(text), nil); len(facts) == 0 {
			t.Errorf("%q: got no fact", text)
		}
	}
}
