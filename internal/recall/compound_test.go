package recall_test

import (
	"strings"
	"testing"
)

// TestDateOfAThing: "date" and "day" only form a question, but the thing that qualifies
// them in it may qualify them in the answer.
func TestDateOfAThing(t *testing.T) {
	t.Parallel()
	for _, thing := range []string{
		"launch", "layoff", "cutoff", "liftoff", "blackout", "release", "kickoff", "handover", "wedding", "party", "delivery", "exam", "due",
		"expiry", "sign-off", "go-live", "start", "end",
	} {
		for _, noun := range []string{"date", "day"} {
			k := newTalk(t)
			k.tell("The "+thing+" "+noun+" is 7 May.", "The parade is on 3 June.")
			for _, question := range []string{"What is the ", "What's the ", "When is the "} {
				if got := k.say(question + thing + " " + noun + "?"); !strings.Contains(got, "7 May") {
					t.Errorf("%s%s %s: got %q", question, thing, noun, got)
				}
			}
		}
	}
	for _, c := range [][2]string{
		{"The launch party is on 7 May.", "What is the launch date?"}, // on another thing of the same name
		{"The launch code name is Otter.", "What is the launch date?"},
		{"The pH meter is blue.", "What is the pH?"},
	} {
		k := newTalk(t)
		k.tell(c[0])
		if got := k.say(c[1]); strings.Contains(got, c[0][:len(c[0])-1]) {
			t.Errorf("%s %s: got %q", c[0], c[1], got)
		}
	}
}
