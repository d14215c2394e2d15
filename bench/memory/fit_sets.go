package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// addLife adds the questions of a life, each asked when it was asked.
func (t *training) addLife(l *life) {
	s, x, next := set{name: l.ID}, ranking.New(), 0
	asked := slices.Clone(l.Asked)
	slices.SortStableFunc(asked, func(a, b lifeQuestion) int { return a.AskedAt.Compare(b.AskedAt) })
	for i := range asked {
		q := &asked[i]
		for ; next < len(l.Messages) && !l.Messages[next].Time.After(q.AskedAt); next++ {
			m := &l.Messages[next]
			x.Add(ranking.Document{
				MessageID: int64(next + 1), SessionID: session.ID(m.Session), Root: session.ID(m.Session), Seq: int64(next),
				Role: session.Role(m.Role), Text: m.Text, SaidAt: m.Time,
			})
		}
		a := list{question: &question{text: q.Question, kind: told}, asked: q, life: l}
		if !q.Told {
			a.question.kind = never
		}
		a.find(x, ranking.Query{Text: q.Question, At: q.AskedAt}, func(place int) bool {
			return q.Told && slices.Contains(q.Evidence, l.Messages[place].ID)
		})
		s.lists = append(s.lists, a)
	}
	t.sets = append(t.sets, s)
}

// addRounds adds the conversations of the rounds, several of them as one scope.
func (t *training) addRounds() error {
	for _, r := range []struct {
		name  string
		text  []byte
		scope int // how many conversations are one scope
	}{{"asked", asked, 10}, {"retold", retold, 1}, {"team", team, 26}} {
		all, err := parse(r.text)
		if err != nil {
			return err
		}
		for part := range slices.Chunk(all, r.scope) {
			t.sets = append(t.sets, set{name: fmt.Sprint(r.name, len(t.sets)), lists: askedTogether(part)})
		}
	}
	return nil
}

// askedTogether tells conversations in one scope, with small talk, and asks all questions.
// Evidence is what has the answer's words in the question's conversation.
func askedTogether(all []conversation) (out []list) {
	x, seq, now := ranking.New(), 0, time.Date(2026, time.March, 21, 10, 0, 0, 0, time.UTC)
	tell := func(name string, role session.Role, text string) {
		x.Add(ranking.Document{
			MessageID: int64(seq + 1), SessionID: session.ID(name), Root: session.ID(name), Seq: int64(seq), Role: role, Text: text, SaidAt: now,
		})
		seq, now = seq+1, now.Add(time.Minute)
	}
	places := make([][]int, len(all))
	for c := range all {
		for i, d := range all[c].documents {
			if i%3 == 0 {
				user, assistant := chatter(seq)
				tell(all[c].name, session.User, user)
				tell(all[c].name, session.Assistant, assistant)
			}
			places[c] = append(places[c], seq)
			tell(all[c].name, d.Role, d.Text)
			now = now.Add(time.Hour)
		}
	}
	for c := range all {
		for i := range all[c].questions {
			l := list{question: &all[c].questions[i]}
			l.find(x, ranking.Query{Text: l.question.text, At: now}, func(place int) bool {
				at := slices.Index(places[c], place)
				return at >= 0 && l.question.kind == told && holds(all[c].documents[at].Text, l.question.answer)
			})
			out = append(out, l)
		}
	}
	return out
}

// printLives reports where evidence stands among the user's messages, by weights made
// without each life. It returns the main figure in a line.
func (t *training) printLives(w io.Writer, weights func(without string) []float64) string {
	got := make(tally)
	for i := range t.sets {
		if len(t.sets[i].lists) == 0 || t.sets[i].lists[0].life == nil {
			continue
		}
		made := weights(t.sets[i].name)
		for k := range t.sets[i].lists {
			if l := &t.sets[i].lists[k]; l.asked.Told {
				rank := l.firstEvidence(l.scores(made, nil))
				for _, kind := range l.asked.kinds() {
					for _, most := range []int{1, 3, 10} {
						got.hit(kind, fmt.Sprint(most), rank <= most)
					}
				}
			}
		}
	}
	fmt.Fprintln(w, "| evidence among the first user messages | 1 | 3 | 10 |\n|---|---|---|---|")
	for _, kind := range []string{"same words", "other words", "en", "other languages", told} {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", kind, got.of("1", kind).percent(), got.of("3", kind).percent(), got.of("10", kind).percent())
	}
	return "lives, each left out: evidence among the first three in " + got.of("3", "other words").percent() + " asked in other words"
}

// firstEvidence is the rank of the first evidence among the user's messages, from 1.
func (l *list) firstEvidence(scores []float64) int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	rank := 1
	for _, i := range order {
		if slices.Contains(l.wanted, i) {
			return rank
		}
		if l.life.Messages[l.hits[i].Seq].Role == string(session.User) {
			rank++
		}
	}
	return len(l.life.Messages) + 1
}

// kinds are the rows that a question of what was told counts in.
func (q *lifeQuestion) kinds() []string {
	tongue := "other languages"
	if q.Language == "en" {
		tongue = "en"
	}
	return []string{told, q.Overlap + " words", tongue}
}
