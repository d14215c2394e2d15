package title

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/session"
)

func TestMake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"How do I sharpen a kitchen knife?":                       "How do I sharpen a kitchen knife",
		"Hello! Can you please help me debug the payment worker?": "Debug the payment worker",
		"hi":                           "",
		"Hi, thanks.":                  "",
		"ok so, could you plan a trip": "Plan a trip",
		"good morning. We use Postgres for the ledger.":                                 "We use Postgres for the ledger",
		"one two three four five six seven eight nine ten":                              "One two three four five six seven eight",
		"Review https://example.com/a/b?c=d for style":                                  "Review for style",
		"```go\nfunc main() {}\n```\nWhy does this not compile?":                        "Why does this not compile",
		"> You said it works\nIt does not work at all":                                  "It does not work at all",
		"My password is hunter2. Why is the login slow?":                                "Why is the login slow",
		"My email is bob@example.com":                                                   "",
		"Call me at +49 170 1234567 tomorrow":                                           "",
		"I was diagnosed with diabetes. What should I eat?":                             "What should I eat",
		"AKIAIOSFODNN7EXAMPLE9 is my key":                                               "",
		"私は京都に住んでいます。":                                                                  "私は京都に住んでいます",
		"Die Küche ist zu klein":                                                        "Die Küche ist zu klein",
		"élan vital, what is that":                                                      "Élan vital, what is that",
		strings.Repeat("x", 300):                                                        "X" + strings.Repeat("x", 59),
		"antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis no": "Antidisestablishmentarianism",
		"[erased]       \nPlan the trip":                                                "Plan the trip", "[eras": "",
		"   \n\t ": "", "???": "", "42": "", "-- \n": "", "": "",
	} {
		got := Make(in)
		if got != want {
			t.Errorf("title of %q: got %q, want %q", in, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		before, now []session.Message
		want        string
	}{
		{"no answer yet", nil, said("u:We use Postgres"), ""},
		{"the first exchange", nil, said("u:We use Postgres", "a:noted"), "We use Postgres"},
		{"the answer comes later", said("u:We use Postgres"), said("a:noted"), "We use Postgres"},
		{"after a greeting", said("u:hi", "a:hello"), said("u:Plan a trip", "a:where to"), "Plan a trip"},
		{"never the answer's words", nil, said("u:hi", "a:Nice weather today"), ""},
		{"nothing at all", nil, nil, ""},
	} {
		if got := Of(tt.before, tt.now); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzMake(f *testing.F) {
	for _, s := range []string{"Hello there", "pin: 4711", "\xff\xfe", "a\x00b", "私は", "Can you"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		title := Make(text)
		if utf8.RuneCountInString(title) > maxLength+1 || strings.ContainsAny(title, "\n\r\x00") || utf8.ValidString(text) && !utf8.ValidString(title) {
			t.Errorf("got %q of %q", title, text)
		}
	})
}

// said are messages in short: "u:text" of the user, "a:text" of the assistant.
func said(words ...string) []session.Message {
	var out []session.Message
	for _, w := range words {
		role := session.User
		if w[0] == 'a' {
			role = session.Assistant
		}
		out = append(out, session.Message{Role: role, Content: w[2:]})
	}
	return out
}
