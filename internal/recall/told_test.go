package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// firstDay is when the first message of a test is said; each message after it
// is said a day later.
var firstDay = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// talk is one conversation with the responder, over real memory.
type talk struct {
	*runtest.Talk
	t testing.TB
}

// newTalk returns a conversation of which nothing is known.
func newTalk(t testing.TB) *talk {
	t.Helper()
	return &talk{Talk: runtest.NewTalk("repo:acme/backend", firstDay), t: t}
}

// other is another conversation over the same store.
func (k *talk) other(root session.ID) *talk { return &talk{Talk: k.Other(root), t: k.t} }

// learn puts a message into memory and returns what it brought.
func (k *talk) learn(role session.Role, speaker, text string) (memory.Change, ranking.Document) {
	k.t.Helper()
	change, d, err := k.Learn(role, speaker, text)
	if err != nil {
		k.t.Fatalf("learn: %v", err)
	}
	return change, d
}

// tell says things, a day apart.
func (k *talk) tell(messages ...string) {
	k.t.Helper()
	for _, m := range messages {
		k.learn(session.User, "", m)
		k.Now = k.Now.Add(24 * time.Hour)
	}
}

// prompt is what the runner hands over for a message.
func (k *talk) prompt(text string, streaming bool) *run.Prompt {
	k.t.Helper()
	p, done, err := k.Prompt(text, streaming)
	if err != nil {
		k.t.Fatalf("prompt: %v", err)
	}
	k.t.Cleanup(done)
	return p
}

// say sends a message, as a turn does, and returns the answer.
func (k *talk) say(text string) string {
	k.t.Helper()
	got, err := k.Say(text)
	if err != nil {
		k.t.Fatalf("say: %v", err)
	}
	return got
}

// answerOf collects an answer and its pieces.
func answerOf(t testing.TB, p *run.Prompt) (string, []run.Delta) {
	t.Helper()
	got, pieces, err := runtest.Answer(p)
	if err != nil {
		t.Fatalf("answer: %v", err)
	}
	return got, pieces
}

const (
	unknown = "[recall] I have not been told that."
	unsure  = "[recall] I am not sure. The closest I was told:"
)

// sure reports whether an answer claims to answer the question.
func sure(got string) bool { return got != unknown && !strings.HasPrefix(got, unsure) }

// expect fails unless the answer has all parts and none of the others, which
// are marked with "!".
func expect(t testing.TB, question, got string, parts ...string) bool {
	t.Helper()
	ok := true
	for _, part := range parts {
		want := !strings.HasPrefix(part, "!")
		if strings.Contains(got, strings.TrimPrefix(part, "!")) != want {
			t.Errorf("%s", fmt.Sprintf("%q:\n got %s\nwant %q", question, got, part))
			ok = false
		}
	}
	return ok
}
