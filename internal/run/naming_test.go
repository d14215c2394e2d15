package run

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/session"
)

func TestDrawnTitle(t *testing.T) {
	t.Parallel()
	words := wordsOf(said(
		"u:Hello there. Could you maybe plan the kitchen renovation of our flat in Graz for May? I was diagnosed with diabetes. My password is hunter2x9. 京都旅行の計画を立てたい。",
		"u:Gate 4915 is open. Room 2345 is shut.",
		"a:With diabetes a low counter helps. The renovation of flats takes 12 weeks; see https://example.com/plans.",
	))
	words2 := wordsOf([]session.Message{{Role: session.Tool, Content: "turbine"}})
	derived := "Maybe plan the kitchen renovation of our flat"
	for _, tt := range []struct{ name, proposed, derived, want string }{
		{"words of the user", "Kitchen renovation in Graz", "", "Kitchen renovation in Graz"},
		{"words of the answer", "Low counter in the kitchen", "", "Low counter in the kitchen"},
		{"other forms of the words", "Planning kitchens, renovating flats", "", "Planning kitchens, renovating flats"},
		{"white space and marks around", "  \"kitchen  renovation.\" \n", "", "Kitchen renovation"},
		{"a writing without spaces", "京都旅行", "", "京都旅行"},
		{"a number", "Renovation of 12 weeks", "", "Renovation of 12 weeks"},
		{"another number", "Renovation of 13 weeks", "", ""},
		{"an invented word", "Kitchen renovation in Vienna", "", ""},
		{"a word that is put together", "Kitchenrenovation in Graz", "", ""},
		{"a word of a private sentence", "Diabetes and the kitchen", "", ""},
		{"a secret", "Kitchen hunter2x9", "", ""},
		{"a private word", "Kitchen password", "", ""},
		{"a long number, put together", "Gate 4915 2345", "", ""},
		{"an address", "Kitchen of bob@example.com", "", ""},
		{"a link", "https://example.com/plans for renovation", "", ""},
		{"two lines", "Kitchen renovation\nin Graz", "", ""},
		{"control characters", "Kitchen \x1b[31mrenovation", "", ""},
		{"the other way round", "Kitchen \u202erenovation", "", ""},
		{"broken text", "Kitchen \xff renovation", "", ""},
		{"one word", "Renovation", "", ""},
		{"small words alone", "What is of the", "", ""},
		{"two characters", "京都", "", ""},
		{"nothing", "", "", ""},
		{"as long as the derived one", "Kitchen renovation", "Plan a kitchen now", "Kitchen renovation"},
		{"longer than the derived one", "Kitchen renovation", "Plan the kitchen", ""},
		{"too long", "Kitchen renovation in Graz, kitchen renovation in Graz, kitchen", strings.Repeat("x ", 60), ""},
	} {
		if tt.derived == "" {
			tt.derived = derived
		}
		if got := drawnTitle(tt.proposed, tt.derived, words); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if len(words2) != 0 {
		t.Errorf("words of a tool's result: got %v, want none", words2)
	}
}

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

func FuzzDrawnTitle(f *testing.F) {
	f.Add("Plan the kitchen in Graz.", "Kitchen in Graz")
	f.Add("京都旅行の計画", "京都旅行")
	f.Add("a\x00b \xff", "a\u202eb c")
	f.Fuzz(func(t *testing.T, text, proposed string) {
		words := wordsOf([]session.Message{{Role: session.User, Content: text}})
		title := drawnTitle(proposed, strings.Repeat("x", maxTitle), words)
		if title == "" {
			return
		}
		if utf8.RuneCountInString(title) > maxTitle || !utf8.ValidString(title) || strings.ContainsAny(title, "\n\r\x00\x1b\u202e") || isPrivate(title) {
			t.Errorf("got %q of %q", title, text)
		}
		for w := range wordsIn(title) {
			if !words[w] {
				t.Errorf("%q of %q has the word %q", title, text, w)
			}
		}
	})
}
