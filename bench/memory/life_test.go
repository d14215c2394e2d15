package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// TestGold holds the patterns of all sets against what they are to accept: the gold is a
// right answer to its own question.
func TestGold(t *testing.T) {
	t.Parallel()
	own, err := ownLives()
	if err != nil {
		t.Fatal(err)
	}
	sets := [][]life{own}
	for name, data := range map[string][]byte{"first": firstContact, "second": secondContact} {
		all, err := parseLives(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sets = append(sets, all)
	}
	for _, all := range sets {
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
