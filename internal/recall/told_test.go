package recall_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// firstDay is when the first message of a test is said; each message after it
// is said a day later.
var firstDay = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// kept is a store in memory: what a scope was told, readable by everybody who
// may see the scope.
type kept struct {
	docs  []ranking.Document
	at    map[memory.Place]int // where in docs
	facts map[session.ID][]memory.Fact
}

func (k *kept) Facts(_ context.Context, _ owner.Owner, scope memory.Scope) ([]memory.Fact, error) {
	return k.facts[scope.Root], nil
}

func (k *kept) Documents(_ context.Context, _ owner.Owner, scope memory.Scope, each func(ranking.Document) bool) error {
	for _, d := range k.docs {
		if d.Root == scope.Root && !each(d) {
			break
		}
	}
	return nil
}

func (k *kept) Scopes(context.Context, owner.Owner) ([]memory.Scope, error) {
	var out []memory.Scope
	for root := range k.facts {
		out = append(out, memory.Scope{Root: root})
	}
	slices.SortFunc(out, func(a, b memory.Scope) int { return strings.Compare(string(a.Root), string(b.Root)) })
	return out, nil
}

// Erasures has nothing to list: nobody asks this store to forget.
func (k *kept) Erasures(context.Context, owner.Owner) ([]memory.Erasure, error) { return nil, nil }

func (k *kept) Findings(context.Context, owner.Owner, memory.Scope) ([]memory.Finding, error) {
	return nil, nil
}

func (k *kept) Vectors(context.Context, owner.Owner, memory.Scope, string, func(ranking.Vector) bool) error {
	return nil
}

func (k *kept) Quotes(_ context.Context, _ owner.Owner, places []memory.Place) ([]ranking.Document, error) {
	var out []ranking.Document
	for _, p := range places {
		if i, found := k.at[p]; found {
			out = append(out, k.docs[i])
		}
	}
	return out, nil
}

// talk is one conversation with the responder, over real memory.
type talk struct {
	t     testing.TB
	store *kept
	views *memory.Views
	root  session.ID
	now   time.Time
	seq   int64
}

// newTalk returns a conversation of which nothing is known.
func newTalk(t testing.TB) *talk {
	t.Helper()
	store := &kept{at: map[memory.Place]int{}, facts: map[session.ID][]memory.Fact{}}
	return &talk{t: t, store: store, views: memory.NewViews(store, 64<<20), root: "repo:acme/backend", now: firstDay}
}

// other is another conversation over the same store.
func (k *talk) other(root session.ID) *talk {
	o := *k
	o.root, o.seq = root, 0
	return &o
}

// learn puts a message into memory and returns what it brought.
func (k *talk) learn(role session.Role, speaker, text string) (memory.Change, ranking.Document) {
	k.t.Helper()
	view, done, err := k.views.Use(context.Background(), owner.Local(), memory.Scope{Root: k.root}, false)
	if err != nil {
		k.t.Fatal(err)
	}
	defer done()
	d := ranking.Document{
		MessageID: int64(len(k.store.docs) + 1), SessionID: k.root, Root: k.root, Seq: k.seq,
		Role: role, Speaker: speaker, Text: text, SaidAt: k.now,
	}
	k.store.at[memory.Place{Root: d.Root, Seq: d.Seq}] = len(k.store.docs)
	k.store.docs = append(k.store.docs, d)
	k.seq++
	change := view.Learn(d)
	k.store.facts[k.root] = append(k.store.facts[k.root], change.Learned...)
	return change, d
}

// tell says things, a day apart.
func (k *talk) tell(messages ...string) {
	k.t.Helper()
	for _, m := range messages {
		k.learn(session.User, "", m)
		k.now = k.now.Add(24 * time.Hour)
	}
}

// prompt is what the runner hands over for a message.
func (k *talk) prompt(text string, streaming bool) *run.Prompt {
	k.t.Helper()
	change, d := k.learn(session.User, "", text)
	view, done, err := k.views.Use(context.Background(), owner.Local(), memory.Scope{Root: k.root}, false)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(done)
	return &run.Prompt{Streaming: streaming, Question: &run.Question{
		Input: []session.Message{{Role: session.User, Content: text, RootID: k.root, Seq: d.Seq, SaidAt: k.now}},
		Now:   k.now, View: view, Learned: change.Learned, Reversals: change.Reversals,
		Own: func(root session.ID, seq int64) bool { return root == k.root && seq >= d.Seq },
		Quotes: func(ctx context.Context, places []memory.Place) ([]ranking.Document, error) {
			return k.store.Quotes(ctx, owner.Local(), places)
		},
	}}
}

// say sends a message, as a turn does: it is learnt, then answered, and the
// answer is learnt too.
func (k *talk) say(text string) string {
	k.t.Helper()
	got, _ := answerOf(k.t, k.prompt(text, false))
	k.learn(session.Assistant, "", got)
	k.now = k.now.Add(24 * time.Hour)
	return got
}

// answerOf collects an answer and its pieces.
func answerOf(t testing.TB, p *run.Prompt) (string, []run.Delta) {
	t.Helper()
	deltas, err := recall.New().Stream(context.Background(), p)
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	var b strings.Builder
	var all []run.Delta
	for d, err := range deltas {
		if err != nil {
			t.Fatalf("delta: %v", err)
		}
		b.WriteString(d.Content)
		all = append(all, d)
	}
	return b.String(), all
}

const unknown = "[recall] I have not been told that."

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
