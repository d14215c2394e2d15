package recall

import "testing"

// TestSelfGrammar: each row of the grammar reads its example.
func TestSelfGrammar(t *testing.T) {
	t.Parallel()
	for _, row := range theSelfGrammar().tells {
		if got := toldOfSelf(row.example); len(got) == 0 || got[0] != row.attribute {
			t.Errorf("%s: got %q, want %q", row.example, got, row.attribute)
		}
	}
	for _, row := range theSelfGrammar().asks {
		if got := askedOfSelf(row.shape.example); got != row.attribute {
			t.Errorf("%s: got %q, want %q", row.shape.example, got, row.attribute)
		}
	}
}

// FuzzClauses reads any text as a statement and as a question about oneself and about leaders.
func FuzzClauses(f *testing.F) {
	for _, s := range []string{"Je viens d'Alger", "l'", "d’", "J'ai", "Ich bin", "Ich bin in", "Das Team leitet", "est dirigé par", "Who's", "ist die Leiterin der", "Moi : c'est", "’s 's"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, text := range []string{s, "Ich bin " + s, "Je viens d'" + s, "Jonas leitet " + s} {
			toldOfSelf(text)
			askedOfSelf(text)
			tellsLeader(text, []string{"team"})
			if thing := ledThing(text); len(thing) > 0 {
				tellsLeader(s, thing)
			}
		}
	})
}
