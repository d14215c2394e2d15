package recall_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func TestStreamIsTheSameInPieces(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"Hello!", "What is my name?", "My dog is called Biscuit. What tech stack are we using?", "我叫什么名字？"} {
		k := newTalk(t)
		k.tell("My name is Alex. I'm building a distributed cache in Rust.", "我叫小明。")
		p := k.prompt(message, true)
		streamed, pieces := answerOf(t, p)
		p.Streaming = false
		whole, one := answerOf(t, p)
		if diff := cmp.Diff(whole, streamed); diff != "" {
			t.Errorf("%q: streamed differs (-whole +streamed):\n%s", message, diff)
		}
		if len(one) != 1 || len(pieces) < 4 {
			t.Errorf("%q: got %d and %d pieces, want one and many", message, len(one), len(pieces))
		}
		for i, d := range pieces {
			if last := i == len(pieces)-1; d.Finishes != last || (d.FinishReason == "stop") != last || d.Raw != nil || d.Usage != nil || d.ToolCalls != nil {
				t.Errorf("%q: piece %d of %d: got %+v", message, i, len(pieces), d)
			}
		}
		if len(pieces[len(pieces)-1].Content) != 0 || !one[0].Finishes || one[0].FinishReason != "stop" {
			t.Errorf("%q: endings: got %+v and %+v", message, pieces[len(pieces)-1], one[0])
		}
	}
}

func TestStreamEndsEarly(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	deltas, err := recall.New().Stream(ctx, k.prompt("Hello!", true))
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	for _, err = range deltas {
		if err != nil {
			break
		}
		got++
		cancel()
	}
	if got != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %d pieces and %v", got, err)
	}
	deltas, err = recall.New().Stream(context.Background(), k.prompt("Hello!", true))
	if err != nil {
		t.Fatal(err)
	}
	for range deltas {
		break // leaving must not panic
	}
}

func TestStreamWithoutMemory(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*run.Prompt{
		"no question":  {Messages: []session.Message{{Role: session.User, Content: "What is my name?"}}},
		"no view":      {Question: &run.Question{Input: []session.Message{{Role: session.User, Content: "What is my name?"}}}},
		"not the user": {Question: &run.Question{Input: []session.Message{{Role: session.Tool, Content: "What is my name?"}}}},
	} {
		if got, _ := answerOf(t, p); got != unknown {
			t.Errorf("%s: got %s", name, got)
		}
	}
	if got, _ := answerOf(t, &run.Prompt{}); !strings.HasPrefix(got, "[recall] I keep") {
		t.Errorf("nothing at all: got %s", got)
	}
}

func TestStreamReportsAFailingStore(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.tell("My name is Alex.")
	p := k.prompt("What is my name?", false)
	broken := errors.New("disk gone")
	p.Question.Quotes = func(context.Context, []memory.Place) ([]ranking.Document, error) { return nil, broken }
	if _, err := recall.New().Stream(context.Background(), p); !errors.Is(err, broken) {
		t.Errorf("got %v, want the store's error", err)
	}
}
