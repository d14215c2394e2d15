package recall_test

import "testing"

// TestOvertaken: a sure answer is not told without what was said later and perhaps ends it. What
// only sounds alike is left out.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ older, newer, question, later string }{
		{"My flight to Rome is on 3 May.", "My flight to Rome was cancelled.", "When is my flight to Rome?", "Later you told me on 25 November 2026: your flight to Rome was cancelled"},
		{"I'm married to Sara.", "Sara and I got divorced.", "Who am I married to?", "Later you told me on 25 November 2026: \"Sara and I got divorced\""},
		{"Our wedding is on 12 June.", "We called off the wedding.", "When is our wedding?", "called off"},
		{"My boss is Karen.", "Karen quit.", "Who is my boss?", "Karen quit"},
		{"The concert is on Friday.", "The concert got postponed.", "When is the concert?", "postponed"},
		{"My dog Rex sleeps in the kitchen.", "Rex died in March.", "Where does my dog Rex sleep?", "Rex died"},
		{"My brother Tom is a teacher.", "He's a cook now.", "What does my brother Tom do?", "Later you told me on 25 November 2026: \"He's a cook now\""},
		{"My brother Tom is a teacher.", "He's fond of soup.", "What does my brother Tom do?", "!soup"},
		{"I'm married to Sara.", "My parents got divorced.", "Who am I married to?", "!divorced"},
		{"My boss is Karen.", "Karen likes my report.", "Who is my boss?", "!report"},
		{"The concert is on Friday.", "The match got postponed.", "When is the concert?", "!postponed"},
	} {
		k := newTalk(t)
		k.tell("I had porridge for breakfast.", "My aunt paints eggs.", "Our office is in Graz.", c.older, c.newer, "The bakery closes at six.")
		got := k.say(c.question)
		expect(t, c.newer+" "+c.question, got, c.later)
		if !sure(got) {
			t.Errorf("%s: got %q, want a sure answer", c.question, got)
		}
	}
}
