package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestErasedLosesNoOther: what a message says besides the sentence that is erased is still known, whichever sentence that is.
func TestErasedLosesNoOther(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"My aunt is Qciri. Kurt is my uncle. The garden is small.",
		"About the boat: it is blue. My aunt is Qciri.",
		"My server runs Debian. It has 64 GB of RAM. It stands in the cellar.",
		"Qciri paints. The lamp in the hall is broken. The coffee machine leaks.",
		"The rent is 900 euros.\nQciri called.\nThe bike has a flat tyre.\nThere are two beds upstairs.",
		"Call Qciri. Also the roof leaks. The bike has a flat tyre.",
		"No dogs. Also the roof leaks. Das Boot ist blau. The bike has a flat tyre.",
		"Meine Tante heißt Qciri. Der Garten ist klein. Der Zug fährt um acht.",
		"Ma tante s'appelle Qciri. Le jardin est petit. Mon oncle habite à Lyon.",
		"Mi tía se llama Qciri. El jardín es pequeño. La llave está debajo de la alfombra.",
		"Our cat sleeps on the roof. I am allergic to nuts. So we sold it.",
	} {
		was := quotes(text)
		all := language.Sentences(text)
		for i, gone := range all {
			rest, _ := mention.Cut(text, []mention.Span{{Start: gone.Start, End: gone.End}})
			now := quotes(rest)
			for k, s := range all {
				sentence := text[s.Start:s.End]
				has := func(q string) bool { return strings.Contains(q, sentence) }
				if k != i && slices.ContainsFunc(was, has) && !slices.ContainsFunc(now, has) {
					t.Errorf("%q: %q is lost without %q: got %q", text, sentence, text[gone.Start:gone.End], now)
				}
			}
			if at := slices.IndexFunc(now, mention.Erased); at >= 0 {
				t.Errorf("%q without %q: got the fact %q, which has the mark of what was erased", text, text[gone.Start:gone.End], now[at])
			}
		}
	}
}

func quotes(text string) (out []string) {
	for _, f := range memory.Distill(ranking.Document{Role: session.User, Text: text, Root: "S", Seq: 2}, nil) {
		out = append(out, f.Quote)
	}
	return out
}

// TestErasedKeepsQuotations: the words of another person stay theirs if the sentence goes with which the quotation begins or
// ends.
func TestErasedKeepsQuotations(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Here is the opening, what do you think: \"My name is Tomasa and I have never paid a debt. I live in the pink house by the river. I keep goats.\"",
		"Transféré : « Bonjour Madame, notre stand est dans la halle 3. J'habite à Lyon depuis dix ans. Le minimum est de 250 euros. »",
		"Forwarded: “Dear all, our stand is in hall 3 this year. I live in the pink house by the river. The minimum is 250 euros.”",
	} {
		all := language.Sentences(text)
		for _, i := range []int{0, len(all) - 1} {
			rest, _ := mention.Cut(text, []mention.Span{{Start: all[i].Start, End: all[i].End}})
			for _, f := range memory.Distill(ranking.Document{Role: session.User, Text: rest, Root: "S", Seq: 2}, nil) {
				if f.Kind.Asserted() {
					t.Errorf("%q without sentence %d: got the statement %q, want a quotation", text, i, f.Quote)
				}
			}
		}
	}
}

// TestErasedKeepsNoise: a message of which something was erased makes no fact of a greeting, or of a word.
func TestErasedKeepsNoise(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Qciri is here. Good morning!", "Hello! Qciri is here.", "Qciri is here. Hm."} {
		rest, _ := mention.Of("Qciri").Redact(text)
		if now := quotes(rest); len(now) > 0 {
			t.Errorf("%q: got %q, want no fact", rest, now)
		}
	}
}
