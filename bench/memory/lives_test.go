package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLives plays a small life: what was told is asked in order of time, and a question
// is not learnt.
func TestLives(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, time.March, day, 9, 0, 0, 0, time.UTC) }
	l := life{
		ID: "small",
		Messages: []lifeMessage{
			{ID: "m1", Time: at(1), Role: "user", Text: "My sister lives in Rome."},
			{ID: "m2", Time: at(1), Role: "assistant", Text: "Noted."},
			{ID: "m3", Time: at(10), Role: "user", Text: "My sister lives in Milan now."},
		},
		Asked: []lifeQuestion{
			{ID: "q2", Question: "Where does my sister live?", AskedAt: at(11), Told: true, Overlap: "same", Language: "en", Must: []string{"milan"}, MustNot: []string{"oslo"}},
			{ID: "q1", Question: "Where does my sister live?", AskedAt: at(2), Told: true, Overlap: "same", Language: "en", Must: []string{"rome"}},
			{ID: "q3", Question: "What is my shoe size?", AskedAt: at(12), Overlap: "none", Language: "en"},
			{ID: "q4", Question: "Where does my sister live?", AskedAt: at(12), Told: true, Overlap: "other", Language: "de", Must: []string{"oslo"}},
		},
	}
	got := make(tally)
	p := player{life: &l}
	if err := p.play(got, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, measure, want string }{
		{told, right, "2/3"}, {told, shown, "2/3"}, {told, wrong, "1/3"}, {never, answered, "0/1"},
		{"same words", right, "2/2"}, {"other words", right, "0/1"}, {"other languages", wrong, "1/1"},
	} {
		if f := got.of(c.measure, c.kind); f.share() != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.kind, c.measure, f.share(), c.want)
		}
	}
}

// TestLoadLives reads the development set and finds the parts that models learn from.
func TestLoadLives(t *testing.T) {
	t.Parallel()
	all, err := loadLives("")
	if err != nil {
		t.Fatal(err)
	}
	n := make(map[string]int)
	for i := range all {
		l := &all[i]
		n["messages"] += len(l.Messages)
		n["updates"] += len(l.Updates)
		n["not updates"] += len(l.NotUpdates)
		n["questions"] += len(l.Asked)
		n["noise"] += len(l.Noise)
		n["spans"] += len(l.NoiseSpans)
		n["wishes"] += len(l.Standing) + len(l.Withdrawn)
		for _, s := range l.NoiseSpans {
			if !strings.Contains(l.message(s.ID).Text, s.Text) {
				t.Errorf("%s does not contain %q", s.ID, s.Text)
			}
		}
	}
	want := map[string]int{"messages": 660, "updates": 126, "not updates": 97, "questions": 434, "noise": 177, "spans": 4, "wishes": 13}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{
		`{"scopes":[{"id":"x","updates":[{"older":"m1","newer":"m2"}]}]}`,
		`{"scopes":[{"id":"x","questions":[{"must":["("]}]}]}`,
	} {
		if _, err := parseLives([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// TestGold holds the patterns of both sets against what they are to accept: the gold is a
// right answer to its own question.
func TestGold(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{"first": firstContact, "second": secondContact} {
		all, err := parseLives(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range all {
			for k := range all[i].Asked {
				q := &all[i].Asked[k]
				if !q.Told {
					continue
				}
				has, err := q.answeredBy(q.Gold)
				if err != nil || !has {
					t.Errorf("%s: %q is no answer to %q", q.ID, q.Gold, q.Question)
				}
				if bad, err := countOf(q.MustNot, q.Gold); err != nil || bad > 0 {
					t.Errorf("%s: %q has what its answer must not have", q.ID, q.Gold)
				}
			}
		}
	}
}
