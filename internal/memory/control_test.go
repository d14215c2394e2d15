package memory

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/pairtest"
)

// TestLearnNoFalseReversal counts the pairs that sound alike, do not contradict each
// other, and are taken for a reversal.
func TestLearnNoFalseReversal(t *testing.T) {
	t.Parallel()
	const most = 2
	wrong := 0
	for _, c := range pairtest.Controls() {
		if _, change := talk(c.Was, c.Now); len(change.Reversals) > 0 {
			wrong++
			t.Logf("%q reverses %q", c.Now, c.Was)
		}
	}
	if wrong > most {
		t.Errorf("got %d false reversals of %d pairs, want at most %d", wrong, len(pairtest.Controls()), most)
	}
}

// TestThingsThatHoldAtOnce tells what is so of a thing in one form, and holds at once. Values that exclude each other do not.
func TestThingsThatHoldAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, now string
		ended    bool
	}{
		{"Petra is a midwife.", "Petra is training for a triathlon.", false},
		{"Tomek is restoring a canoe.", "Tomek is a locksmith.", false},
		{"Our cellar is in the annex.", "Our cellar is locked at night.", false},
		{"Yusuf is allergic to penicillin.", "Yusuf is a choir conductor.", false},
		{"Lena is worried about her knee.", "Lena is an only child.", false},
		{"The kettle is broken.", "The kettle is fixed now.", true},
		{"Sven is a dentist.", "Sven is now a farmer.", true},
		{"The treasurer is Olga.", "The treasurer is Henrik.", true},
		{"The launch is on 4 June.", "The launch is on 9 June.", true},
		{"The budget is 300 euros.", "The budget is 450 euros.", true},
	} {
		_, change := talk(c.was, c.now)
		ended := len(change.Superseded) > 0 // a mark of doubt is too much for what holds, and too little for what ended
		if c.ended {
			ended = len(change.Reversals) > 0
		}
		if ended != c.ended {
			t.Errorf("%q ends %q: %t", c.now, c.was, !c.ended)
		}
	}
}

// TestWhatIsNowInOneForm: a word of change ends what was told in the same form. Where a person is from is no work.
func TestWhatIsNowInOneForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, now string
		ended    bool
	}{
		{"Ove is from Gotland.", "Ove is a roofer now.", false},
		{"Ove is a thatcher.", "Ove is a roofer now.", true},
		{"Mira is in Tallinn.", "Mira is a surveyor now.", false},
		{"The lift is broken.", "The lift is repaired now.", true},
		{"I am a plumber.", "I am now a teacher.", true},
		{"I'm a cook.", "I'm now a teacher.", true},
		{"I'm a father.", "I am now a teacher.", false},
		{"I'm from Crete.", "I am now a teacher.", false},
	} {
		if _, change := talk(c.was, c.now); len(change.Reversals) > 0 != c.ended {
			t.Errorf("%q ends %q: %t", c.now, c.was, !c.ended)
		}
	}
}
