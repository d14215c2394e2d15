package run_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestFactPages: a page that is read from the store is that of all facts, whatever is asked
// for, and whatever is learnt, replaced, undone and forgotten between two pages.
func TestFactPages(t *testing.T) {
	t.Parallel()
	n := 0
	h := setup(t, 4000)
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := &scopedTalk{h: h, rt: rt, owner: owner.Stored(fmt.Sprintf("reader%d", n)), sent: map[session.ID][]string{}, keys: []string{"p"}}
		for range rapid.IntRange(6, 16).Draw(rt, "before") {
			h.now = h.now.Add(time.Hour)
			s.step()
		}
		for q, more := factQuery(rt, h.now), true; more; {
			page := s.page(memory.Scope{Key: "p"}, q)
			s.past(memory.Scope{Key: "p", AsOf: hoursBefore(rt, h.now)}, q)
			if more = page.More; !more {
				break
			}
			last := &page.Facts[len(page.Facts)-1]
			q.After = memory.FactCursor{Message: last.Source.MessageID, ID: last.ID}
			switch rapid.IntRange(0, 3).Draw(rt, "changes") {
			case 0, 1:
				s.step()
			case 2: // the fact that the cursor names
				if _, err := h.curator.ForgetFact(t.Context(), s.owner, memory.Scope{Key: "p"}, last.ID); err != nil {
					rt.Fatal(err)
				}
				clear(s.sent)
			}
		}
	})
}

// past reads a page of what was known, and the memory of then.
func (s *scopedTalk) past(scope memory.Scope, q memory.FactQuery) {
	got, err := s.h.curator.FactPage(context.Background(), s.owner, scope, q)
	if err != nil {
		s.rt.Fatal(err)
	}
	v, err := s.h.views.Past(context.Background(), s.owner, scope)
	if err != nil {
		s.rt.Fatal(err)
	}
	known := v.Facts()
	for i := range known {
		known[i].Replaces = "" // it is not stored
	}
	if diff := cmp.Diff(q.Page(known), got); diff != "" {
		s.rt.Fatalf("scope %+v, query %+v: (-memory +page)\n%s", scope, q, diff)
	}
}

// hoursBefore is a time of the talk.
func hoursBefore(rt *rapid.T, now time.Time) time.Time {
	return now.Add(-time.Duration(rapid.IntRange(0, 12).Draw(rt, "hours")) * time.Hour)
}

// page reads a page in both ways.
func (s *scopedTalk) page(scope memory.Scope, q memory.FactQuery) memory.FactPage {
	got, err := s.h.curator.FactPage(context.Background(), s.owner, scope, q)
	if err != nil {
		s.rt.Fatal(err)
	}
	all, err := s.h.curator.Facts(context.Background(), s.owner, scope)
	if err != nil {
		s.rt.Fatal(err)
	}
	for i := range all {
		all[i].Replaces = "" // it is not stored
	}
	topic := rapid.SampledFrom([]string{"", "", "redis", "database"}).Draw(s.rt, "topic")
	steps, err := s.h.curator.Timeline(context.Background(), s.owner, scope, topic)
	if err != nil {
		s.rt.Fatal(err)
	}
	line, err := s.h.curator.TimelinePage(context.Background(), s.owner, scope, topic, q)
	if err != nil {
		s.rt.Fatal(err)
	}
	for _, list := range [][]memory.Fact{steps, line.Facts} {
		for i := range list {
			list[i].Replaces = ""
		}
	}
	if diff := cmp.Diff(q.Cut(steps, nil), line); diff != "" {
		s.rt.Fatalf("timeline of %q, query %+v: (-all +page)\n%s", topic, q, diff)
	}
	if diff := cmp.Diff(q.Page(all), got); diff != "" {
		s.rt.Fatalf("scope %+v, query %+v: (-all +page)\n%s", scope, q, diff)
	}
	return got
}

// factQuery is any query for facts. Most select many.
func factQuery(rt *rapid.T, now time.Time) memory.FactQuery {
	q := memory.FactQuery{Latest: rapid.Bool().Draw(rt, "latest"), Limit: rapid.IntRange(1, 3).Draw(rt, "limit")}
	switch rapid.IntRange(0, 6).Draw(rt, "what") {
	case 0:
		q.Kind = rapid.SampledFrom([]memory.Kind{memory.Decision, memory.Preference, memory.Retraction, memory.ReversalKind, "odd"}).Draw(rt, "kind")
	case 1:
		q.Status = rapid.SampledFrom([]memory.Status{memory.CurrentStatus, memory.ReversedStatus}).Draw(rt, "status")
	case 2:
		yes := rapid.Bool().Draw(rt, "asserted")
		q.Asserted = &yes
	case 4:
		q.HeldAt = hoursBefore(rt, now)
	case 3:
		q.Words = rapid.SampledFrom([]string{"redis", "mo", "is ", "k", "zebra"}).Draw(rt, "words")
	}
	return q
}
