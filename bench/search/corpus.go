package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

const (
	// perLineage is how many messages a lineage has.
	perLineage = 40
	// words is how many different words there are. The common ones stand in more
	// than one message of a hundred: hardly what a person looks for.
	words, common = 30_000, 600
	// oneIn is how many messages there are to each one in Chinese.
	oneIn = 50
)

// corpus makes messages. Message i is always the same.
type corpus struct {
	seed  uint64
	words []string
}

func newCorpus(seed uint64) *corpus {
	c := &corpus{seed: seed, words: make([]string, words)}
	r := rand.New(rand.NewPCG(seed, 0))
	seen := make(map[string]bool)
	for i := range c.words {
		for {
			b := make([]byte, 2+r.IntN(3)+r.IntN(2+min(i/100, 6)))
			for j := range b {
				if j%2 == 0 {
					b[j] = "bcdfghklmnprstvw"[r.IntN(16)]
				} else {
					b[j] = "aeiou"[r.IntN(5)]
				}
			}
			if !seen[string(b)] {
				c.words[i] = string(b)
				seen[string(b)] = true
				break
			}
		}
	}
	return c
}

// message is the words of message i, or its characters if it is in Chinese.
func (c *corpus) message(i int) []string {
	r := rand.New(rand.NewPCG(c.seed, uint64(i)+1))
	n := 5 + r.IntN(30)
	if i%2 == 1 {
		n = 30 + r.IntN(170)
	}
	out := make([]string, n)
	if i%oneIn == oneIn-1 {
		z := rand.NewZipf(r, 1.1, 20, 3000)
		for j := range out {
			out[j] = string(rune(0x4E00 + z.Uint64()))
		}
		return out
	}
	z := rand.NewZipf(r, 1.1, 5, words-1)
	for j := range out {
		out[j] = c.words[z.Uint64()]
	}
	return out
}

func (c *corpus) text(i int) string {
	between := " "
	if chinese(i) {
		between = ""
	}
	return strings.Join(c.message(i), between)
}

func chinese(i int) bool { return i%oneIn == oneIn-1 }

// fill stores messages and waits until they are indexed.
func fill(ctx context.Context, db *sqlite.DB, c *corpus, n int) error {
	start := time.Now()
	for first := 0; first < n; first += perLineage {
		if err := db.AppendTurn(ctx, owner.Local(), c.step(db, first, min(perLineage, n-first))); err != nil {
			return fmt.Errorf("store messages: %w", err)
		}
	}
	stored := time.Since(start)
	if _, err := search1(ctx, db, c.words[words-1]); err != nil { // waits
		return err
	}
	fmt.Printf("\nstored in %v, indexed after %v\n", stored.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
	return nil
}

// step is a whole lineage.
func (c *corpus) step(db *sqlite.DB, first, n int) lineage.Step {
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(first) * time.Minute)
	id := session.ID(fmt.Sprintf("%s_%08x", at.Format("20060102_150405"), first))
	s := lineage.Step{Opened: true, Session: session.Session{
		ID: id, RootID: id, Source: session.SourceAPI, StartedAt: at, LastActive: at, NextSeq: int64(n), MessageCount: n,
	}}
	ids, _ := db.ReserveMessageIDs(context.Background(), owner.Local(), n) // a counter: cannot fail
	for i := range n {
		text := c.text(first + i)
		sum := sha256.Sum256([]byte(text))
		m := session.Message{
			ID: ids + int64(i), SessionID: id, RootID: id, Seq: int64(i), Role: session.User, Content: text,
			SaidAt: at, RecordedAt: at, Hash: sum[:],
		}
		if i%2 == 1 {
			m.Role = session.Assistant
		}
		s.Messages = append(s.Messages, m)
	}
	return s
}
