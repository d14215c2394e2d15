package run_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestScopesLearnTheirOwnMessages: two sessions send session keys with some of their turns.
// They contradict themselves, forget, undo, resend edited histories, and the program
// restarts. After each step a rebuild learns from every scope's messages what is stored,
// and the views in use hold the same.
func TestScopesLearnTheirOwnMessages(t *testing.T) {
	t.Parallel()
	n := 0
	h := setup(t, 4000)
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := &scopedTalk{h: h, rt: rt, owner: owner.Stored(fmt.Sprintf("owner%d", n)), sent: map[session.ID][]string{}, keys: []string{"", "p", "q"}}
		for range rapid.IntRange(2, 10).Draw(rt, "steps") {
			s.step()
			s.check()
		}
		s.rebuild()
	})
}

// TestKeyAfterKeylessTurn are the shortest sessions in which the scopes of one lineage once
// shared facts.
func TestKeyAfterKeylessTurn(t *testing.T) {
	t.Parallel()
	for _, said := range [][2]string{
		{"I prefer Redis.", "No, that's wrong, it's Mongo."},
		{"We use Redis for the database.", "Actually we switched to Mongo for the database."},
	} {
		h := setup(t, 4000)
		h.chat("s", said[0], false)
		h.mustTurn(&run.Request{Session: "s", Key: "key", Messages: user(said[1])})
		h.verify()
		for _, b := range h.beliefs(memory.Scope{Root: "s"}) {
			if !strings.HasSuffix(b, "current=true links=0") || strings.Contains(b, "Mongo") {
				t.Errorf("got %s, want the lineage's own fact, unchanged by a message of the key", b)
			}
		}
	}
}

// scopedTalk are two sessions that send session keys with some turns.
type scopedTalk struct {
	h     *house
	rt    *rapid.T
	owner owner.Owner             // each run has another one, and so a memory of its own
	sent  map[session.ID][]string // what each client holds: the inputs and their answers
	keys  []string                // that the turns may have
	old   []session.ID            // sessions of another program, said long ago
}

// step makes one turn, forgets, undoes, takes an old session over, deletes one, or restarts.
func (s *scopedTalk) step() {
	id := session.ID(rapid.SampledFrom([]string{"a", "b"}).Draw(s.rt, "session"))
	switch rapid.IntRange(0, 16).Draw(s.rt, "what") {
	case 0:
		if _, err := s.h.curator.Forget(context.Background(), s.owner, s.thing(), false); err != nil {
			s.rt.Fatal(err)
		}
		clear(s.sent) // the next histories are sent without their past
	case 1, 2:
		if _, err := s.h.curator.Undo(context.Background(), s.owner, id); err != nil && fault.KindOf(err) != fault.NotFound {
			s.rt.Fatal(err)
		}
		s.sent[id] = s.sent[id][:max(0, len(s.sent[id])-2)]
	case 3:
		s.h.views = memory.NewViews(s.h.db, 64<<20)
		s.h.runner = s.h.runs(run.Config{Budgets: compression.Budgets{Default: 4000}}, nil)
	case 5:
		s.index()
	case 6, 7, 8:
		s.takeOver()
	case 9:
		s.withdraw()
	case 4: // the client goes back in its history and says something else
		s.sent[id] = s.sent[id][:2*rapid.IntRange(0, len(s.sent[id])/2).Draw(s.rt, "kept")]
		s.say(id)
	default:
		s.say(id)
	}
}

// index makes pieces of all scopes, of few messages and facts each.
func (s *scopedTalk) index() {
	keeper := memory.NewKeeper(s.h.views, slog.New(slog.DiscardHandler))
	keeper.Messages, keeper.Facts = memory.Sizes{Least: 3, Spare: 1}, memory.Sizes{Least: 2, Spare: 1}
	scopes, err := s.h.db.Scopes(context.Background(), s.owner)
	for i := range scopes {
		err = errors.Join(err, keeper.Keep(context.Background(), s.owner, scopes[i]))
	}
	if err != nil {
		s.rt.Fatal(err)
	}
}

// takeOver imports a session that was said in a year before those that are taken over already, or behind them.
func (s *scopedTalk) takeOver() {
	id, key := session.ID(fmt.Sprintf("old%d", len(s.old))), s.key()
	at := time.Date(rapid.IntRange(2001, 2009).Draw(s.rt, "year"), 3, 1, 12, 0, 0, 0, time.UTC)
	s.old = append(s.old, id)
	a := &curate.Archived{
		Owner:    s.owner,
		Sessions: []session.Session{{ID: id, RootID: id, Key: key, Source: "import", StartedAt: at, LastActive: at, NextSeq: 2}},
		Messages: func(yield func(session.Message, error) bool) {
			for seq := range int64(2) {
				text := fmt.Sprintf(rapid.SampledFrom(forms[:len(forms)-1]).Draw(s.rt, "form"), s.thing())
				said := at.Add(time.Duration(seq) * time.Hour)
				m := session.Message{SessionID: id, RootID: id, Key: key, Seq: seq, Role: session.User, Content: text, SaidAt: said, RecordedAt: said}
				if !yield(m, nil) {
					return
				}
			}
		},
	}
	got, err := s.h.curator.Import(context.Background(), a)
	if err == nil {
		err = s.h.curator.SettleKeys(context.Background(), s.owner, got.Keys)
	}
	if err != nil {
		s.rt.Fatal(err)
	}
}

// withdraw undoes the end of the last session that was taken over, or deletes it.
func (s *scopedTalk) withdraw() {
	n := len(s.old)
	if n == 0 {
		return
	}
	err := error(nil)
	if rapid.Bool().Draw(s.rt, "undone") {
		_, err = s.h.curator.Undo(context.Background(), s.owner, s.old[n-1])
	} else {
		_, err = s.h.curator.Delete(context.Background(), s.owner, s.old[n-1], nil)
		s.old = s.old[:n-1]
	}
	if err != nil {
		s.rt.Fatal(err)
	}
}

// forms are what is said of a thing; the last one names none.
var forms = []string{
	"We use %s for the database.", "Actually we switched to %s for the database.", "I prefer %s.", "No, that's wrong, it's %s.",
	"We went back to %s.", "%s is gone.", "I use %s because it is fast.", "I use %s because it is fast. We chose a plan because of its price.",
	"We switched to %s. We chose a day for it because of the holidays. I prefer Mondays.", "Forget that.",
}

// say sends the client's history and a new message.
func (s *scopedTalk) say(id session.ID) {
	form := rapid.SampledFrom(forms).Draw(s.rt, "form")
	text := form
	if form != "Forget that." {
		text = fmt.Sprintf(form, s.thing())
	}
	req := &run.Request{Owner: s.owner, Session: id, Key: s.key()}
	for i, text := range append(s.sent[id], text) {
		req.Messages = append(req.Messages, session.Message{Role: []session.Role{session.User, session.Assistant}[i%2], Content: text})
	}
	got := s.h.turn(req)
	if got.err != nil {
		s.rt.Fatal(got.err)
	}
	s.sent[id] = append(s.sent[id], text, got.text)
}

func (s *scopedTalk) thing() string {
	return rapid.SampledFrom([]string{"Redis", "Mongo", "MySQL"}).Draw(s.rt, "thing")
}

// key is the key of a turn; "" for a turn without one.
func (s *scopedTalk) key() session.Key {
	return session.Key(rapid.SampledFrom(s.keys).Draw(s.rt, "key"))
}

// check compares every scope's stored facts with its messages, and its view with the
// stored facts.
func (s *scopedTalk) check() {
	all, err := s.h.curator.Rebuild(context.Background(), s.owner, true)
	if err != nil {
		s.rt.Fatal(err)
	}
	for i := range all {
		if !all[i].Identical() {
			s.rt.Errorf("scope %+v: %d facts are stored, its messages say %d", all[i].Scope, all[i].Stored, all[i].Facts)
		}
		held, block := s.known(s.h.views, all[i].Scope)
		stored, storedBlock := s.known(memory.NewViews(s.h.db, 1<<20), all[i].Scope)
		if diff := cmp.Diff(stored, held); diff != "" {
			s.rt.Errorf("scope %+v: memory has (+), the store (-):\n%s", all[i].Scope, diff)
		}
		if diff := cmp.Diff(s.said(all[i].Scope), s.found(all[i].Scope)); diff != "" {
			s.rt.Errorf("scope %+v: a search finds (+), the messages say (-):\n%s", all[i].Scope, diff)
		}
		whole := memory.NewView()
		whole.Restore(stored)
		want := blockOf(whole)
		if diff := cmp.Diff(want, storedBlock); diff != "" {
			s.rt.Errorf("scope %+v: the store shows (+), its facts say (-):\n%s", all[i].Scope, diff)
		}
		if diff := cmp.Diff(want, block); diff != "" {
			s.rt.Errorf("scope %+v: memory shows (+), its facts say (-):\n%s", all[i].Scope, diff)
		}
	}
}

// said are the ids of the standing messages of a scope that name a database.
func (s *scopedTalk) said(scope memory.Scope) []int64 {
	var ids []int64
	err := s.h.db.Documents(context.Background(), s.owner, scope, 0, func(d ranking.Document) bool {
		if strings.Contains(d.Text, sought) && !session.Echo(d.Note) {
			ids = append(ids, d.MessageID)
		}
		return true
	})
	if err != nil {
		s.rt.Fatal(err)
	}
	return ids
}

// sought is a word that a search must find in every message that has it.
const sought = "Redis"

// found are the ids of the messages that a search in the view in use finds, and that name a
// database.
func (s *scopedTalk) found(scope memory.Scope) []int64 {
	view, leave, err := s.h.views.Use(context.Background(), s.owner, scope, false)
	if err != nil {
		s.rt.Fatal(err)
	}
	defer leave()
	var ids, found []int64
	for _, h := range view.Search(ranking.Query{Text: sought, Limit: 1000}) {
		ids = append(ids, h.MessageID)
	}
	for i, q := range view.Quotes(ids, func(s string) int { return len(s) }, false) {
		if strings.Contains(string(q.Line), sought) {
			found = append(found, ids[i])
		}
	}
	slices.Sort(found)
	return found
}

// blockOf is the block of a view, without a bound.
func blockOf(v *memory.View) string {
	return v.Block(100_000, func(s string) int { return len(s) / 4 }, memory.BlockOptions{}).Text
}

// known are the facts of a scope in a cache of views, and their block.
func (s *scopedTalk) known(views *memory.Views, scope memory.Scope) ([]memory.Fact, string) {
	view, leave, err := views.Use(context.Background(), s.owner, scope, false)
	if err != nil {
		s.rt.Fatal(err)
	}
	defer leave()
	facts := view.Facts()
	for i := range facts {
		facts[i].Replaces = "" // it is not stored
	}
	return facts, blockOf(view)
}

// rebuild replaces the stored facts and compares again.
func (s *scopedTalk) rebuild() {
	if _, err := s.h.curator.Rebuild(context.Background(), s.owner, false); err != nil {
		s.rt.Fatal(err)
	}
	s.check()
}
