package recall_test

import "testing"

// TestAskedForLeader asks who leads a thing in other words than it was told in.
func TestAskedForLeader(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Die Gärtnerei wird von Miriam geführt.", "Kurt arbeitet in der Gärtnerei."}, "Wer leitet die Gärtnerei?", []string{"Miriam", "!Kurt"}},
		{[]string{"Chef der Mensa ist Herr Roth.", "Frau Beck isst in der Mensa."}, "Wer leitet die Mensa?", []string{"Roth", "!Beck"}},
		{[]string{"Anna leitet die Mensa.", "Bert leitet die Mensa."}, "Wer leitet die Mensa?", []string{"Bert", "!Anna"}},
		{[]string{"Paul gère le chantier.", "Luc visite le chantier."}, "Qui dirige le chantier ?", []string{"Paul", "!Luc"}},
		{[]string{"Nadia est la directrice de l'usine."}, "Qui dirige l'usine ?", []string{"Nadia"}},
		{[]string{"C'est Inès qui gère la cantine."}, "Qui dirige la cantine ?", []string{"[recall] You told", "Inès"}},
		{[]string{"Marta lidera la orquesta.", "Juan escucha la orquesta."}, "¿Quién dirige la orquesta?", []string{"Marta", "!Juan"}},
		{[]string{"La orquesta está dirigida por Óscar."}, "¿Quién lidera la orquesta?", []string{"Óscar"}},
		{[]string{"Dana manages the depot.", "Ed visits the depot."}, "Who is in charge of the depot?", []string{"Dana", "!Ed"}},
		{[]string{"Kurt putzt die Mensa."}, "Wer leitet die Mensa?", []string{"!told me on 21 November 2026: \"Kurt putzt die Mensa\".x", "not"}},
	} {
		a.expect(t)
	}
	for told, question := range map[string]string{
		"Kurt putzt die Mensa.":             "Wer leitet die Mensa?",
		"Kurt leitet die Mensa.":            "Wer leitet die Gärtnerei?",
		"Kurt leitet die Mensa in Hof.":     "Wer leitet die Mensa in Ulm?",
		"Samir visite le club.":             "Qui dirige le club ?",
		"Samir dirige le club de Nice.":     "Qui dirige le club de Lens ?",
		"Óscar visita la tienda.":           "¿Quién dirige la tienda?",
		"Sam joined the design group.":      "Who leads the design group?",
		"Sam leads the design group lunch.": "Who leads the sales group?",
	} {
		k := newTalk(t)
		k.tell(told)
		if got := k.say(question); sure(got) {
			t.Errorf("%s %s: got %q", told, question, got)
		}
	}
}
