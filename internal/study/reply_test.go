package study

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/session"
)

func TestParseReply(t *testing.T) {
	t.Parallel()
	const one = `{"statements": [{"message": 3, "quote": "a b", "statement": "a"}]}`
	for name, c := range map[string]struct {
		reply string
		want  int // statements; -1 for an unusable reply
	}{
		"bare":              {one, 1},
		"in a fence":        {"```json\n" + one + "\n```", 1},
		"with words":        {"Sure! " + one + " Anything else?", 1},
		"none":              {`{"statements": []}`, 0},
		"null":              {`{"statements": null}`, -1},
		"another name":      {`{"facts": []}`, -1},
		"a list":            {`[]`, -1},
		"nothing":           {"", -1},
		"braces the wrong":  {"}{", -1},
		"two objects":       {one + one, -1},
		"a number as text":  {`{"statements": [{"message": "3"}]}`, -1},
		"more than we read": {`{"statements": [` + strings.Repeat(`{"message": 1},`, 99) + `{"message": 1}]}`, maxExtracts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := parseReply(c.reply)
			if (err != nil) != (c.want < 0) || err == nil && len(list) != c.want {
				t.Errorf("got %d statements and %v, want %d", len(list), err, c.want)
			}
		})
	}
}

// FuzzParseReply: whatever a model replies, the cited words are in the message.
func FuzzParseReply(f *testing.F) {
	f.Add(`{"statements": [{"message": 3, "quote": "the pump", "statement": "the pump"}]}`)
	f.Add(`{"statements": [{"message": -1, "quote": "", "statement": null}]}`)
	f.Add("}{")
	ms := []session.Message{{Seq: 3, Role: session.User, Content: "Well, the pump is blue."}}
	f.Fuzz(func(t *testing.T, reply string) {
		list, err := parseReply(reply)
		if err != nil {
			return
		}
		for _, p := range extracts(list, ms) {
			if p.Start < 0 || p.End < p.Start || p.End > len(ms[0].Content) || p.End > 0 && p.Seq != 3 {
				t.Errorf("got %+v", p)
			}
		}
	})
}

func TestParseTitle(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{
		`{"title": "Plan the trip"}`:                "Plan the trip",
		"Sure!\n```json\n{\"title\": \"A b\"}\n```": "A b",
		`{"title": "a\nb"}`:                         "a\nb",
		`{"title": ""}`:                             "",
		`{"title": null}`:                           "",
		`{"title": 3}`:                              "",
		`{"name": "x"}`:                             "",
		`{"title": "Plan`:                           "",
		"Plan the trip":                             "",
		"}{":                                        "",
		"":                                          "",
	} {
		if got := parseTitle(reply); got != want {
			t.Errorf("title of %q: got %q, want %q", reply, got, want)
		}
	}
}

// FuzzParseTitle: whatever a model replies, a title is text.
func FuzzParseTitle(f *testing.F) {
	f.Add(`{"title": "Plan the trip"}`)
	f.Add(`x {"title": "\ud800"} y`)
	f.Add("}{")
	f.Fuzz(func(t *testing.T, reply string) {
		if title := parseTitle(reply); !utf8.ValidString(title) || title != "" && !strings.Contains(reply, "{") {
			t.Errorf("got %q of %q", title, reply)
		}
	})
}
