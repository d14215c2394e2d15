package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestForgetPreview: a dry run shows what would go, with the words that match, and how much more there is. JSON has all of it.
func TestForgetPreview(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	var told []string
	for i := range 24 {
		told = append(told, fmt.Sprintf("I sail with my whole crew around island number %d, where the harbour is small and the wind is cold, tomorrow.", i))
	}
	s.add("trips", strings.Join(told, " "))
	s.add("tom-diary", "The garden is small.")
	out := s.do(exitOK, "forget", "--about", "Tom", "--dry-run")
	for _, want := range []string{
		"\n  trips  user: …", " is cold, tomorrow.\n", "\n  and 4 more; --dry-run --json has all\n", "Sessions that would go whole:\n  tom-diary  1 message",
		"Parts of words count, too",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	if n := strings.Count(out, "  trips  "); n != 20 || strings.Contains(out, "garden") {
		t.Errorf("got %d sentences in %s, want 20", n, out)
	}
	var got certified
	if err := json.Unmarshal([]byte(s.do(exitOK, "forget", "--about", "Tom", "--dry-run", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Samples) != 24 || got.SampleCount != 24 || len(got.Whole) != 1 || got.Whole[0].SessionID != "tom-diary" {
		t.Errorf("got %d samples of %d, and %v", len(got.Samples), got.SampleCount, got.Whole)
	}
	if out := s.do(exitOK, "forget", "--session", "trips", "--dry-run"); !strings.Contains(out, "whole:\n  trips  1 message") {
		t.Errorf("a session: got %s", out)
	}
	for _, of := range []string{"--key", "--session"} {
		for _, how := range []string{"--yes", "--dry-run"} {
			if out := s.do(exitFailed, "forget", of, "nosuch", how); !strings.Contains(out, "No session ") {
				t.Errorf("%s nosuch %s: got %s, want that there is none", of, how, out)
			}
		}
	}
}

// TestForgetWord: --word leaves longer words that have the thing in them, in messages and in what a restore forgets again.
func TestForgetWord(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I met Tom in Oslo. I leave tomorrow. The atom is small.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	left := func(what string, words ...string) {
		t.Helper()
		for _, word := range []string{"Tom", "tomorrow", "atom"} {
			want := 0
			if slices.Contains(words, word) {
				want = 1
			}
			if got := s.count("SELECT count(*) FROM messages WHERE content GLOB '* " + word + "[ .]*'"); got != want {
				t.Errorf("%s: got %d messages with %s, want %d", what, got, word, want)
			}
		}
	}
	if out := s.do(exitOK, "forget", "--about", "Tom", "--word", "--dry-run"); !strings.Contains(out, "erase 1 sentence in") || strings.Contains(out, "tomorrow") {
		t.Errorf("dry run: got %s", out)
	}
	if out := s.do(exitOK, "forget", "--about", "Tom", "--word", "--yes"); !strings.Contains(out, "Nothing is left of \"Tom\"") {
		t.Errorf("got %s", out)
	}
	left("forgotten", "tomorrow", "atom")
	s.do(exitOK, "restore", file, "--yes")
	left("restored", "tomorrow", "atom")
	s.do(exitOK, "forget", "--about", "Tom", "--yes")
	left("forgotten with parts of words")
	s.do(exitOK, "restore", file, "--yes")
	left("restored after that")
}

func TestExcerptOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wort ", 40)
	for _, c := range []struct {
		about, text, want string
		inWord            bool
	}{
		{"Tom", "I met Tom.", "I met Tom.", false},
		{"Tom", "See you\n tomorrow.", "See you tomorrow.", true},
		{"Zoë", long + "Zoë " + long, "…" + strings.Repeat("wort ", 8) + "Zoë" + strings.Repeat(" wort", 8) + "…", false},
		{"李明", strings.Repeat("我", 100) + "李明" + strings.Repeat("我", 100), "…" + strings.Repeat("我", 14) + "李明" + strings.Repeat("我", 14) + "…", false},
	} {
		if got, inWord := excerptOf(c.text, mention.Of(c.about)); got != c.want || inWord != c.inWord {
			t.Errorf("%q in %q: got %q, %t", c.about, c.text, got, inWord)
		}
	}
}
