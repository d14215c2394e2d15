package piece

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestCacheBound reads more than the cache may hold, and asks it after each step whether it keeps
// its bound and counts what the pieces really hold.
func TestCacheBound(t *testing.T) {
	t.Parallel()
	const limit = 10 * BlockSize
	cache := NewCache(limit)
	var pieces []*Piece
	for range 4 {
		pieces = append(pieces, open(t, build(t, &content{texts: make([]byte, 8*room)}), cache))
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		r := pieces[rnd.IntN(4)].Read(t.Context())
		b := r.Bytes(texts)
		b.Range(rnd.Uint32N(b.Len()), 1, nil)
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		s := cache.Stats()
		if held, n := heldBy(pieces); s.Held != held || s.Entries != n || held > limit {
			t.Fatalf("got %+v, want %d bytes in %d blocks", s, held, n)
		}
	}
	s := cache.Stats()
	if s.Loads != s.Evictions+uint64(s.Entries) || s.Loads != s.Misses || s.Evictions < 100 {
		t.Errorf("got %+v", s)
	}
	for _, p := range pieces {
		p.Drop()
	}
	if s := cache.Stats(); s.Held != 0 || s.Entries != 0 {
		t.Errorf("after all pieces were dropped: %+v", s)
	}
	b := pieces[0].Read(t.Context()).Bytes(texts)
	if got := b.Range(0, 1, nil); len(got) != 1 || cache.Stats().Held != 0 {
		t.Errorf("a dropped piece: got %d bytes, the cache holds %d", len(got), cache.Stats().Held)
	}
}

// heldBy counts the blocks of pieces that are in memory.
func heldBy(pieces []*Piece) (bytes int64, n int) {
	for _, p := range pieces {
		for i := range p.blocks {
			if b := p.blocks[i].Load(); b != nil {
				bytes, n = bytes+int64(cap(b.data))+sumSize+blockSize, n+1
			}
		}
	}
	return bytes, n
}

// meeting is a source whose read of a block waits until two readers want it.
type meeting struct {
	Blocks
	both *sync.WaitGroup
}

func (m meeting) Block(ctx context.Context, n int) ([]byte, error) {
	if n > 0 {
		m.both.Done()
		m.both.Wait()
	}
	return m.Blocks.Block(ctx, n)
}

// TestLoadedTwice lets two readers load one block at once. The cache has it once.
func TestLoadedTwice(t *testing.T) {
	t.Parallel()
	cache, both := NewCache(1<<20), new(sync.WaitGroup)
	both.Add(2)
	p := open(t, meeting{build(t, &content{texts: make([]byte, 2*room)}), both}, cache)
	var g errgroup.Group
	for range 2 {
		g.Go(func() error {
			r := p.Read(t.Context())
			b := r.Bytes(texts)
			b.Range(room, 1, nil)
			return r.Err()
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	held, n := heldBy([]*Piece{p})
	if s := cache.Stats(); s.Held != held || s.Entries != n || s.Loads != 3 {
		t.Errorf("got %+v, want %d bytes in %d blocks after three loads", s, held, n)
	}
}

// TestSecondChance keeps the one block that is used between all others.
func TestSecondChance(t *testing.T) {
	t.Parallel()
	cache := NewCache(4 * BlockSize)
	p := open(t, build(t, &content{texts: make([]byte, 50*room)}), cache)
	r := p.Read(t.Context())
	b := r.Bytes(texts)
	for i := uint32(1); i < 50; i++ {
		b.Range(5*room, 1, nil)
		b.Range(i*room, 1, nil)
	}
	if s := cache.Stats(); s.Misses != 50 {
		t.Errorf("got %d misses, want each block once: 50", s.Misses)
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	cache := NewCache(10_000)
	var evicted []int
	accounts := make([]*Account, 5)
	for i := range accounts {
		accounts[i] = cache.NewAccount(func() { evicted = append(evicted, i) })
		if !accounts[i].Set(3000) {
			t.Fatalf("account %d is closed", i)
		}
		accounts[0].Touch()
	}
	if fmt.Sprint(evicted) != "[1 2]" {
		t.Errorf("evicted %v, want the oldest that were not touched: [1 2]", evicted)
	}
	if accounts[1].Set(1) {
		t.Error("an evicted account can be used again")
	}
	accounts[3].Close()
	accounts[3].Close()
	if accounts[3].Set(1) {
		t.Error("a closed account can be used again")
	}
	unused := cache.NewAccount(func() {})
	if unused.Close(); unused.Set(1) {
		t.Error("an account that was closed unused can be used")
	}
	accounts[4].Set(9000)
	if fmt.Sprint(evicted) != "[1 2 0]" || cache.Stats().Entries != 1 {
		t.Errorf("evicted %v, left %+v", evicted, cache.Stats())
	}
	accounts[4].Set(50_000)
	if len(evicted) != 3 {
		t.Error("the newest entry was evicted for itself")
	}
}

// TestCacheStress reads pieces from many goroutines through a cache that is far too small, while
// accounts take room and pieces are dropped. Every byte read must be right, and the cache must
// hold nothing at the end.
func TestCacheStress(t *testing.T) {
	t.Parallel()
	cache := NewCache(4 * BlockSize)
	c := invent(shape{texts: 3 * room, rows: 4000, words: 1000, long: 5}, 3)
	blocks := yielding{build(t, c)}
	var shared [3]atomic.Pointer[Piece]
	for i := range shared {
		shared[i].Store(open(t, blocks, cache))
	}
	g, ctx := errgroup.WithContext(t.Context())
	for i := range 8 {
		rnd := rand.New(rand.NewPCG(5, uint64(i)))
		g.Go(func() error { return stress(ctx, rnd, cache, c, blocks, &shared) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if s := cache.Stats(); s.Held > 4*BlockSize || s.Evictions == 0 {
		t.Errorf("got %+v", s)
	}
	for i := range shared {
		shared[i].Load().Drop()
	}
	if s := cache.Stats(); s.Held != 0 || s.Entries != 0 {
		t.Errorf("after all pieces were dropped: %+v", s)
	}
}

// yielding is a source during whose reads other goroutines run, so that they load the same block.
type yielding struct{ Blocks }

func (y yielding) Block(ctx context.Context, n int) ([]byte, error) {
	runtime.Gosched()
	return y.Blocks.Block(ctx, n)
}

func stress(ctx context.Context, rnd *rand.Rand, cache *Cache, c *content, blocks Source, shared *[3]atomic.Pointer[Piece]) error {
	for step := range 60 {
		slot := &shared[rnd.IntN(len(shared))]
		r := slot.Load().Read(ctx)
		if err := spotCheck(r, rnd, c); err != nil {
			return err
		}
		switch step % 20 {
		case 5:
			fresh, err := Open(ctx, blocks, cache, testFormat)
			if err != nil {
				return err
			}
			slot.Swap(fresh).Drop()
		case 10:
			var gone atomic.Bool
			a := cache.NewAccount(func() { gone.Store(true) })
			a.Set(2 * BlockSize)
			a.Touch()
			a.Close()
			if a.Set(1) {
				return errors.New("a closed account can be used again")
			}
		}
	}
	return nil
}

// spotCheck compares a few things of a piece with what it was made of.
func spotCheck(r *Reader, rnd *rand.Rand, c *content) error {
	b, rs, d, ps := r.Bytes(texts), r.Records(rows, rowWidth), r.Dictionary(words), r.Postings(lists)
	for range 20 {
		from := rnd.IntN(len(c.texts))
		n := rnd.IntN(min(len(c.texts)-from, 2*room))
		if got := b.Range(uint32(from), uint32(n), nil); string(got) != string(c.texts[from:from+n]) {
			return fmt.Errorf("bytes %d to %d are wrong: %w", from, from+n, r.Err())
		}
		row := rnd.IntN(len(c.rows))
		if got := rs.At(uint32(row)); string(got) != string(c.rows[row]) {
			return fmt.Errorf("row %d is wrong: %w", row, r.Err())
		}
		word := rnd.IntN(len(c.words))
		term, ok := d.Lookup([]byte(c.words[word].key))
		if !ok || int(term) != word {
			return fmt.Errorf("%q: got term %d: %w", c.words[word].key, term, r.Err())
		}
		i := 0
		for cursor := ps.All(d.List(term)); cursor.Next(); i++ {
			if cursor.Number != c.words[word].numbers[i] {
				return fmt.Errorf("%q: got number %d", c.words[word].key, cursor.Number)
			}
		}
		if i != len(c.words[word].numbers) {
			return fmt.Errorf("%q: got %d entries: %w", c.words[word].key, i, r.Err())
		}
	}
	return r.Err()
}
