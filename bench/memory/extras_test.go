package main

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestCasualTranscript finds every planted item in its messages, the last of which has the
// newest value.
func TestCasualTranscript(t *testing.T) {
	t.Parallel()
	all := casualTranscript(400, 3)
	if len(all.documents) != 400 || len(all.items) != 40 || len(all.traps) != 20 {
		t.Fatalf("got %d messages, %d items, %d traps", len(all.documents), len(all.items), len(all.traps))
	}
	for _, it := range all.items {
		text := strings.ToLower(all.documents[it.seqs[len(it.seqs)-1]].Text)
		if !holds(text, it.keys) || strings.Contains(text, "%") {
			t.Errorf("%q does not have %v", text, it.keys)
		}
		for i, old := range it.stale {
			if first := strings.ToLower(all.documents[it.seqs[i]].Text); !strings.Contains(first, old) || strings.Contains(text, old) {
				t.Errorf("%q is not told by %q alone", old, first)
			}
		}
	}
}

// TestUnspokenIn counts the facts of a conversation, and each is said in its message.
func TestUnspokenIn(t *testing.T) {
	t.Parallel()
	said := []ranking.Document{{MessageID: 1, Root: "r", SessionID: "r", Role: session.User, Text: "Our queue runs on NATS.", SaidAt: start}}
	if got := unspokenIn(said); got.sum != 0 || got.of == 0 {
		t.Errorf("got %s", got.share())
	}
}

// TestCrowd asks a small life in a long conversation: its evidence is in every prompt.
func TestCrowd(t *testing.T) {
	t.Parallel()
	lives, err := parseLives([]byte(smallLife))
	if err != nil {
		t.Fatal(err)
	}
	lives[0].Language = "en"
	turns := crowdTurns(lives)
	if len(turns) != crowdSize/2 || turns[0].class != classTold {
		t.Fatalf("got %d turns, the first %+v", len(turns), turns[0])
	}
	q := &lives[0].Asked[0]
	for line, want := range map[string]bool{
		`05 #9 "We moved the queue from RabbitMQ to NATS"`: true,
		`05 #9 "Our queue runs on RabbitMQ"`:               false,
		`05 #9 "NATS is a name that others say, too"`:      false,
	} {
		if got := lives[0].answersFrom(q, line); got != want {
			t.Errorf("%s: got %v", line, got)
		}
	}
	got, err := crowdFigures(t.Context(), lives)
	if err != nil {
		t.Fatal(err)
	}
	if f := got.of(found8000, told); f.share() != "1/1" {
		t.Errorf("got %s", f.share())
	}
}
