package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer makes messages of about a hundred tokens that are never alike: text
// that repeats would flatter every cache and every index.
type writer struct{ r *rand.Rand }

func newWriter(seed uint64) *writer { return &writer{rand.New(rand.NewPCG(seed, 42))} }

func (w *writer) pick(words []string) string { return words[w.r.IntN(len(words))] }

// message is the i-th message: a question now and then, else statements.
func (w *writer) message(i int) string {
	if i%5 == 4 {
		return fmt.Sprintf("What did %s say about the %s %s, and when was that?", w.pick(people), w.pick(adjectives), w.pick(things))
	}
	var b strings.Builder
	for range 5 + w.r.IntN(3) {
		fmt.Fprintf(&b, "%s %s the %s %s in %s because the %s was %s by %d percent. ",
			w.pick(people), w.pick(verbs), w.pick(adjectives), w.pick(things), w.pick(places), w.pick(things), w.pick(states), w.r.IntN(500))
	}
	return b.String()
}

var (
	people     = strings.Fields("Ada Boris Carmen Dmitri Elena Farid Greta Hiro Ines Jonas Kavya Liam Mona Nadia Omar Petra Quentin Rosa Sven Tariq")
	verbs      = strings.Fields("moved tested rewrote dropped measured replaced shipped reviewed delayed planned merged restored audited split renamed")
	adjectives = strings.Fields("old new slow billing nightly shared frozen public staging regional experimental legacy mobile internal encrypted")
	things     = strings.Fields("scheduler gateway report ledger importer parser dashboard queue invoice cluster schema contract index backup pipeline replica")
	places     = strings.Fields("Lisbon Oslo Nairobi Quito Hanoi Tartu Porto Lima Graz Cork Malmo Riga Turin Kyoto Accra")
	states     = strings.Fields("late broken faster heavier cheaper smaller overdue unstable duplicated throttled")
)
