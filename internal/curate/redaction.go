package curate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxRewrites bounds how often the redaction of a lineage is repeated because messages
// were added or deleted under its key meanwhile.
const maxRewrites = 8

// forgetIn erases the thing from one lineage, between two turns, and with it the sentences
// at the spans. A dry run waits for no turn, which may itself wait for a person.
func (c *Curator) forgetIn(
	ctx context.Context, o owner.Owner, root session.ID, thing *mention.Thing, spans spansBySeq, out *Forgotten,
) error {
	var l *lineage.Held
	var err error
	if !out.DryRun {
		if l, err = c.lineages.Take(ctx, o, root, lineage.Bare); err != nil {
			return err
		}
		defer l.Release()
	}
	for range maxRewrites {
		part := &Forgotten{DryRun: out.DryRun, listing: listed(out.most)}
		err = c.forgetHeld(ctx, o, root, thing, spans, l, part)
		if err == nil {
			out.add(part)
		}
		if fault.KindOf(err) != fault.Conflict {
			break
		}
	}
	return err
}

// forgetHeld is forgetIn for a lineage whose turn is held, or for a dry run. It fails with Conflict if
// its messages were changed meanwhile.
func (c *Curator) forgetHeld(
	ctx context.Context, o owner.Owner, root session.ID, thing *mention.Thing, spans spansBySeq, l *lineage.Held, out *Forgotten,
) error {
	rows, err := c.sessions.Sessions(ctx, o, session.Filter{Lineage: root})
	if err != nil {
		return fmt.Errorf("list lineage: %w", err)
	}
	if len(rows) == 0 { // the lineage was deleted meanwhile
		return nil
	}
	x := &redaction{curator: c, o: o, root: root, thing: thing, spans: spans, rows: rows, out: out}
	whole, err := x.collect(ctx)
	if err != nil {
		return err
	}
	if whole {
		*out = Forgotten{DryRun: out.DryRun, listing: listed(out.most)}
		if err := c.countWhole(ctx, o, root, rows, out); err != nil || out.DryRun {
			return err
		}
		l.Clear()
		if err := c.sessions.DeleteLineage(ctx, o, root); fault.KindOf(err) != fault.NotFound {
			return err
		}
		return nil
	}
	if !out.DryRun {
		scopes := slices.Collect(maps.Keys(x.scopes))
		release, err := c.lineages.Alone(ctx, o, scopes...) // otherwise facts that another turn learns meanwhile would be lost
		if err != nil {
			return err
		}
		defer release()
	}
	if err := x.relearn(ctx); err != nil {
		return err
	}
	if w := &x.rewrite; out.DryRun || len(w.Messages)+len(w.Sessions)+len(w.Scopes) == 0 {
		return nil
	}
	l.Stale()
	if err := c.store.Rewrite(ctx, o, x.rewrite); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return nil
}

// redaction collects the changes to a lineage.
type redaction struct {
	curator *Curator
	o       owner.Owner
	root    session.ID
	thing   *mention.Thing
	spans   spansBySeq // of sentences that are erased, too
	rows    []session.Session
	out     *Forgotten
	rewrite Rewrite

	opening int64 // first Seq after the first exchange
	changed []bool
	retold  map[memory.Place]retelt
	scopes  map[memory.Scope]bool
}

// collect reads the lineage. whole says that an id or a key names the thing, so that
// the lineage must be deleted.
func (x *redaction) collect(ctx context.Context) (whole bool, err error) {
	for i := range x.rows {
		if x.named(x.rows[i].ID, x.rows[i].Key) {
			return true, nil
		}
	}
	x.changed, x.retold, x.scopes = make([]bool, len(x.rows)), make(map[memory.Place]retelt), make(map[memory.Scope]bool)
	if x.opening, err = x.curator.openingEnd(ctx, x.o, x.root); err != nil {
		return false, err
	}
	const page = 500
	for from := int64(0); ; {
		ms, err := x.curator.sessions.Messages(ctx, x.o, x.root, session.Range{From: from, Limit: page, Bytes: copyBytes, Receipts: true})
		if err != nil {
			return false, fmt.Errorf("read messages: %w", err)
		}
		for i := range ms {
			if x.named(ms[i].SessionID, ms[i].Key) {
				return true, nil
			}
			x.message(&ms[i])
		}
		if len(ms) == 0 {
			break
		}
		from = ms[len(ms)-1].Seq + 1
	}
	for i := range x.rows {
		if redactSession(&x.rows[i], x.thing) || x.changed[i] {
			x.out.Texts++
			x.rewrite.Sessions = append(x.rewrite.Sessions, x.rows[i])
		}
	}
	return false, nil
}

// named reports whether an id or a key names the thing.
func (x *redaction) named(id session.ID, key session.Key) bool {
	return x.thing.InName(string(id)) || x.thing.InName(string(key))
}

// message redacts a message and records which derived texts are affected.
func (x *redaction) message(m *session.Message) {
	was := m.Content
	n := redact(m, x.thing) + x.cut(m)
	if n == 0 {
		return
	}
	for k := range x.rows {
		x.changed[k] = trimSummary(&x.rows[k], was, m.Content) || x.changed[k]
		if !x.thing.InTitle(x.rows[k].Title) { // otherwise the title is redacted itself
			x.changed[k] = unname(&x.rows[k], was, m.Content, m.Seq < x.opening) || x.changed[k]
		}
	}
	x.sample(m, was)
	x.out.Messages++
	x.out.Sentences += n
	x.retold[memory.Place{Root: m.RootID, Seq: m.Seq}] = retelt{m.Content, m.Name}
	x.scopes[scopeOf(m)] = true
	x.rewrite.Messages = append(x.rewrite.Messages, *m)
}

// cut erases the sentences of a message that are at the spans, and returns their number. The
// form in which the client sent them goes with them.
func (x *redaction) cut(m *session.Message) int {
	text, n := x.thing.Cut(m.Content, x.spans[m.Seq])
	if n > 0 {
		m.Content, m.Wire = text, nil
	}
	return n
}

// relearn distils the affected scopes again without the thing.
func (x *redaction) relearn(ctx context.Context) error {
	for scope := range x.scopes {
		again, learnt, err := x.curator.rebuild(ctx, x.o, scope, retold(x.retold))
		if err != nil {
			return err
		}
		x.out.Facts += again.gone
		x.rewrite.Scopes = append(x.rewrite.Scopes, learnt)
	}
	return nil
}

// scopeOf is the scope of a message: the only one that learns it.
func scopeOf(m *session.Message) memory.Scope {
	if m.Key != "" {
		return memory.Scope{Key: m.Key}
	}
	return memory.Scope{Root: m.RootID}
}

// retelt is a message's text and speaker after the redaction.
type retelt struct{ text, speaker string }

// retold replaces the texts of messages while a scope is rebuilt.
func retold(texts map[memory.Place]retelt) func(*ranking.Document) bool {
	return func(d *ranking.Document) bool {
		if now, ok := texts[memory.Place{Root: d.Root, Seq: d.Seq}]; ok {
			d.Text, d.Speaker = now.text, now.speaker
		}
		return true
	}
}

// redact removes the thing from a message and returns the number of places.
func redact(m *session.Message, thing *mention.Thing) int {
	text, n := thing.Redact(m.Content)
	m.Content = text
	for _, part := range []struct {
		of *[]byte
		by func([]byte) ([]byte, int)
	}{
		{&m.ToolCalls, thing.RedactJSON}, {&m.Wire, thing.RedactJSON}, {&m.Receipt, thing.RedactRecord},
	} {
		if clean, k := part.by(*part.of); k > 0 {
			*part.of = clean
			n += k
		}
	}
	for _, id := range []*string{&m.ToolCallID, &m.ToolName, &m.FinishReason, &m.Model, &m.Note, &m.ReceiptID} {
		clean, k := thing.BlotWords(*id)
		*id = clean
		n += k
	}
	if !memory.ByProgram(m) && thing.In(m.Name) {
		m.Name = ""
		n++
	}
	return n
}

// redactSession removes the thing from a session's texts.
func redactSession(s *session.Session, thing *mention.Thing) bool {
	changed := false
	texts := []*string{&s.SystemPrompt, &s.Summary, &s.UserID}
	if thing.InTitle(s.Title) {
		texts = append(texts, &s.Title)
	}
	for _, text := range texts {
		if clean, n := thing.Redact(*text); n > 0 {
			*text = strings.TrimSpace(clean)
			changed = true
		}
	}
	if clean, n := thing.RedactJSON([]byte(s.Metadata)); n > 0 { // nothing is found in no metadata
		s.Metadata, changed = string(clean), true
	}
	source, n := thing.BlotSource(string(s.Source))
	reason, k := thing.BlotWords(string(s.EndReason))
	model, j := thing.BlotWords(s.Model)
	s.Source, s.EndReason, s.Model = session.Source(source), session.EndReason(reason), model
	if thing.InName(string(s.ParentID)) { // the parent was deleted
		s.ParentID = ""
		n++
	}
	return changed || n+k+j > 0
}
