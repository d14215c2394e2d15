package runtest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Kept is what scopes were told, without a database: thousands of messages are
// learnt in a second. Every scope may be read.
type Kept struct {
	// Archive is nil: of a scope whose facts are all read, nothing else is.
	memory.Archive

	Docs  []ranking.Document
	Known map[session.ID][]memory.Fact
	at    map[memory.Place]int // where in Docs
}

// Manifest tells that all facts are to be read: those that a conversation has learnt have
// no marks.
func (k *Kept) Manifest(context.Context, owner.Owner, memory.Scope) (memory.Manifest, error) {
	return memory.Manifest{Stale: true}, nil
}

// Facts lists what a scope has learnt.
func (k *Kept) Facts(_ context.Context, _ owner.Owner, scope memory.Scope, each func(*memory.StoredFact) bool) error {
	for _, f := range k.Known[scope.Root] {
		if !each(&memory.StoredFact{Fact: f}) {
			break
		}
	}
	return nil
}

// Documents reads the messages of a scope.
func (k *Kept) Documents(_ context.Context, _ owner.Owner, scope memory.Scope, after int64, each func(ranking.Document) bool) error {
	for _, d := range k.Docs {
		if d.Root == scope.Root && d.MessageID > after && !each(d) {
			break
		}
	}
	return nil
}

// Scopes lists the scopes that have learnt something.
func (k *Kept) Scopes(context.Context, owner.Owner) ([]memory.Scope, error) {
	var out []memory.Scope
	for root := range k.Known {
		out = append(out, memory.Scope{Root: root})
	}
	slices.SortFunc(out, func(a, b memory.Scope) int { return strings.Compare(string(a.Root), string(b.Root)) })
	return out, nil
}

// Erasures is empty: nothing here is forgotten.
func (k *Kept) Erasures(context.Context, owner.Owner) ([]memory.Erasure, error) { return nil, nil }

// Vectors is empty: no model takes part.
func (k *Kept) Vectors(context.Context, owner.Owner, memory.Scope, string, func(ranking.Vector) bool) error {
	return nil
}

// Quotes reads messages.
func (k *Kept) Quotes(_ context.Context, _ owner.Owner, places []memory.Place) ([]ranking.Document, error) {
	var out []ranking.Document
	for _, p := range places {
		if i, found := k.at[p]; found {
			out = append(out, k.Docs[i])
		}
	}
	return out, nil
}

// DocumentsNumbered reads messages by their ids.
func (k *Kept) DocumentsNumbered(_ context.Context, _ owner.Owner, scope memory.Scope, ids []int64) ([]ranking.Document, error) {
	var out []ranking.Document
	for _, d := range k.Docs {
		if d.Root == scope.Root && slices.Contains(ids, d.MessageID) {
			out = append(out, d)
		}
	}
	return out, nil
}

// DocumentsBefore reads the newest messages of a lineage before a place.
func (k *Kept) DocumentsBefore(
	_ context.Context, _ owner.Owner, _ memory.Scope, root session.ID, seq int64, limit int,
) ([]ranking.Document, error) {
	var out []ranking.Document
	for i := len(k.Docs) - 1; i >= 0 && len(out) < limit; i-- {
		if d := k.Docs[i]; d.Root == root && d.Seq < seq {
			out = append(out, d)
		}
	}
	return out, nil
}

// Talk is one conversation with the responder, over real memory.
type Talk struct {
	Kept *Kept
	Root session.ID
	Now  time.Time // when the next message is said
	// Speaker says the next messages; "" for a person without a name.
	Speaker string
	// Note is the note of the next messages; "" for messages that are said.
	Note string

	views *memory.Views
	seq   int64
}

// NewTalk returns a conversation of which nothing is known.
func NewTalk(root session.ID, now time.Time) *Talk {
	kept := &Kept{at: map[memory.Place]int{}, Known: map[session.ID][]memory.Fact{}}
	return &Talk{Kept: kept, Root: root, Now: now, views: memory.NewViews(kept, 64<<20)}
}

// Other is another conversation over the same memory.
func (k *Talk) Other(root session.ID) *Talk {
	o := *k
	o.Root, o.seq = root, 0
	return &o
}

// View is the memory of the conversation. The function returned ends its use.
func (k *Talk) View() (*memory.View, func(), error) {
	return k.views.Use(context.Background(), owner.Local(), memory.Scope{Root: k.Root}, false)
}

// Learn puts a message into memory and returns what it brought.
func (k *Talk) Learn(role session.Role, speaker, text string) (memory.Change, ranking.Document, error) {
	view, done, err := k.View()
	if err != nil {
		return memory.Change{}, ranking.Document{}, err
	}
	defer done()
	d := ranking.Document{
		MessageID: int64(len(k.Kept.Docs) + 1), SessionID: k.Root, Root: k.Root, Seq: k.seq,
		Role: role, Speaker: speaker, Text: text, Note: k.Note, SaidAt: k.Now,
	}
	k.Kept.at[memory.Place{Root: d.Root, Seq: d.Seq}] = len(k.Kept.Docs)
	k.Kept.Docs = append(k.Kept.Docs, d)
	k.seq++
	change := view.Learn(d)
	k.Kept.Known[k.Root] = append(k.Kept.Known[k.Root], change.Learned...)
	return change, d, nil
}

// Prompt learns a message and returns what the runner hands over for it. The
// function returned ends the use of the prompt.
func (k *Talk) Prompt(text string, streaming bool) (*run.Prompt, func(), error) {
	change, d, err := k.Learn(session.User, k.Speaker, text)
	if err != nil {
		return nil, nil, err
	}
	view, done, err := k.View()
	if err != nil {
		return nil, nil, err
	}
	return &run.Prompt{Streaming: streaming, Question: &run.Question{
		Input: []session.Message{{Role: session.User, Name: k.Speaker, Content: text, RootID: k.Root, Seq: d.Seq, SaidAt: k.Now}},
		Now:   k.Now, View: view, Learned: change.Learned, Reversals: change.Reversals,
		Own: func(root session.ID, seq int64) bool { return root == k.Root && seq >= d.Seq },
		Quotes: func(ctx context.Context, places []memory.Place) ([]ranking.Document, error) {
			return k.Kept.Quotes(ctx, owner.Local(), places)
		},
	}}, done, nil
}

// Question is the prompt for a question that memory does not learn. The function
// returned ends its use.
func (k *Talk) Question(text string) (*run.Prompt, func(), error) {
	view, done, err := k.View()
	if err != nil {
		return nil, nil, err
	}
	return &run.Prompt{Question: &run.Question{
		Input: []session.Message{{Role: session.User, Name: k.Speaker, Content: text, RootID: k.Root, Seq: k.seq, SaidAt: k.Now}},
		Now:   k.Now, View: view,
		Own: func(root session.ID, seq int64) bool { return root == k.Root && seq >= k.seq },
		Quotes: func(ctx context.Context, places []memory.Place) ([]ranking.Document, error) {
			return k.Kept.Quotes(ctx, owner.Local(), places)
		},
	}}, done, nil
}

// Ask answers a question that memory does not learn.
func (k *Talk) Ask(text string) (string, error) {
	p, done, err := k.Question(text)
	if err != nil {
		return "", err
	}
	defer done()
	got, _, err := Answer(p)
	return got, err
}

// Say sends a message, as a turn does: it is learnt, then answered, and the
// answer is learnt too. The next message comes a day later.
func (k *Talk) Say(text string) (string, error) {
	p, done, err := k.Prompt(text, false)
	if err != nil {
		return "", err
	}
	defer done()
	got, _, err := Answer(p)
	if err != nil {
		return "", err
	}
	_, _, err = k.Learn(session.Assistant, "", got)
	k.Now = k.Now.Add(24 * time.Hour)
	return got, err
}

// Answer collects the responder's answer and its pieces.
func Answer(p *run.Prompt) (string, []run.Delta, error) {
	deltas, err := recall.New().Stream(context.Background(), p)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	var all []run.Delta
	for d, err := range deltas {
		if err != nil {
			return "", nil, err
		}
		b.WriteString(d.Content)
		all = append(all, d)
	}
	return b.String(), all, nil
}
