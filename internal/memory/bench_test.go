package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
