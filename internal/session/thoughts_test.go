package session_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

func TestAfterThoughts(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		text  string
		whole bool
	}{
		"Hello.":                               {"Hello.", true},
		"  indented":                           {"  indented", true},
		"":                                     {"", false},
		"<think>":                              {"", false},
		"<think>\nsecret </b> and </":          {"", false},
		"<think>\nsecret\n</think>\n\nHello.":  {"Hello.", true},
		"\n <Thinking>secret</THINKING>Hello.": {"Hello.", true},
		"<thought>a</thought>":                 {"", false},
		"<reasoning>a</think> <think>b</reasoning>c": {"c", true},
		"<think>a</think><rea":                       {"<rea", false},
		"<":                                          {"<", false},
		"<thin":                                      {"<thin", false},
		"<thin ice":                                  {"<thin ice", true},
		"<thinker>a</thinker>":                       {"<thinker>a</thinker>", true},
		"The tag <think>a</think> is one.":           {"The tag <think>a</think> is one.", true},
		"`<think>` opens it":                         {"`<think>` opens it", true},
		"<b>bold</b>":                                {"<b>bold</b>", true},
		"<think>\xff</think>\xff":                    {"\xff", true},
	} {
		if text, whole := session.AfterThoughts(answer); text != want.text || whole != want.whole {
			t.Errorf("%q: got %q, %t, want %q, %t", answer, text, whole, want.text, want.whole)
		}
	}
}
