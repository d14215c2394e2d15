package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// tb has the methods that helpers use of a test, or of a step of a generated test.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// The owners of these tests. Carol has stored nothing.
func alice() owner.Owner { return owner.Stored("alice") }
func bob() owner.Owner   { return owner.Stored("bob") }
func carol() owner.Owner { return owner.Stored("carol") }

// epoch is the time at which these tests begin.
func epoch() time.Time { return time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC) }

// talk is a lineage, written as a runner writes it, with the rows that the store must
// return afterwards.
type talk struct {
	o        owner.Owner
	key      session.Key // sent with the turns from now on
	now      time.Time   // moves on by a second with every step
	sessions []session.Session
	messages []session.Message
}

func newTalk(o owner.Owner, id session.ID, key session.Key) *talk {
	return &talk{o: o, key: key, now: epoch(), sessions: []session.Session{{
		ID: id, RootID: id, Key: key, Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch(),
	}}}
}

func (l *talk) root() session.ID     { return l.sessions[0].ID }
func (l *talk) tip() session.Session { return l.sessions[len(l.sessions)-1] }

// ids are all the ids the lineage ever had.
func (l *talk) ids() []session.ID {
	ids := make([]session.ID, len(l.sessions))
	for i := range l.sessions {
		ids[i] = l.sessions[i].ID
	}
	return ids
}

// step is the next step, with one message per text; user and assistant speak
// in turn. Nothing is stored yet.
func (l *talk) step(t tb, st Store, texts ...string) lineage.Step {
	t.Helper()
	l.now = l.now.Add(time.Second)
	s := lineage.Step{Session: l.tip(), Opened: len(l.messages) == 0 && len(l.sessions) == 1}
	l.fill(t, st, &s, texts)
	return s
}

// fold is the next step when it opens a child session.
func (l *talk) fold(t tb, st Store, child session.ID, texts ...string) lineage.Step {
	t.Helper()
	l.now = l.now.Add(time.Second)
	parent := l.tip()
	parent.EndedAt, parent.EndReason = l.now, session.EndCompression
	s := lineage.Step{Ended: &parent, Opened: true, Session: l.tip()}
	next := &s.Session
	next.ID, next.ParentID, next.Generation = child, parent.ID, parent.Generation+1
	next.StartedAt, next.MessageCount, next.ToolCallCount = l.now, 0, 0
	next.TailFrom, next.Summary = next.NextSeq, fmt.Sprintf("- folded %d times", next.Generation)
	l.fill(t, st, &s, texts)
	return s
}

// fill adds messages to a step and counts them.
func (l *talk) fill(t tb, st Store, s *lineage.Step, texts []string) {
	t.Helper()
	first, err := st.ReserveMessageIDs(context.Background(), l.o, max(1, len(texts)))
	if err != nil {
		t.Fatalf("reserve message ids: %v", err)
	}
	tip := &s.Session
	for i, text := range texts {
		m := session.Message{
			ID: first + int64(i), SessionID: tip.ID, RootID: tip.RootID, Seq: tip.NextSeq, Key: l.key,
			Role: session.User, Content: text, SaidAt: l.now, RecordedAt: l.now, Tokens: len(text),
		}
		if m.Seq%2 == 1 {
			m.Role, m.FinishReason, m.Model = session.Assistant, "stop", "model-1"
		}
		sum := sha256.Sum256([]byte(text))
		m.Hash = sum[:]
		s.Messages = append(s.Messages, m)
		tip.NextSeq++
		tip.MessageCount++
		tip.LineageTokens += int64(m.Tokens)
	}
	tip.Key, tip.Model, tip.LastActive = l.key, "model-1", l.now
}

// commit stores a step that must succeed.
func (l *talk) commit(t tb, st Store, s lineage.Step) {
	t.Helper()
	if err := st.AppendTurn(context.Background(), l.o, s); err != nil {
		t.Fatalf("append turn to %q: %v", s.Session.ID, err)
	}
	l.hold(s)
}

// hold notes a step that was stored.
func (l *talk) hold(s lineage.Step) {
	if s.Ended != nil {
		last := &l.sessions[len(l.sessions)-1]
		last.EndedAt, last.EndReason = s.Ended.EndedAt, s.Ended.EndReason
		l.sessions = append(l.sessions, s.Session)
	} else {
		l.sessions[len(l.sessions)-1] = s.Session
	}
	l.messages = append(l.messages, s.Messages...)
}

// say stores a step of the given texts.
func (l *talk) say(t tb, st Store, texts ...string) {
	t.Helper()
	l.commit(t, st, l.step(t, st, texts...))
}

// check compares everything the store returns of the lineage with what was written.
func (l *talk) check(t tb, st Store) {
	t.Helper()
	ctx := context.Background()
	for _, s := range l.sessions {
		tip, err := st.Tip(ctx, l.o, s.ID)
		if err != nil {
			t.Fatalf("tip of %q: %v", s.ID, err)
		}
		same(t, fmt.Sprintf("tip of %q", s.ID), tip, l.tip())
		own, err := st.Session(ctx, l.o, s.ID)
		if err != nil {
			t.Fatalf("session %q: %v", s.ID, err)
		}
		same(t, fmt.Sprintf("session %q", s.ID), own, s)
	}
	ms, err := st.Messages(ctx, l.o, l.root(), session.Range{})
	if err != nil {
		t.Fatalf("messages of %q: %v", l.root(), err)
	}
	same(t, fmt.Sprintf("messages of %q", l.root()), ms, l.messages)
	all, err := st.Sessions(ctx, l.o, session.Filter{Lineage: l.root()})
	if err != nil {
		t.Fatalf("sessions of %q: %v", l.root(), err)
	}
	same(t, fmt.Sprintf("sessions of %q", l.root()), all, l.sessions)
}

// same compares what a store returned with what it should have.
func same(t tb, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // megabytes of bytes, which a difference is sought in one by one
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: got (+), want (-):\n%s", what, diff)
	}
}

// kind checks the kind of an error; "" means that there must be none.
func kind(t tb, what string, err error, want fault.Kind) {
	t.Helper()
	if got := fault.KindOf(err); got != want {
		t.Errorf("%s: got %q (%v), want %q", what, got, err, want)
	}
}

// refusedAlike checks that two refusals cannot be told apart.
func refusedAlike(t tb, what string, absent, foreign error) {
	t.Helper()
	kind(t, what+", absent", absent, fault.NotFound)
	kind(t, what+", foreign", foreign, fault.NotFound)
	if absent != nil && foreign != nil && (absent.Error() != foreign.Error() || fault.CodeOf(absent) != fault.CodeOf(foreign)) {
		t.Errorf("%s: got %q for a foreign id and %q for an absent one, want the same", what, foreign, absent)
	}
}

// rootsOf are the roots of a list of sessions.
func rootsOf(list []session.Session) []session.ID {
	var out []session.ID
	for i := range list {
		out = append(out, list[i].RootID)
	}
	return out
}

// sortedIDs returns ids in order, for comparisons that have none.
func sortedIDs(ids []session.ID) []session.ID {
	return slices.Sorted(slices.Values(ids))
}

// documentsOf are the documents of messages.
func documentsOf(ms []session.Message) []ranking.Document {
	var out []ranking.Document
	for i := range ms {
		out = append(out, ranking.DocumentOf(&ms[i]))
	}
	return out
}
