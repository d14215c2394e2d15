package recall

import "testing"

// TestLeadGrammar: each question of the grammar asks for the leader of the team.
func TestLeadGrammar(t *testing.T) {
	t.Parallel()
	for _, s := range theLeadGrammar().asks {
		if got := ledThing(s.example); len(got) != 1 || len(got[0]) < 4 {
			t.Errorf("%s: got %q", s.example, got)
		}
	}
}

// TestTellsLeader reads who leads the team.
func TestTellsLeader(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Jonas Weber leitet das Team.", "Meine Schwester leitet jetzt unser Team.", "Das Team leitet Jonas.", "Das Team wird von Frau Klein geführt.",
		"Chefin des Teams ist Mara Klein.", "Jonas ist der neue Leiter des Teams.", "Ich leite das Team.", "Mara führt das Team seit Mai.",
		"Joan leads the team.", "Joan heads our team, and Ed the choir.", "The team is run by Joan.", "Joan is the head of the team.", "The head of the team is Joan.",
		"Joan is in charge of the team.", "I manage the team.", "Yolanda está a cargo del team.", "Yves est responsable du team.", "Yves s'occupe du team.", "Jonas leitet seit 2020 das Team.", "It's Joan who leads the team.",
	} {
		if !tellsLeader(text, []string{"team"}) {
			t.Errorf("%s: tells no leader", text)
		}
	}
	for _, text := range []string{
		"Jonas arbeitet im Team.", "Jonas leitet den Chor.", "Jonas leitet das Team in Bonn.", "Jonas leitet den Chor des Teams.", "Jonas leitet das Team nicht.",
		"Jonas will das Team leiten.", "Jonas war der Leiter des Teams.", "Jonas ist der stellvertretende Leiter des Teams.", "Das Team wurde von Jonas geführt.",
		"Niemand leitet das Team.", "Das Team leitet die Schule.", "Vielleicht leitet Jonas das Team.", "Petra sagt, Jonas leitet das Team.", "Er leitet das Team.", "Das Team wird bald von Jonas geleitet.",
		"Joan leads the team meeting.", "Joan will lead the team.", "Joan is the deputy head of the team.", "Joan was the head of the team.", "The team was led by Joan.",
		"The sister of the head of the team is Ann.", "Joan runs to the team.", "Joan leads the choir of the team.",
	} {
		if tellsLeader(text, []string{"team"}) {
			t.Errorf("%s: tells a leader", text)
		}
	}
}
