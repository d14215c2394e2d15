package recall_test

import (
	"strings"
	"testing"
)

// TestAskedBySlot: who has moved somewhere lives there, and who has joined somebody works there,
// whatever the words. What somebody else did, or what fills another slot, answers nothing.
func TestAskedBySlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ told, question, want string }{
		{"I moved to Rotterdam.", "Where do I live?", "Rotterdam"},
		{"I just moved to Rotterdam last week.", "where do i live", "Rotterdam"},
		{"We relocated to Porto in May.", "Where are we living?", "Porto"},
		{"just moved to Graz, still unpacking", "where do I live?", "Graz"},
		{"I've settled in Bergen for good.", "Where do I live now?", "Bergen"},
		{"I joined Siemens in May.", "Who is my employer?", "Siemens"},
		{"I turned 40 in spring.", "How old am I?", "40"},
		{"I work as a nurse.", "What do I do for a living?", "nurse"},
		{"I live in Porto.", "What do I do for a living?", ""},
		{"My brother moved to Oslo.", "Where do I live?", ""},
		{"The office moved to Leeds.", "Where do I live?", ""},
		{"We moved the deadline to Friday.", "Where do we live?", ""},
		{"I work at Bosch.", "Where do I live?", ""},
		{"I live in Bern.", "Where do I work?", ""},
		{"I grew up in Oslo.", "Where do I live?", ""},
	} {
		k := newTalk(t)
		k.tell(c.told)
		got := k.say(c.question)
		if c.want == "" && sure(got) || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: got %q, want %q in it", c.told, c.question, got, c.want)
		}
	}
}
