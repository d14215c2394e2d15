package title

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/session"
)

func TestDrawn(t *testing.T) {
	t.Parallel()
	words := Words(said(
		"u:Hello there. Could you maybe plan the kitchen renovation of our flat in Graz for May? I was diagnosed with diabetes. My password is hunter2x9. 京都旅行の計画を立てたい。",
		"u:Gate 4915 is open. Room 2345 is shut.",
		"a:With diabetes a low counter helps. The renovation of flats takes 12 weeks; see https://example.com/plans.",
	))
	words2 := Words([]session.Message{{Role: session.Tool, Content: "turbine"}})
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
		if got := Drawn(tt.proposed, tt.derived, words); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if len(words2) != 0 {
		t.Errorf("words of a tool's result: got %v, want none", words2)
	}
}

func FuzzDrawn(f *testing.F) {
	f.Add("Plan the kitchen in Graz.", "Kitchen in Graz")
	f.Add("京都旅行の計画", "京都旅行")
	f.Add("a\x00b \xff", "a\u202eb c")
	f.Fuzz(func(t *testing.T, text, proposed string) {
		words := Words([]session.Message{{Role: session.User, Content: text}})
		title := Drawn(proposed, strings.Repeat("x", maxLength), words)
		if title == "" {
			return
		}
		if utf8.RuneCountInString(title) > maxLength || !utf8.ValidString(title) || strings.ContainsAny(title, "\n\r\x00\x1b\u202e") || Private(title) {
			t.Errorf("got %q of %q", title, text)
		}
		for w := range wordsIn(title) {
			if !words[w] {
				t.Errorf("%q of %q has the word %q", title, text, w)
			}
		}
	})
}
