package recall

import "testing"

// FuzzOwners reads owners of any text: those found follow each other, and each part is in a clause.
func FuzzOwners(f *testing.F) {
	for _, text := range []string{"my older sister's boss's car", "die Adresse meiner Schwester", "l'adresse d'Ida", "El perro de mi hermano", "of the's of my", "my my's 's", "'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := newOwnerReader(text, wordsOf(text))
		r.read(nil)
		end := 0
		for i := range r.mentions {
			m := &r.mentions[i]
			if m.from < end || m.to <= m.from || m.to > len(r.parts) {
				t.Fatalf("%q: got an owner from %d to %d behind %d, of %d parts", text, m.from, m.to, end, len(r.parts))
			}
			end = m.to
		}
		if n := len(r.clauses()); n != len(r.parts) {
			t.Fatalf("%q: got %d clauses of %d parts", text, n, len(r.parts))
		}
	})
}
