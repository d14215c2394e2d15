package language

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSentencesWrapped checks that a line break inside a sentence of prose does not
// end it.
func TestSentencesWrapped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a reason on the next line": {"We use Go\nbecause it compiles fast.", []string{"We use Go\nbecause it compiles fast."}},
		"carriage returns":          {"We use Go\r\nbecause it compiles fast.\r\nGood.", []string{"We use Go\r\nbecause it compiles fast.", "Good."}},
		"three lines":               {"We left Heroku because the\nbill had doubled and the support was\nslow. Then came Fly.", []string{"We left Heroku because the\nbill had doubled and the support was\nslow.", "Then came Fly."}},
		"an open end":               {"The tests run on the\nnew machine.", []string{"The tests run on the\nnew machine."}},
		"as long as it goes": {
			"The queue kept stalling whenever a consumer restarted, nobody\nknew why, and support had to clean up by hand every single day\nfor weeks.",
			[]string{"The queue kept stalling whenever a consumer restarted, nobody\nknew why, and support had to clean up by hand every single day\nfor weeks."},
		},
		"an abbreviation":     {"We tried a few caches (e.g. Redis) and\nsettled on none.", []string{"We tried a few caches (e.g. Redis) and\nsettled on none."}},
		"in a paragraph":      {"Notes\n\nWe moved off Jenkins\nbecause plugins broke.\n\nand then?", []string{"Notes", "We moved off Jenkins\nbecause plugins broke.", "and then?"}},
		"under an item":       {"Done:\n- Dropped Mongo\n  because nobody tuned it\n- Added Redis", []string{"Done:", "Dropped Mongo\n  because nobody tuned it", "Added Redis"}},
		"a capital":           {"We use Go\nBecause it compiles fast.", []string{"We use Go", "Because it compiles fast."}},
		"two thoughts":        {"We use Go\nit compiles fast", []string{"We use Go", "it compiles fast"}},
		"a full stop":         {"We use Go.\nbecause it compiles fast", []string{"We use Go.", "because it compiles fast"}},
		"a blank line":        {"We use Go\n\nbecause it compiles fast", []string{"We use Go", "because it compiles fast"}},
		"beside an item":      {"- Milk\nand honey", []string{"Milk", "and honey"}},
		"items":               {"Todo\n- and milk\n* or eggs\n1. then tea", []string{"Todo", "and milk", "or eggs", "then tea"}},
		"a heading":           {"# Why Go\nbecause it compiles fast", []string{"Why Go", "because it compiles fast"}},
		"a quotation":         {"> We use Go\nbecause it compiles fast", []string{"We use Go", "because it compiles fast"}},
		"a quotation after":   {"We use Go\n> because it compiles fast", []string{"We use Go", "because it compiles fast"}},
		"a fence":             {"We use Go\n```\nbecause\n```", []string{"We use Go", "```\nbecause\n```"}},
		"code":                {"If x {\nwith y = 3\n}\nor z();", []string{"If x {", "with y = 3", "or z();"}},
		"a table":             {"Name | Age\nof Anna | 3", []string{"Name | Age", "of Anna | 3"}},
		"a key":               {"Name: Go\nfor: speed\nBy: us", []string{"Name: Go", "for: speed", "By: us"}},
		"a log":               {"2026-03-01 ERROR could not reach the database server\nat 10.0.0.1", []string{"2026-03-01 ERROR could not reach the database server", "at 10.0.0.1"}},
		"a level of a log":    {"WARN retrying the request to the upstream server in five\nseconds", []string{"WARN retrying the request to the upstream server in five", "seconds"}},
		"a trace":             {"Exception in thread main\n\tat Main.run(Main.java:12)", []string{"Exception in thread main", "at Main.run(Main.java:12)"}},
		"a chat in lower":     {"we use go\nbecause it compiles fast", []string{"we use go", "because it compiles fast"}},
		"a chat with names":   {"Anna: we use Go\nbob: because it is fast\nAnna: right", []string{"Anna: we use Go", "bob: because it is fast", "Anna: right"}},
		"a chat with times":   {"[10:31] anna: we use go\n[10:32] bob: and why", []string{"[10:31] anna: we use go", "[10:32] bob: and why"}},
		"a poem":              {"The sea was wet as wet could be,\nThe sands were dry as dry.\nYou could not see a cloud,\nbecause", []string{"The sea was wet as wet could be,", "The sands were dry as dry.", "You could not see a cloud,", "because"}},
		"a poem in lower":     {"The rain\nin the yard\nand the\nwheelbarrow", []string{"The rain", "in the yard", "and the", "wheelbarrow"}},
		"a mail's signature":  {"See you then\n-- \nof Acme", []string{"See you then", "of Acme"}},
		"an indented block":   {"We ran\n    and then", []string{"We ran", "and then"}},
		"chinese is no prose": {"我们用Go\nbecause", []string{"我们用Go", "because"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, s := range Sentences(c.text) {
				got = append(got, c.text[s.Start:s.End])
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneLine checks that a quote over several lines reads as one.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"one line":          {"We use  Go.", "We use  Go."},
		"a break":           {"We use Go\nbecause it is fast.", "We use Go because it is fast."},
		"carriage returns":  {"We use Go\r\nbecause it is\rfast.", "We use Go because it is fast."},
		"under an item":     {"Dropped Mongo  \n  because nobody tuned it", "Dropped Mongo because nobody tuned it"},
		"blank lines":       {"We use Go\n\n \nbecause", "We use Go because"},
		"other breaks":      {"We\u2028use\u2029Go\vor\fRust", "We use Go or Rust"},
		"at the ends":       {"\nWe use Go\n", "We use Go"},
		"nothing":           {"", ""},
		"nothing but space": {" \n ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := OneLine(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
