package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

func searchToolTests() []test {
	return []test{
		{"the answer without a model", testToolExtracts},
		{"the text that a model is sent", testToolWindow},
		{"a long message is cut around its match", testToolLongMessage},
		{"a model that fails", testToolFallback},
		{"context around a match is of the same key", testToolScope},
		{"the number of sessions is limited", testToolLimit},
	}
}

// summarizer records its input, and answers with a mark.
type summarizer struct {
	given []string
	fail  error
}

// Summarize implements search.Summarizer.
func (s *summarizer) Summarize(_ context.Context, _, transcript string) (string, error) {
	s.given = append(s.given, transcript)
	return fmt.Sprintf("  a summary of %d characters\n", utf8.RuneCountInString(transcript)), s.fail
}

// tool runs the search tool over all sessions of alice.
func tool(t *testing.T, st Store, model search.Summarizer, scope search.Scope, query string, limit int) search.Result {
	t.Helper()
	tool := search.Tool{Store: st, Transcripts: st, Summarizer: model}
	got, err := tool.Run(t.Context(), alice(), scope, time.Time{}, query, limit)
	if err != nil {
		t.Fatalf("run the tool: %v", err)
	}
	return got
}

func testToolExtracts(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.sessions[0].Title = "Birds"
	l.say(t, st, slices.Repeat([]string{"a question", strings.Repeat("an answer. ", 100)}, 30)...)
	l.say(t, st, "What about the kestrel?", "The kestrel hovers.")
	l.say(t, st, "Thanks", "Welcome")
	got := tool(t, st, nil, search.Scope{All: true}, "kestrel", 0)
	if got.Query != "kestrel" || len(got.Sessions) != 1 || got.Partial {
		t.Fatalf("got %+v, want one session", got)
	}
	s := got.Sessions[0]
	if s.SessionID != "s" || s.Source != session.SourceAPI || s.MessageCount != 64 || s.MatchCount != 2 || len(s.Matches) != 2 ||
		!s.StartedAt.Equal(l.tip().StartedAt) || !s.LastActive.Equal(l.tip().LastActive) || s.SummaryMethod != search.ByExtraction {
		t.Errorf("got %+v", s)
	}
	for _, want := range []string{"user: What about the kestrel?", "assistant: The kestrel hovers.", "user: Thanks", "[2026-03-01 09:00] assistant: an answer."} {
		if !strings.Contains(s.Summary, want) {
			t.Errorf("got the summary\n%s\nwithout %q", s.Summary, want)
		}
	}
	if strings.Contains(s.Summary, "Welcome") || utf8.RuneCountInString(s.Summary) > 2000 {
		t.Errorf("got a summary of %d characters, want the matches and their neighbours:\n%s", utf8.RuneCountInString(s.Summary), s.Summary)
	}
	_, err := (&search.Tool{Store: st, Transcripts: st}).Run(t.Context(), alice(), search.Scope{All: true}, time.Time{}, "NOT x", 0)
	kind(t, "a query that cannot be read", err, fault.Invalid)
}

// testToolWindow has a session of a megabyte with the match in its middle.
func testToolWindow(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	for i := range 10 {
		texts := slices.Repeat([]string{strings.Repeat("word ", 400)}, 50)
		if i == 5 {
			texts[0] += " the peregrine "
		}
		l.say(t, st, texts...)
	}
	model := &summarizer{}
	got := tool(t, st, model, search.Scope{All: true}, "peregrine", 1)
	if len(model.given) != 1 {
		t.Fatalf("got %d calls of the model, want 1", len(model.given))
	}
	given := model.given[0]
	n := utf8.RuneCountInString(given)
	if n < 90_000 || n > 100_000 {
		t.Errorf("got %d characters, want 90,000 to 100,000", n)
	}
	if at := strings.Index(given, "peregrine"); at < n*4/10 || at > n*6/10 {
		t.Errorf("got the match at %d of %d, want it in the middle", at, n)
	}
	if s := got.Sessions[0]; s.SummaryMethod != search.ByModel || s.Summary != fmt.Sprintf("a summary of %d characters", n) {
		t.Errorf("got %q by %s, want the model's summary", s.Summary, s.SummaryMethod)
	}
}

func testToolLongMessage(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "before", strings.Repeat("слово ", 30_000)+"merlin "+strings.Repeat("слово ", 30_000), "after")
	model := &summarizer{}
	tool(t, st, model, search.Scope{All: true}, "merlin", 1)
	given := model.given[0]
	n, at := utf8.RuneCountInString(given), utf8.RuneCountInString(given[:strings.Index(given, "merlin")])
	if n < 90_000 || n > 100_000 || at < n*4/10 || at > n*6/10 || !utf8.ValidString(given) {
		t.Errorf("got the match at %d of %d characters, want it in the middle of some 100,000", at, n)
	}
}

func testToolFallback(t *testing.T, st Store) {
	newTalk(alice(), "s", "").say(t, st, "a goshawk")
	got := tool(t, st, &summarizer{fail: errors.New("no answer")}, search.Scope{All: true}, "goshawk", 1)
	if s := got.Sessions[0]; s.SummaryMethod != search.ByExtraction || !strings.Contains(s.Summary, "user: a goshawk") {
		t.Errorf("got %q by %s, want quotations", s.Summary, s.SummaryMethod)
	}
}

// testToolScope has a lineage whose messages belong to two keys.
func testToolScope(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key A")
	l.say(t, st, "a buzzard for A", "noted")
	l.key = "key B"
	l.say(t, st, "a secret of B", "noted for B")
	l.key = "key A"
	l.say(t, st, "the buzzard again", "noted again")
	model := &summarizer{}
	got := tool(t, st, model, search.Scope{Key: "key A"}, "buzzard", 1)
	if strings.Contains(model.given[0], "of B") || !strings.Contains(model.given[0], "noted again") || got.Sessions[0].MatchCount != 2 {
		t.Errorf("got\n%s\nwant what was said under A alone", model.given[0])
	}
	plain := tool(t, st, nil, search.Scope{Key: "key A"}, "buzzard", 1)
	if strings.Contains(plain.Sessions[0].Summary, "of B") {
		t.Errorf("got\n%s\nwant nothing of B", plain.Sessions[0].Summary)
	}
	if got := tool(t, st, nil, search.Scope{Key: "key B"}, "buzzard", 1); len(got.Sessions) != 0 {
		t.Errorf("got %+v for B, want nothing", got)
	}
}

func testToolLimit(t *testing.T, st Store) {
	for i := range 12 {
		newTalk(alice(), session.ID(fmt.Sprint(i)), "").say(t, st, "a kite")
	}
	for limit, want := range map[int]int{0: 3, 1: 1, 5: 5, 10: 10, 99: 10} {
		if got := len(tool(t, st, nil, search.Scope{All: true}, "kite", limit).Sessions); got != want {
			t.Errorf("limit %d: got %d sessions, want %d", limit, got, want)
		}
	}
}
