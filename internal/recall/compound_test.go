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
}
