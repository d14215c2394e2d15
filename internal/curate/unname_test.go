package curate

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

func TestUnname(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		title    string
		source   session.TitleSource
		was, now string
		opening  bool
		gone     bool
	}{
		{"derived of it", "Plan the trip #2", session.TitleDerived, "Plan the trip. It rains.", "[erased]      . It rains.", true, true},
		{"derived, another sentence", "Plan the trip", session.TitleDerived, "Plan the trip. It rains.", "Plan the trip. [erased]", true, false},
		{"a person's in the same words", "Plan the trip", session.TitlePerson, "Plan the trip.", "", true, true},
		{"a model's word", "Rainy trip #2", session.TitleModel, "Plan the trip. It is rainy.", "Plan the trip. [erased]", true, true},
		{"a model's, other words", "Rainy trip", session.TitleModel, "Plan the trip. It is rainy. So what?", "Plan the trip. It is rainy. [erased]", true, false},
		{"a model's, the word stands twice", "Rainy trip", session.TitleModel, "A rainy trip. Rainy, I say.", "A rainy trip. [erased]", true, false},
		{"a model's, later on", "Rainy trip", session.TitleModel, "The trip was rainy.", "", false, false},
		{"a person's word", "Rainy trip", session.TitlePerson, "The trip was rainy.", "", true, false},
		{"none", "", "", "[erased]", "", true, false},
	} {
		s := session.Session{Title: tt.title, TitleSource: tt.source}
		if got := unname(&s, tt.was, tt.now, tt.opening); got != tt.gone || (s.Title == "") != (tt.gone || tt.title == "") {
			t.Errorf("%s: got %v and %q, want gone %v", tt.name, got, s.Title, tt.gone)
		}
	}
}

// TestUnnameForeign: a title that another program chose stays if a word of it goes, and goes if it is made of the text.
func TestUnnameForeign(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		title, was string
		gone       bool
	}{
		{"Marathon plan", "I train for the marathon in Rotterdam.", false},
		{"Plan für Rom", "Wir planen eine Reise nach Rom.", false},
		{"Recette de tarte", "Ma recette de tarte vient de Qciri.", false},
		{"I train for the marathon in Rotterdam", "I train for the marathon in Rotterdam.", true},
	} {
		s := session.Session{Source: session.SourceImport, Title: tt.title, TitleSource: session.TitleModel}
		if got := unname(&s, tt.was, "[erased]", true); got != tt.gone || (s.Title == "") != tt.gone {
			t.Errorf("%q of %q: got gone %t", tt.title, tt.was, got)
		}
	}
}
