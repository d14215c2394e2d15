package recall_test

import (
	"strings"
	"testing"
)

// TestAskedForTime asks what was so or what was done in a time, in several languages. The first statement is told on 21 November
// 2026, each other one a day later, and the question comes a day after the last.
func TestAskedForTime(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Im April 2023 war ich in Riga.", "Im Mai 2021 war ich in Turin."}, "Wo war ich im April 2023?", []string{"Riga", "!Turin"}},
		{[]string{"Im Mai 2023 war ich in Riga.", "Im Mai 2021 war ich in Turin."}, "Wo war ich im Mai 2023?", []string{"[recall] You told", "Riga", "!Turin"}},
		{[]string{"Im Juni 2025 war ich auf Rügen.", "Im Mai 2021 war ich in Turin."}, "Wo war ich letztes Jahr?", []string{"Rügen", "!Turin"}},
		{[]string{"Im April 2023 war ich in Riga."}, "Wo war ich letztes Jahr?", []string{unknown}},
		{[]string{"Heute habe ich den Schuppen gebaut.", "Heute habe ich Brot gebacken."}, "Was habe ich gestern gemacht?", []string{"Brot", "!Schuppen"}},
		{[]string{"Heute habe ich den Schuppen gebaut.", "Heute habe ich Brot gebacken."}, "Was habe ich vor zwei Tagen gemacht?", []string{"Schuppen", "!Brot"}},
		{[]string{"Am 7. Juli 2024 habe ich ein Boot gekauft."}, "Was habe ich gestern gemacht?", []string{"!Boot"}},
		{[]string{"2018 habe ich den Laden eröffnet.", "2021 habe ich ein Haus gebaut."}, "Was habe ich 2018 gemacht?", []string{"Laden", "!Haus"}},
		{[]string{"En avril 2023, j'ai visité Riga.", "En mai 2021, j'ai visité Turin."}, "Qu'ai-je fait en avril 2023 ?", []string{"Riga", "!Turin"}},
		{[]string{"Aujourd'hui j'ai réparé le toit.", "Aujourd'hui j'ai cuit du pain."}, "Qu'est-ce que j'ai fait avant-hier ?", []string{"toit", "!pain"}},
		{[]string{"En avril 2023, j'étais à Riga.", "En mai 2021, j'étais à Turin."}, "Où étais-je en avril 2023 ?", []string{"[recall] You told", "Riga", "!Turin"}},
		{[]string{"En avril 2023, j'étais à Riga."}, "Où étais-je en mai 2023 ?", []string{"!told me on 21 November 2026: \"En avril 2023, j'étais à Riga\".\n", "not"}},
		{[]string{"Le 7 juillet 2024, j'ai acheté un bateau."}, "Qu'ai-je fait hier ?", []string{"!bateau"}},
		{[]string{"En abril de 2025 viajé a Riga.", "En mayo de 2021 viajé a Turín."}, "¿Adónde viajé el año pasado?", []string{"Riga", "!Turín"}},
		{[]string{"Hoy pinté la cocina.", "Hoy cené con Luis."}, "¿Qué hice hace dos días?", []string{"cocina", "!Luis"}},
		{[]string{"El mes pasado aprendí a esquiar."}, "¿Qué hice el mes pasado?", []string{"esquiar"}},
		{[]string{"Wie alt bin ich?", "Heute habe ich Brot gebacken."}, "Was habe ich vor zwei Tagen gemacht?", []string{"!alt"}},
		{[]string{"Letzte Woche habe ich Brot gebacken."}, "Was habe ich letzten Montag gemacht?", []string{"!Brot"}},
		{[]string{"Hoy visité a mi tía.", "Hoy cené con Luis."}, "¿Qué hice hace dos días?", []string{"tía", "!Luis"}},
		{[]string{"El 7 de julio de 2024 compré un barco."}, "¿Qué hice ayer?", []string{"!barco"}},
		{[]string{"In April 2025 I was in Riga.", "In May 2021 I was in Turin."}, "Where was I last year?", []string{"Riga", "!Turin"}},
		{[]string{"In April 2025 I travelled to Riga.", "In May 2021 I travelled to Turin."}, "Where did I travel last year?", []string{"Riga", "!Turin"}},
		{[]string{"On 7 July 2024 I bought a boat."}, "What did I do yesterday?", []string{"!boat"}},
		{[]string{"I live in Ghent.", "I live in Lyon now."}, "What did I say two days ago?", []string{"Ghent", "!Lyon"}},
		{[]string{"I live in Ghent.", "I live in Lyon now."}, "What have I told you in November 2026?", []string{"Ghent", "Lyon"}},
		{[]string{"I collect stamps.", "I sold my boat."}, "What did we talk about yesterday?", []string{"boat", "!stamps"}},
		{[]string{"I collect stamps.", "I sold my boat."}, "Tell me what I said in 2026.", []string{"stamps", "boat"}},
		{[]string{"I collect stamps."}, "What did I say in 2024?", []string{"!stamps"}},
		{[]string{"I collect stamps."}, "Was habe ich dir 2026 erzählt?", []string{"stamps"}},
		{[]string{"I collect stamps."}, "Was habe ich 2026 gesagt?", []string{"stamps"}},
		{[]string{"I collect stamps."}, "Qu'ai-je dit en 2026 ?", []string{"stamps"}},
		{[]string{"I collect stamps."}, "¿Qué te conté en 2026?", []string{"stamps"}},
		{[]string{"I collect stamps."}, "¿De qué hablamos en noviembre de 2026?", []string{"stamps"}},
	} {
		a.expect(t)
	}
}

// TestOtherTimeIsUnsure: what names only another time than the one asked about is no sure answer.
func TestOtherTimeIsUnsure(t *testing.T) {
	t.Parallel()
	for told, question := range map[string]string{
		"Am 3. März 2026 habe ich das Auto verkauft.":            "Was habe ich am 4. März verkauft?",
		"En décembre 2024, j'ai acheté une maison à Pau.":        "Qu'est-ce que j'ai acheté en novembre 2024 ?",
		"En septiembre de 2023 compré una casa en Quito.":        "¿Qué compré en agosto de 2023?",
		"Am 3. Mai 2024 war Uwe in Rom.":                         "Wo war ich am 3. Mai 2024?",
		"Im Mai 2023 hat Kai einen Marathon gelaufen.":           "Was habe ich im Mai 2023 gekauft?",
		"In May 2024 Uwe was in Rome.":                           "Where was I in May 2024?",
		"In December 2024 I bought a house in Pau for my uncle.": "What did I buy for my uncle in November 2024?",
	} {
		k := newTalk(t)
		k.tell(told)
		if got := k.say(question); sure(got) && !strings.Contains(got, "nothing from that time") {
			t.Errorf("%s %s: got %q", told, question, got)
		}
	}
}
