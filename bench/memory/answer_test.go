package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]answerKind{
		`[recall] You told me on 3 May 2026: "we use NATS".`:                                        sure,
		"[recall] I am not sure. The closest I was told:\nOn 3 May 2026 you said: \"we use NATS\".": unsure,
		"[recall] I have not been told that.":                                                       none,
		"[recall] I keep what you say and quote it back when you ask. I am not a language model.":   none,
	} {
		if got := kindOf(answer); got != want {
			t.Errorf("%q: got %s, want %s", answer, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	var a attribution
	for _, m := range []lifeMessage{
		{ID: "m1", Text: "prod postgres sits on 13.9 and staging on 15. yes, backwards, i know"},
		{ID: "m2", Text: "staging got 16.2 too, last night"},
		{ID: "m3", Text: "咖啡店在玉林路"},
		{ID: "m4", Text: "the staging is on 15 no more"},
	} {
		a.add(&m)
	}
	answer := `[recall] You told me on 21 August 2025: "staging got 16.2 too, last night" (that is 20 August 2025).
You told me on 13 January 2025: "prod postgres sits on 13.9 and staging on 15".
You told me on 14 January 2025: "咖啡店在玉林路"; later you said on 1 May 2025: "the staging is on 15 no more".
You told me on 15 January 2025: "nothing that was ever said".`
	quoted, claimed := a.quoted(answer)
	if diff := cmp.Diff([]string{"m2", "m1", "m3", "m4"}, quoted); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"m2", "m1", "m4"}, claimed); diff != "" {
		t.Error(diff)
	}
}

// TestVerdict judges answers: right, stale, wrong, cut off, unsure, and one whose own
// evidence names the old value.
func TestVerdict(t *testing.T) {
	t.Parallel()
	q := lifeQuestion{ID: "q", Told: true, Must: []string{"milan"}, MustNot: []string{"rome"}, Evidence: []string{"new"}, Stale: []string{"old"}}
	itself := q
	itself.QuotesStale = true
	asked := lifeQuestion{ID: "never"}
	for _, c := range []struct {
		name              string
		q                 *lifeQuestion
		answer            string
		quoted            []string
		right, shown, bad bool
	}{
		{"right", &q, `[recall] You told me: "Milan"`, []string{"new"}, true, true, false},
		{"stale", &q, `[recall] You told me: "Rome"`, []string{"old"}, false, false, true},
		{"both", &q, `[recall] You told me: "Rome, now Milan"`, []string{"new"}, false, true, true},
		{"the evidence names both", &itself, `[recall] You told me: "Rome, now Milan"`, []string{"new"}, true, true, false},
		{"the old message names both", &itself, `[recall] You told me: "Rome or Milan"`, []string{"old"}, false, true, true},
		{"both, as a change", &q, `[recall] Change: you said "Rome"; later you said "Milan"`, []string{"old", "new"}, false, true, true},
		{"another matter", &q, `[recall] You told me: "tea"`, []string{"other"}, false, false, true},
		{"a part of the evidence", &q, `[recall] You told me: "my sister"`, []string{"new"}, false, false, false},
		{"unsure", &q, `[recall] I am not sure. The closest I was told: "Rome" "Milan"`, []string{"old", "new"}, false, true, false},
		{"denied", &q, "[recall] " + unknownWords, nil, false, false, false},
		{"never told", &asked, `[recall] You told me: "tea"`, []string{"other"}, false, false, false},
	} {
		var v verdict
		if err := v.judge(c.q, c.answer, c.quoted, c.quoted); err != nil {
			t.Fatal(err)
		}
		if v.Right != c.right || v.Shown != c.shown || v.Bad != c.bad {
			t.Errorf("%s: got right %v, shown %v, bad %v", c.name, v.Right, v.Shown, v.Bad)
		}
		if want := c.right || c.name == "both, as a change"; v.Newest != want {
			t.Errorf("%s: got %v for the newest side", c.name, v.Newest)
		}
	}
}
