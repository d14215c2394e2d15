package recall

import "testing"

// TestShapes holds every shape against its example: no earlier shape has it.
func TestShapes(t *testing.T) {
	t.Parallel()
	for i := range theGrammar().shapes {
		s := &theGrammar().shapes[i]
		if !s.wide && !s.match(speltWords(s.example), 0, 0) {
			t.Errorf("%s does not have its shape", s.example)
		}
		if _, ok := s.within(s.example); s.wide && !ok {
			t.Errorf("%s does not have its shape", s.example)
		}
		if got, _ := aimOf(s.example); got != s.aim {
			t.Errorf("%s asks for %q, not %q", s.example, aimNames[got], aimNames[s.aim])
		}
	}
}
