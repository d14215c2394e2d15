package main

import (
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// transcript is a made-up conversation and what was planted in it.
type transcript struct {
	conversation
	items []*item // to be retained
	traps []*item // never to be asserted
}

// start is when every transcript begins: a Monday.
var start = time.Date(2024, 1, 8, 8, 0, 0, 0, time.UTC)

// turnGap is the time between two turns.
const turnGap = 3*time.Hour + 17*time.Minute

// generate makes a transcript of n messages. Every tenth message or so tells
// something, and half as many only seem to.
func generate(n int, seed uint64) *transcript {
	d := newDice(seed)
	t := &transcript{}
	count := max(len(sorts), n/10)
	for i := range count {
		it := d.make(sorts[i%len(sorts)])
		t.items = append(t.items, it)
		t.questions = append(t.questions, question{kind: it.sort, text: it.question, answer: it.keys})
	}
	for i := range max(len(distractors)-2, count/2) {
		t.traps = append(t.traps, d.make(distractors[i%len(distractors)]))
	}
	t.plant(d, n/2, d.fillerTurn, d.fillerAnswer)
	return t
}

// plant spreads what is to be told over turns, and fills the others.
func (t *transcript) plant(d *dice, turns int, fillerTurn, fillerAnswer func() string) {
	users := make([]string, turns)
	answers := make([]saying, turns)
	all := slices.Concat(t.items, t.traps)
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	taken := make([]bool, turns)
	for _, it := range all {
		d.place(it, taken, users, answers)
	}
	for i := range turns {
		at := start.Add(time.Duration(i) * turnGap)
		if users[i] == "" {
			users[i] = fillerTurn()
		}
		if answers[i].text == "" {
			answers[i] = saying{text: fillerAnswer(), role: session.Assistant}
		}
		t.add(session.User, users[i], at)
		t.add(answers[i].role, answers[i].text, at.Add(time.Minute))
	}
}

// add appends a message.
func (t *transcript) add(role session.Role, text string, at time.Time) {
	seq := int64(len(t.documents))
	t.documents = append(t.documents, ranking.Document{
		MessageID: seq + 1, SessionID: "s", Root: "s", Seq: seq, Role: role, Text: text, SaidAt: at,
	})
}

// place gives each message of an item a turn, in order, uniformly spread.
func (d *dice) place(it *item, taken []bool, users []string, answers []saying) {
	apart := 0
	for _, s := range it.sayings {
		if !s.next {
			apart++
		}
	}
	var turns []int
	for tries := 0; len(turns) < apart && tries < 100000; tries++ {
		i := d.IntN(len(taken) - 1)
		if slices.Contains(taken[i:i+2], true) || slices.Contains(turns, i) {
			continue
		}
		turns = append(turns, i)
	}
	slices.Sort(turns)
	for len(turns) < apart { // no room left: the rest shares the last turn
		turns = append(turns, len(taken)-2)
	}
	next, at := 0, 0
	for _, s := range it.sayings {
		if s.next {
			at++
		} else {
			at = turns[next]
			next++
		}
		taken[at] = true
		seq := int64(2 * at)
		if s.role == session.User {
			users[at] = d.bury(s, users[at])
		} else {
			answers[at] = s
			seq++
		}
		it.seqs = append(it.seqs, seq)
		it.said = start.Add(time.Duration(at) * turnGap)
	}
}

// bury puts a third of what is told in the middle of a long message.
func (d *dice) bury(s saying, already string) string {
	text := s.text
	if already != "" {
		text = already + "\n" + text
	}
	if s.next || s.short || d.IntN(3) > 0 || text[0] == '>' {
		return text
	}
	return d.paragraph(3+d.IntN(5)) + " " + text + " " + d.paragraph(3+d.IntN(5))
}
