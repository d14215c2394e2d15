package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

const hundred = `Hey, so we had a long discussion yesterday about the storage layer. In the end we decided to move from Postgres to CockroachDB because the replication lag kept breaking our reports. The migration is planned for next Tuesday and should take about 3 hours. I prefer to do it at night. By the way, my new phone number is in the wiki. Could you remind me how the connection pool is configured? If the load gets too high we might add a second node, but Anna thinks that this is not needed for now.`

func BenchmarkDistill(b *testing.B) {
	d := ranking.Document{Root: "r", Seq: 5, Role: session.User, Text: hundred, SaidAt: time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)}
	b.ReportAllocs()
	for b.Loop() {
		Distill(d, nil)
	}
}

func bigState(n int) *State {
	s := NewState()
	at := time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)
	names := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon")
	for i := 0; s.Len() < n; i++ {
		text := fmt.Sprintf("The %s %s limit%d is %d MB because the %s box is small.", names[i%20], names[i/20%20], i/400, i, names[i/7%20])
		s.Learn(Distill(ranking.Document{Root: "r", Seq: int64(i), Role: session.User, Text: text, SaidAt: at.Add(time.Duration(i) * time.Hour)}, nil))
	}
	return s
}

func BenchmarkBlock(b *testing.B) {
	s := bigState(5000)
	count := func(s string) int { return (len(s) + 3) / 4 }
	for b.Loop() {
		s.Block(2000, count, BlockOptions{})
	}
}

func BenchmarkMatch(b *testing.B) {
	s := bigState(5000)
	b.ReportAllocs()
	for b.Loop() {
		s.Match("What is the alpha limit and which database do we use?", time.Now(), 10)
	}
}

func BenchmarkLearn(b *testing.B) {
	for _, n := range []int{100, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := bigState(n)
			at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
			i := 0
			for b.Loop() {
				i++
				s.Learn(Distill(ranking.Document{Root: "r", Seq: int64(100000 + i), Role: session.User, Text: "The alpha beta limit0 is 17 MB because the pi box is small.", SaidAt: at}, nil))
			}
		})
	}
}

// BenchmarkTurn is what a turn asks of the facts of a scope, which rest on an archive: to learn
// a message full of facts, to answer it, and to show a block.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{100, 10_000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			s := restingState(b, messages)
			b.ReportAllocs()
			for n := int64(messages); b.Loop(); n += 2 {
				d := dense(n + 1)
				s.Learn(Distill(d, nil))
				s.Match(d.Text, d.SaidAt, 10)
				s.Block(1000, quarter, BlockOptions{Now: d.SaidAt})
			}
		})
	}
}

// restingState is a state that has learnt messages. Pieces index the facts of most of them,
// each a quarter of the one before; all facts are in memory, as after an import.
func restingState(b *testing.B, messages int) *State {
	s, kept := NewState(), newRows()
	for n := range int64(messages) {
		kept.write(s.Learn(Distill(dense(n+1), nil)))
	}
	on, cache := &stored{source: &source{ctx: b.Context(), store: kept}}, piece.NewCache(64<<20)
	for first, left := int64(1), int64(messages); left > 64; left /= 4 {
		kept.extend(b, on, cache, Span{first, first + left*3/4 - 1})
		first += left * 3 / 4
	}
	s.rest(on, on.last())
	return s
}

// dense is a message with a number whose sentences tell facts.
func dense(n int64) ranking.Document {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	pick := func(words string) string { all := strings.Fields(words); return all[r.IntN(len(all))] }
	const (
		people     = "Ada Boris Carmen Dmitri Elena Farid Greta Hiro Ines Jonas Kavya Liam Mona Nadia Omar Petra Quentin Rosa Sven Tariq"
		verbs      = "moved tested rewrote dropped measured replaced shipped reviewed delayed planned merged restored audited split renamed"
		adjectives = "old new slow billing nightly shared frozen public staging regional experimental legacy mobile internal encrypted"
		things     = "scheduler gateway report ledger importer parser dashboard queue invoice cluster schema contract index backup pipeline"
		places     = "Lisbon Oslo Nairobi Quito Hanoi Tartu Porto Lima Graz Cork Malmo Riga Turin Kyoto Accra"
		states     = "late broken faster heavier cheaper smaller overdue unstable duplicated throttled"
	)
	text := fmt.Sprintf("%s %s the %s %s in %s because the %s was %s by %d percent. The %s %s runs in %s on %d machines. "+
		"If %s asks, I would say that the %s %s can wait until the rest has settled down.",
		pick(people), pick(verbs), pick(adjectives), pick(things), pick(places), pick(things), pick(states), r.IntN(500),
		pick(adjectives), pick(things), pick(places), 2+r.IntN(90), pick(people), pick(adjectives), pick(things))
	d := spoken(n, session.User, text)
	d.MessageID, d.SaidAt = n, firstDay.Add(time.Duration(n)*time.Hour)
	return d
}
