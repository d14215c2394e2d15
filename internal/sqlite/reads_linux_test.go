package sqlite

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// bigScope is a database with a scope of many messages, each with two facts, of which half
// are on the shelf.
type bigScope struct {
	db      *DB
	scope   memory.Scope
	numbers []memory.FactNumber
	ids     []int64
}

// learnt is a step of n messages with some facts each.
func learnt(b *testing.B, db *DB, key session.Key, root session.ID, seq int64, n, facts int) lineage.Step {
	b.Helper()
	first, err := db.ReserveMessageIDs(b.Context(), owner.Local(), n)
	if err != nil {
		b.Fatal(err)
	}
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	s := lineage.Step{
		Opened:  seq == 0,
		Session: session.Session{ID: root, RootID: root, Key: key, Source: session.SourceAPI, StartedAt: at, LastActive: at, NextSeq: seq + int64(n)},
	}
	for i := range n {
		m := session.Message{
			ID: first + int64(i), SessionID: root, RootID: root, Seq: seq + int64(i), Key: key, Role: session.User, SaidAt: at, RecordedAt: at,
			Hash: make([]byte, 32), Content: fmt.Sprintf("I moved the warehouse number %d to the north of Lyon, because the rent was too high there.", first),
		}
		s.Messages = append(s.Messages, m)
		var c memory.Change
		for part := range facts {
			f := memory.Fact{
				ID: memory.FactID(fmt.Sprintf("f_%016x", m.ID*2+int64(part))), Kind: memory.Plain, Quote: m.Content, Statement: m.Content[2:],
				Subject: "warehouse", Attribute: "place", Value: "Lyon", Because: "the rent was too high", SaidAt: at,
				Source: memory.Source{MessageID: m.ID, SessionID: root, Root: root, Seq: m.Seq, End: len(m.Content), Role: m.Role},
			}
			c.Learned = append(c.Learned, f)
		}
		if facts > 0 {
			c.Marks = []memory.Mark{{Number: memory.NumberOf(m.ID, 0), Section: memory.Section(m.ID % 8), Weight: int32(m.ID % 97)}}
		}
		s.Changes = append(s.Changes, c)
	}
	return s
}

func newBigScope(b *testing.B) *bigScope {
	b.Helper()
	db, err := Open(b.Context(), Options{Path: b.TempDir() + "/state.db", Log: quiet()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	s := &bigScope{db: db, scope: memory.Scope{Key: "key"}}
	for seq := int64(0); seq < 50_000; seq += 5_000 {
		step := learnt(b, db, "key", "s", seq, 5_000, 2)
		if err := db.AppendTurn(b.Context(), owner.Local(), step); err != nil {
			b.Fatal(err)
		}
		for i := range step.Messages {
			id := step.Messages[i].ID
			s.ids = append(s.ids, id)
			s.numbers = append(s.numbers, memory.NumberOf(id, 0), memory.NumberOf(id, 1))
		}
	}
	if err := db.indexer.wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

// cpu is the processor time of this process so far. It tells more than the time on a clock
// where other programs run.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkReads measures the reads of a turn in a scope of 50,000 messages.
func BenchmarkReads(b *testing.B) {
	s := newBigScope(b)
	ctx, o := b.Context(), owner.Local()
	read := func(name string, call func() (int, error), want int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpu(b)
			for b.Loop() {
				if n, err := call(); err != nil || n != want {
					b.Fatalf("got %d, %v, want %d", n, err, want)
				}
			}
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
	distinct := func(n int) []memory.FactNumber {
		start := rand.IntN(len(s.numbers) / 100)
		out := make([]memory.FactNumber, n)
		for i := range out {
			out[i] = s.numbers[start+i*len(s.numbers)/101]
		}
		return out
	}
	for _, n := range []int{1, 40} {
		read(fmt.Sprintf("%d facts by number", n), func() (int, error) {
			f, err := s.db.FactsNumbered(ctx, o, s.scope, distinct(n))
			return len(f), err
		}, n)
	}
	read("12 facts by name", func() (int, error) {
		var ids []memory.FactID
		for _, n := range distinct(12) {
			ids = append(ids, memory.FactID(fmt.Sprintf("f_%016x", n.Message()*2)))
		}
		f, err := s.db.FactsNamed(ctx, o, s.scope, ids)
		return len(f), err
	}, 12)
	read("facts of 4 messages", func() (int, error) {
		var ids []int64
		for _, n := range distinct(4) {
			ids = append(ids, n.Message())
		}
		f, err := s.db.FactsOfMessages(ctx, o, s.scope, ids)
		return len(f), err
	}, 8)
	read("newest 64 facts", func() (int, error) {
		f, err := s.db.FactsSince(ctx, o, s.scope, s.numbers[len(s.numbers)-65], 100)
		return len(f), err
	}, 64)
	read("50 lines of a shelf", func() (int, error) {
		f, err := s.db.Shelf(ctx, o, s.scope, []memory.Section{memory.Section(rand.IntN(8))}, memory.ShelfPlace{Weight: 60, Number: 1 << 40}, 50)
		return len(f), err
	}, 50)
	read("12 messages by id", func() (int, error) {
		var ids []int64
		for _, n := range distinct(12) {
			ids = append(ids, n.Message())
		}
		d, err := s.db.DocumentsNumbered(ctx, o, s.scope, ids)
		return len(d), err
	}, 12)
	read("12 messages by place", func() (int, error) {
		var places []memory.Place
		for _, n := range distinct(12) {
			places = append(places, memory.Place{Root: "s", Seq: n.Message() - s.ids[0]})
		}
		d, err := s.db.Quotes(ctx, o, places)
		return len(d), err
	}, 12)
	s.measureBlocks(b, read)
}

// measureBlocks reads a manifest of 20 pieces, and their blocks of 64 KiB.
func (s *bigScope) measureBlocks(b *testing.B, read func(string, func() (int, error), int)) {
	ctx, o := b.Context(), owner.Local()
	const pieces, blocks, size = 20, 40, 64 << 10
	for range pieces {
		m, err := s.db.Manifest(ctx, o, s.scope)
		if err != nil {
			b.Fatal(err)
		}
		id, err := s.db.AddPiece(ctx, o, m, memory.Piece{Kind: memory.MessagePiece}, randomBlocks(blocks, size))
		if err == nil {
			err = s.db.Swap(ctx, o, m, memory.Swap{Add: []memory.PieceID{id}})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	m, err := s.db.Manifest(ctx, o, s.scope)
	if err != nil {
		b.Fatal(err)
	}
	read("manifest of 20 pieces", func() (int, error) {
		m, err := s.db.Manifest(ctx, o, s.scope)
		return len(m.Pieces), err
	}, pieces)
	read("a block of 64 KiB", func() (int, error) {
		data, err := s.db.PieceBlock(ctx, o, m.Pieces[rand.IntN(pieces)].ID, rand.IntN(blocks))
		return len(data), err
	}, size)
}

// randomBlocks are blocks that no page compression could shorten.
func randomBlocks(n, size int) iter.Seq2[memory.PieceBlock, error] {
	return func(yield func(memory.PieceBlock, error) bool) {
		block := make([]byte, size)
		for number := range n {
			for i := range block {
				block[i] = byte(rand.Uint32())
			}
			if !yield(memory.PieceBlock{Number: number, Data: block}, nil) {
				return
			}
		}
	}
}

// BenchmarkAppendTurn measures the input and the answer of a turn, without facts and with
// one fact each.
func BenchmarkAppendTurn(b *testing.B) {
	for facts := range 2 {
		b.Run(fmt.Sprintf("%d facts", facts), func(b *testing.B) {
			db, err := Open(b.Context(), Options{Path: b.TempDir() + "/state.db", Log: quiet(), Synchronous: "OFF"})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = db.Close() })
			seq, before := int64(0), cpu(b)
			for b.Loop() {
				if err := db.AppendTurn(b.Context(), owner.Local(), learnt(b, db, "key", "s", seq, 2, facts)); err != nil {
					b.Fatal(err)
				}
				seq += 2
			}
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkOpen measures a start with nothing to do.
func BenchmarkOpen(b *testing.B) {
	path := b.TempDir() + "/state.db"
	open := func() *DB {
		db, err := Open(b.Context(), Options{Path: path, Log: quiet()})
		if err != nil {
			b.Fatal(err)
		}
		return db
	}
	db := open()
	for i := range 2_000 {
		step := learnt(b, db, session.Key(fmt.Sprint(i%500)), session.ID(fmt.Sprint("s", i)), 0, 5, 1)
		if err := db.AppendTurn(b.Context(), owner.Local(), step); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	took, before := time.Duration(0), cpu(b)
	for b.Loop() {
		began := time.Now()
		db := open()
		took += time.Since(began)
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(took)/float64(b.N), "open-ns/op")
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
}
