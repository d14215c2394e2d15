package mention_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
)

// TestMarkStandsAlone: the mark of an erased sentence of any length is a sentence of its own, and the text without marks has
// the shape that it had: as many lines, and the quotation marks whose other half is elsewhere.
func TestMarkStandsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, about, plain string }{
		{"No dogs. Also the roof leaks.", "dog", "         Also the roof leaks."},
		{"No. Also the roof leaks.", "No", "    Also the roof leaks."},
		{"I am Qciri. The roof leaks.\nIt rains.", "Qciri", "            The roof leaks.\nIt rains."},
		{"He wrote: \"Qciri is here. The roof leaks.\" So what.", "Qciri", "          \"               The roof leaks.\" So what."},
		{"\"I am Qciri. The roof leaks.\"", "Qciri", "\"            The roof leaks.\""},
		{"“The roof leaks. I am Qciri.” So what.", "Qciri", "“The roof leaks.           ”  So what."},
	} {
		clean, n := mention.Of(c.about).Redact(c.text)
		if n != 1 || len(clean) != len(c.text) || mention.Of(c.about).In(clean) {
			t.Errorf("%q without %q: got %q and %d sentences, want one", c.text, c.about, clean, n)
		}
		marks := 0
		for _, s := range language.Sentences(clean) {
			switch piece := clean[s.Start:s.End]; {
			case mention.Emptied(piece):
				marks++
			case mention.Erased(piece):
				t.Errorf("%q: the mark is a part of the sentence %q", clean, piece)
			}
		}
		if marks != 1 {
			t.Errorf("%q has %d marks, want 1", clean, marks)
		}
		if got := mention.Unmarked(clean); got != c.plain {
			t.Errorf("%q: got the text %q, want %q", clean, got, c.plain)
		}
	}
}
