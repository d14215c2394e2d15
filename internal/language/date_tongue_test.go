package language

import (
	"testing"
	"time"
)

// TestDatesInTongues reads expressions of time in other languages, said on Monday, 30 November 2026. "" is none.
func TestDatesInTongues(t *testing.T) {
	t.Parallel()
	anchor := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ tongue, text, want string }{
		{"de", "Was habe ich im Mai 2024 gemacht?", "Mai 2024 2024-05-01 2024-06-01"},
		{"de", "Was habe ich im März gekauft?", "März 2026-03-01 2026-04-01"},
		{"de", "Am 3. März 2026 war es kalt.", "3. März 2026 2026-03-03 2026-03-04"},
		{"de", "Am 12.6.2025 habe ich geheiratet.", "12.6.2025 2025-06-12 2025-06-13"},
		{"de", "Was habe ich vor zwei Wochen gemacht?", "vor zwei Wochen 2026-11-13 2026-11-20"},
		{"de", "Vor drei Tagen war ich da.", "Vor drei Tagen 2026-11-27 2026-11-28"},
		{"de", "vor einem Jahr", "vor einem Jahr 2025-01-01 2026-01-01"},
		{"de", "Was war letztes Jahr?", "letztes Jahr 2025-01-01 2026-01-01"},
		{"de", "in der letzten Woche", "der letzten Woche 2026-11-23 2026-11-30"},
		{"de", "letzten Dienstag", "letzten Dienstag 2026-11-24 2026-11-25"},
		{"de", "Vorgestern war ich im Kino.", "Vorgestern 2026-11-28 2026-11-29"},
		{"de", "gestern Abend", "gestern Abend 2026-11-29 2026-11-30"},
		{"de", "Am Morgen war ich müde.", ""},
		{"de", "Guten Morgen!", ""},
		{"de", "Morgen fliege ich nach Rom.", "Morgen 2026-12-01 2026-12-02"},
		{"de", "2019 habe ich das Abitur gemacht.", "2019 2019-01-01 2020-01-01"},
		{"de", "Das Auto hat 2019 Euro gekostet.", ""},
		{"de", "Montags habe ich Chor, und jeden Freitag Sport.", ""},
		{"de", "Ich war am Donnerstag beim Arzt.", "Donnerstag 2026-11-26 2026-11-27"},
		{"de", "zwei Wochen vor Weihnachten", "zwei Wochen vor Weihnachten 2026-12-08 2026-12-15"},
		{"fr", "Où étais-je en juin 2023 ?", "juin 2023 2023-06-01 2023-07-01"},
		{"fr", "Qu'ai-je fait l'année dernière ?", "l'année dernière 2025-01-01 2026-01-01"},
		{"fr", "Je l'ai vu il y a trois jours.", "il y a trois jours 2026-11-27 2026-11-28"},
		{"fr", "il y a une semaine", "il y a une semaine 2026-11-20 2026-11-27"},
		{"fr", "Il y a un problème.", ""},
		{"fr", "le 1er février 2025", "le 1er février 2025 2025-02-01 2025-02-02"},
		{"fr", "Qu'est-ce que j'ai fait le 14 septembre ?", "le 14 septembre 2026-09-14 2026-09-15"},
		{"fr", "Aujourd’hui j’ai dîné.", "Aujourd’hui 2026-11-30 2026-12-01"},
		{"fr", "avant-hier soir", "avant-hier soir 2026-11-28 2026-11-29"},
		{"fr", "J'ai chorale le jeudi.", ""},
		{"fr", "J'ai vu le dentiste mardi dernier.", "mardi dernier 2026-11-24 2026-11-25"},
		{"fr", "la semaine dernière", "la semaine dernière 2026-11-23 2026-11-30"},
		{"fr", "l'été dernier", "l'été dernier 2026-06-01 2026-09-01"},
		{"fr", "J'ai été malade.", ""},
		{"fr", "le 03/04/2026", "le 03/04/2026 2026-04-03 2026-04-04"},
		{"es", "¿Qué hice el 3 de marzo?", "el 3 de marzo 2026-03-03 2026-03-04"},
		{"es", "El 3 de marzo de 2026 vendí el coche.", "El 3 de marzo de 2026 2026-03-03 2026-03-04"},
		{"es", "¿Adónde viajé el año pasado?", "el año pasado 2025-01-01 2026-01-01"},
		{"es", "hace dos semanas", "hace dos semanas 2026-11-13 2026-11-20"},
		{"es", "hace un par de días", "hace un par de días 2026-11-27 2026-11-30"},
		{"es", "El jueves pasado comí con Ana.", "El jueves pasado 2026-11-26 2026-11-27"},
		{"es", "la semana que viene", "la semana que viene 2026-12-07 2026-12-14"},
		{"es", "Pasado mañana tengo cita.", "Pasado mañana 2026-12-02 2026-12-03"},
		{"es", "Corro por la mañana.", ""},
		{"es", "Como paella los domingos.", ""},
		{"es", "Hace frío.", ""},
		{"es", "anteayer", "anteayer 2026-11-28 2026-11-29"},
		{"es", "el mes pasado", "el mes pasado 2026-10-01 2026-11-01"},
		{"xx", "May 2024", ""},
	} {
		got := ""
		for _, d := range DatesIn(c.tongue, c.text, anchor) {
			got += c.text[d.Start:d.End] + d.From.Format(" 2006-01-02") + d.To.Format(" 2006-01-02")
		}
		if got != c.want {
			t.Errorf("%s %s:\n got %q\nwant %q", c.tongue, c.text, got, c.want)
		}
	}
}

// FuzzDatesIn reads any text.
func FuzzDatesIn(f *testing.F) {
	for _, s := range []string{"vor zwei Wochen", "il y a", "l’", "pasado mañana", "1er", "aujourd’hui", "é’é", "avant-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for tongue := range dateTongues() {
			end := 0
			for _, d := range DatesIn(tongue, s, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)) {
				if d.Start < end || d.End <= d.Start || d.End > len(s) || !d.From.Before(d.To) {
					t.Fatalf("%q: %+v", s, d)
				}
				end = d.End
			}
		}
	})
}
