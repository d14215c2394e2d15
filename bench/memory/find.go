package main

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// The measures of one ranked list, each from 0 to 1.
const (
	recallAt5  = "R@5" // share of the evidence turns among the first 5
	recallAt10 = "R@10"
	recallAt20 = "R@20"
	within500  = "in 500" // share of the evidence in the turns that fit 500 tokens
	within1000 = "1,000"
	within2000 = "2,000"
	session1   = "ses@1" // a session with evidence has the first turn
	session5   = "ses@5" // … is among the first five sessions
)

// searchLimit is enough turns to fill 2,000 tokens.
const searchLimit = 128

// found is how one question's evidence was found.
type found map[string]float64

// find measures one ranked list.
func find(c *conversation, q *question, hits []ranking.Hit, tokens []int) found {
	out := found{recallAt5: 0, recallAt10: 0, recallAt20: 0, within500: 0, within1000: 0, within2000: 0}
	out[session1], out[session5] = sessionsFound(c, q, hits)
	firsts := []struct {
		measure string
		turns   int
	}{{recallAt5, 5}, {recallAt10, 10}, {recallAt20, 20}}
	rooms := []room{{within500, 500, 0}, {within1000, 1000, 0}, {within2000, 2000, 0}}
	share := 1 / float64(len(q.evidence))
	for rank, h := range hits {
		place := int(h.Seq)
		wanted := slices.Contains(q.evidence, place)
		for i := range rooms {
			if rooms[i].take(tokens[place]) && wanted {
				out[rooms[i].measure] += share
			}
		}
		for _, f := range firsts {
			if wanted && rank < f.turns {
				out[f.measure] += share
			}
		}
	}
	return out
}

// sessionsFound tells whether the first hit, and whether one of the first five
// sessions, is of a session with evidence.
func sessionsFound(c *conversation, q *question, hits []ranking.Hit) (first, five float64) {
	var sessions []string
	for _, h := range hits {
		if name := string(h.SessionID); len(sessions) < 5 && !slices.Contains(sessions, name) {
			sessions = append(sessions, name)
		}
	}
	for _, e := range q.evidence {
		switch slices.Index(sessions, string(c.documents[e].SessionID)) {
		case -1:
		case 0:
			return 1, 1
		default:
			five = 1
		}
	}
	return 0, five
}

// room is filled as a turn fills its quotes: in the order of the hits, passing
// over one that does not fit.
type room struct {
	measure     string
	limit, used int
}

func (r *room) take(tokens int) bool {
	if r.used+tokens > r.limit {
		return false
	}
	r.used += tokens
	return true
}
