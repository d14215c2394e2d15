package curate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// ForgetFact erases a fact and its words in the transcript, and in the copies of its message. The rest of the
// messages stays.
func (c *Curator) ForgetFact(ctx context.Context, o owner.Owner, scope memory.Scope, id memory.FactID) (*Forgotten, error) {
	fact, err := c.Fact(ctx, o, scope, id)
	if err != nil {
		return nil, err
	}
	since := c.now()
	out, err := c.EraseFact(ctx, o, &fact, nil)
	if err == nil {
		err = c.passOn(ctx, o, since, out)
	}
	return out, err
}

// EraseFact is ForgetFact for a known fact. held is the lineage whose turn the caller
// holds; nil for none.
func (c *Curator) EraseFact(ctx context.Context, o owner.Owner, fact *memory.Fact, held *lineage.Lineage) (*Forgotten, error) {
	return c.eraseFacts(ctx, o, []memory.Fact{*fact}, held)
}

// eraseFacts is EraseFact for several facts, one after the other.
//
// An edit in another program, an undo and a second attempt leave the words in a message of the lineage that was
// undone. A fork has copies of the messages, and so has a session apart. The lineages of the facts are first: a copy
// that is begun later has the words no more.
func (c *Curator) eraseFacts(ctx context.Context, o owner.Owner, facts []memory.Fact, held *lineage.Lineage) (*Forgotten, error) {
	out := &Forgotten{}
	all := make([]*wording, len(facts))
	for i := range facts {
		all[i] = &wording{Fact: &facts[i], said: make(map[int64]bool)}
		erased := out.Messages
		if err := c.eraseWords(ctx, o, facts[i].Source.Root, all[i], held, out); err != nil {
			return nil, err
		}
		if out.Messages == erased {
			return nil, fault.New(fault.NotFound, "fact_not_found", "The message of this fact is gone, and the fact with it. List the facts again.")
		}
	}
	kin, err := c.kinship(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if err := c.eraseCopies(ctx, o, kin.of(w.Source.Root), w, held, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eraseCopies erases the words of a fact from some other lineages.
func (c *Curator) eraseCopies(
	ctx context.Context, o owner.Owner, kin []session.Session, w *wording, held *lineage.Lineage, out *Forgotten,
) error {
	for i := range kin {
		has := kin[i].EndReason == session.EndIncomplete // what is being copied is waited for
		if !has {
			found, err := c.findWords(ctx, o, kin[i].RootID, w)
			if err != nil {
				return err
			}
			has = len(found) > 0
		}
		if !has {
			continue
		}
		if err := c.eraseWords(ctx, o, kin[i].RootID, w, held, out); err != nil {
			return err
		}
	}
	return nil
}

// eraseWords erases the words of a fact from one lineage, between two turns.
func (c *Curator) eraseWords(
	ctx context.Context, o owner.Owner, root session.ID, w *wording, held *lineage.Lineage, out *Forgotten,
) error {
	l := held
	if l == nil || root != l.Tip.RootID {
		other, err := c.lineages.Take(ctx, o, root, lineage.Bare)
		if err != nil {
			return err
		}
		defer other.Release()
		l = other.Lineage
	}
	found, err := c.findWords(ctx, o, root, w)
	if err != nil || len(found) == 0 {
		return err
	}
	note := func(l Ledger, done bool) error {
		for i := range found {
			at := memory.Place{Root: root, Seq: found[i].Seq}
			if err := l.ForgotSentence(ctx, o, at, w.Quote, done); err != nil {
				return err
			}
		}
		return nil
	}
	return c.inLedger(note, func() error { return c.blankWords(ctx, o, root, found, l, out) })
}

// blankWords erases pieces of messages of a lineage whose turn is held.
func (c *Curator) blankWords(
	ctx context.Context, o owner.Owner, root session.ID, found []wordsIn, l *lineage.Lineage, out *Forgotten,
) error {
	var changed []session.Message
	texts, scopes := make(map[memory.Place]retelt), make(map[memory.Scope]bool)
	sentences := 0
	for i := range found {
		f := &found[i]
		calls, err := c.blankCall(ctx, o, &f.Message)
		if err != nil {
			return err
		}
		changed = append(append(changed, calls...), f.blank())
		sentences += len(f.spans)
		if f.Stands() { // memory has learnt nothing from an undone message
			m := &changed[len(changed)-1]
			texts[memory.Place{Root: root, Seq: m.Seq}] = retelt{m.Content, m.Name}
			scopes[scopeOf(m)] = true
		}
	}
	rows, err := c.sessionsWithout(ctx, o, root, found)
	if err != nil {
		return err
	}
	w := Rewrite{Messages: changed, Sessions: rows}
	gone, release, err := c.relearnWithout(ctx, o, scopes, texts, &w)
	if err != nil {
		return err
	}
	defer release()
	l.Stale()
	if err := c.store.Rewrite(ctx, o, w); err != nil {
		return fmt.Errorf("erase fact: %w", err)
	}
	c.views.DropOwner(o)
	c.tidy(ctx, o)
	out.Messages += len(changed)
	out.Sentences += sentences
	out.Facts += gone
	return nil
}

// relearnWithout adds to a rewrite what scopes learn from messages with other texts, and returns how many facts are
// gone. Until release no other turn adds to the scopes: what it learns would be lost.
func (c *Curator) relearnWithout(
	ctx context.Context, o owner.Owner, scopes map[memory.Scope]bool, texts map[memory.Place]retelt, w *Rewrite,
) (gone int, release func(), err error) {
	if len(scopes) == 0 {
		return 0, func() {}, nil
	}
	release, err = c.lineages.Alone(ctx, o, slices.Collect(maps.Keys(scopes))...)
	if err != nil {
		return 0, nil, err
	}
	for scope := range scopes {
		again, learnt, err := c.rebuild(ctx, o, scope, retold(texts))
		if err != nil {
			release()
			return 0, nil, err
		}
		gone += again.gone
		w.Scopes = append(w.Scopes, learnt)
	}
	return gone, release, nil
}

// wording are the words of a fact, which stand in its message and in copies of that.
type wording struct {
	*memory.Fact

	// said are the times, in milliseconds, at which the message and its undone copies were said.
	said map[int64]bool
}

// wordsIn is a message with the words of a fact, and where it has them.
type wordsIn struct {
	session.Message

	spans []mention.Span
}

// findWords reads a lineage for the message of a fact and its copies: in the fact's lineage those that were undone,
// whenever they were said, and in others those that were said at the same time.
func (c *Curator) findWords(ctx context.Context, o owner.Owner, root session.ID, w *wording) ([]wordsIn, error) {
	var found []wordsIn
	for m, err := range c.messages(ctx, o, root) {
		if err != nil {
			return nil, err
		}
		if spans := w.in(&m); len(spans) > 0 {
			found = append(found, wordsIn{m, spans})
			w.said[m.SaidAt.UnixMilli()] = w.said[m.SaidAt.UnixMilli()] || m.RootID == w.Source.Root
		}
	}
	return found, nil
}

// in are the places of the words in a message, if it is the fact's message or a copy.
func (w *wording) in(m *session.Message) []mention.Span {
	at := &w.Source
	switch {
	case m.RootID == at.Root && m.Seq == at.Seq:
		return []mention.Span{{Start: at.Start, End: at.End}}
	case m.Role != at.Role, m.Name != at.Speaker:
		return nil
	case m.RootID == at.Root && m.Stands(): // the same was said twice, and is a fact of its own
		return nil
	case m.RootID != at.Root && !w.said[m.SaidAt.UnixMilli()]:
		return nil
	}
	return placesOf(m.Content, w.Quote)
}

// placesOf are the places where a text has a quote that is not a part of longer words.
func placesOf(text, quote string) []mention.Span {
	var out []mention.Span
	for from := 0; quote != ""; {
		at := strings.Index(text[from:], quote)
		if at < 0 {
			break
		}
		start, end := from+at, from+at+len(quote)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(quote)
		last, _ := utf8.DecodeLastRuneInString(quote)
		if !joins(before, first) && !joins(last, behind) {
			out = append(out, mention.Span{Start: start, End: end})
		}
		from = end
	}
	return out
}

// joins reports whether two characters that follow one another belong to one word.
func joins(a, b rune) bool {
	word := func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) }
	return word(a) && word(b)
}

// blank is the message without the words. The form in which the client sent it goes with them.
func (f *wordsIn) blank() session.Message {
	m := f.Message
	for _, s := range f.spans {
		m.Content = mention.Blank(m.Content, s.Start, s.End)
	}
	m.Wire = nil
	return m
}

// callDistance is the maximum number of messages between a call and its result.
const callDistance = 64

// blankCall empties the call of a tool result: if a model stored the fact, the call has
// its words as well. It returns the message of the call; none if there is no such call.
func (c *Curator) blankCall(ctx context.Context, o owner.Owner, result *session.Message) ([]session.Message, error) {
	if result.Role != session.Tool {
		return nil, nil
	}
	window := session.Range{From: max(0, result.Seq-callDistance), To: max(1, result.Seq)}
	before, err := c.sessions.Messages(ctx, o, result.RootID, window)
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	if i := emptyCall(before, result.ToolCallID); i >= 0 {
		return before[i : i+1 : i+1], nil
	}
	return nil, nil
}

// emptyCall empties the last call with an id among the calls of some messages. It returns the place of the message; -1 for none.
func emptyCall(messages []session.Message, id string) int {
	for i := range slices.Backward(messages) {
		m := &messages[i]
		calls := openai.UnmarshalCalls(m.ToolCalls)
		for k := range calls {
			if calls[k].ID == id {
				calls[k].Function.Arguments = "{}"
				m.ToolCalls, m.Wire = openai.MarshalCalls(calls), nil
				return i
			}
		}
	}
	return -1
}
