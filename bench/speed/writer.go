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

// message is the i-th message: a question now and then, else what people write
// to an assistant at work: one thing that happened with its reason, one that is
// so, and talk around them.
func (w *writer) message(i int) string {
	if i%5 == 4 {
		return fmt.Sprintf("What did %s say about the %s %s, and when was that?", w.pick(people), w.pick(adjectives), w.pick(things))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s the %s %s in %s because the %s was %s by %d percent. ",
		w.pick(people), w.pick(verbs), w.pick(adjectives), w.pick(things), w.pick(places), w.pick(things), w.pick(states), w.r.IntN(500))
	fmt.Fprintf(&b, "The %s %s runs in %s on %d machines. ", w.pick(adjectives), w.pick(things), w.pick(places), 2+w.r.IntN(90))
	for range 3 {
		fmt.Fprintf(&b, w.pick(talk), w.pick(people), w.pick(adjectives), w.pick(things))
	}
	return b.String()
}

var (
	talk = []string{
		"Could you go over that with %s once more before anybody touches the %s %s again? ",
		"Maybe %s would rather look at the %s %s first, but let us not decide that today. ",
		"Please write a short note to %s about the %s %s in plain words, nothing long. ",
		"If %s asks, I would say that the %s %s can wait until the rest has settled down. ",
		"How would you explain to %s what that means for the %s %s in the coming weeks? ",
	}
	people     = strings.Fields("Ada Boris Carmen Dmitri Elena Farid Greta Hiro Ines Jonas Kavya Liam Mona Nadia Omar Petra Quentin Rosa Sven Tariq")
	verbs      = strings.Fields("moved tested rewrote dropped measured replaced shipped reviewed delayed planned merged restored audited split renamed")
	adjectives = strings.Fields("old new slow billing nightly shared frozen public staging regional experimental legacy mobile internal encrypted")
	things     = strings.Fields("scheduler gateway report ledger importer parser dashboard queue invoice cluster schema contract index backup pipeline replica")
	places     = strings.Fields("Lisbon Oslo Nairobi Quito Hanoi Tartu Porto Lima Graz Cork Malmo Riga Turin Kyoto Accra")
	states     = strings.Fields("late broken faster heavier cheaper smaller overdue unstable duplicated throttled")
)
