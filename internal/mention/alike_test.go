package mention

import (
	"slices"
	"testing"
)

// TestAlike: spellings that differ in accents only are found, each once, and nothing else.
func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about string
		texts []string
		want  []string
	}{
		{"Jose", []string{"My friend José lives here.", "JOSÉ and Jose\u0301, with Jose", "Josef, Joséphine, Josa", "Jos&eacute;"}, []string{"José"}},
		{"José", []string{"Jose, josé", "jose", "Josè"}, []string{"Jose", "Josè"}},
		{"Muller", []string{"Frau Müller", "Muller"}, []string{"Müller"}},
		{"Angela Gomez", []string{"Ángela  Gómez", "Angela", "Gómez"}, []string{"Ángela  Gómez"}},
		{"Graz", []string{"Graz, grazing"}, nil},
		{"李明", []string{"我叫李明"}, nil},
		{"C#", []string{"ç"}, nil},
	} {
		a := NewAlike(Of(c.about))
		for _, text := range c.texts {
			a.Look(text)
		}
		if got := a.Found(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.about, got, c.want)
		}
	}
}
