package piece

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The sections of the pieces of these tests, and their format.
const (
	texts = iota
	rows
	lists
	words
	sectionCount
	testFormat = 7
	rowWidth   = 24
)

// content is what a piece of these tests holds.
type content struct {
	texts []byte
	rows  [][]byte
	words []word // in the order of their keys
}

type word struct {
	key     string
	numbers []uint32
	counts  []uint8
}

// build writes a piece.
func build(t testing.TB, c *content) Blocks {
	t.Helper()
	var out Blocks
	w := NewWriter(testFormat, sectionCount, out.Emit)
	w.Bytes(texts).Add(c.texts)
	rw := w.Records(rows, rowWidth)
	for _, row := range c.rows {
		rw.Add(row)
	}
	pw, dw := w.Postings(lists), w.Dictionary(words)
	for _, word := range c.words {
		for i, n := range word.numbers {
			pw.Add(n, word.counts[i])
		}
		dw.Add([]byte(word.key), pw.End())
	}
	dw.End()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t testing.TB, source Source, cache *Cache) *Piece {
	t.Helper()
	p, err := Open(t.Context(), source, cache, testFormat)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compare reads a piece whole and compares it with what it was made of.
func compare(r *Reader, c *content) error {
	b := r.Bytes(texts)
	if got := b.Range(0, b.Len(), nil); !bytes.Equal(got, c.texts) {
		return fmt.Errorf("got %d bytes of text, want %d: %w", len(got), len(c.texts), r.Err())
	}
	if err := compareRows(r, c); err != nil {
		return err
	}
	d, ps := r.Dictionary(words), r.Postings(lists)
	if int(d.Len()) != len(c.words) {
		return fmt.Errorf("got %d words, want %d", d.Len(), len(c.words))
	}
	for i, w := range c.words {
		if got := d.Key(uint32(i)); string(got) != w.key {
			return fmt.Errorf("got key %q, want %q", got, w.key)
		}
		term, ok := d.Lookup([]byte(w.key))
		if !ok || int(term) != i {
			return fmt.Errorf("%q: got term %d %v, want %d", w.key, term, ok, i)
		}
		longer := w.key + "\xff"
		_, want := slices.BinarySearchFunc(c.words, longer, func(w word, key string) int { return strings.Compare(w.key, key) })
		if _, ok := d.Lookup([]byte(longer)); ok != want {
			return fmt.Errorf("lookup of %q: got %v, want %v", longer, ok, want)
		}
		if err := compareList(&ps, d.List(term), &w); err != nil {
			return fmt.Errorf("%q: %w", w.key, err)
		}
	}
	return r.Err()
}

func compareRows(r *Reader, c *content) error {
	rs := r.Records(rows, rowWidth)
	if int(rs.Len()) != len(c.rows) {
		return fmt.Errorf("got %d rows, want %d", rs.Len(), len(c.rows))
	}
	var runs []byte
	for i := uint32(0); i < rs.Len(); i += uint32(len(rs.Run(i))) / rowWidth {
		runs = append(runs, rs.Run(i)...)
	}
	for i, row := range c.rows {
		if got := rs.At(uint32(i)); !bytes.Equal(got, row) {
			return fmt.Errorf("row %d: got %x, want %x", i, got, row)
		}
		if got := runs[i*rowWidth:][:rowWidth]; !bytes.Equal(got, row) {
			return fmt.Errorf("row %d in its run: got %x, want %x", i, got, row)
		}
	}
	return nil
}

// compareList reads a list from several ranks, and asks how many numbers are below some.
func compareList(ps *Postings, l List, want *word) error {
	if int(l.Count) != len(want.numbers) {
		return fmt.Errorf("got %d entries, want %d", l.Count, len(want.numbers))
	}
	for _, rank := range []int{0, 1, 127, 128, 129, 300, len(want.numbers) - 100, len(want.numbers)} {
		rank = min(max(rank, 0), len(want.numbers))
		c, i := ps.From(l, uint32(rank)), rank
		for ; c.Next(); i++ {
			if c.Number != want.numbers[i] || c.Count != max(want.counts[i], 1) {
				return fmt.Errorf("from %d, entry %d: got %d×%d, want %d×%d", rank, i, c.Number, c.Count, want.numbers[i], want.counts[i])
			}
			if int(c.Left()) != len(want.numbers)-i-1 {
				return fmt.Errorf("entry %d of %d: %d left", i, len(want.numbers), c.Left())
			}
		}
		if i != len(want.numbers) {
			return fmt.Errorf("from %d: ended at %d of %d", rank, i, len(want.numbers))
		}
	}
	for i := 0; i < len(want.numbers); i += 1 + i%17 {
		n := want.numbers[i]
		if got := ps.Below(l, n); got != uint32(i) {
			return fmt.Errorf("below %d: got %d, want %d", n, got, i)
		}
		if got := ps.Below(l, n+1); got != uint32(i+1) {
			return fmt.Errorf("below %d: got %d, want %d", n+1, got, i+1)
		}
	}
	return nil
}

// shape is how much of each a piece holds. The first words have long lists.
type shape struct{ texts, rows, words, long int }

// invent makes up a piece.
func invent(s shape, seed uint64) *content {
	rnd := rand.New(rand.NewPCG(seed, seed))
	var c content
	for range s.texts {
		c.texts = append(c.texts, byte(rnd.Uint32()))
	}
	for range s.rows {
		row := make([]byte, rowWidth)
		binary.LittleEndian.PutUint64(row, rnd.Uint64())
		c.rows = append(c.rows, row)
	}
	keys := make(map[string]bool)
	for len(keys) < s.words {
		keys[strconv.FormatUint(rnd.Uint64()>>(rnd.Uint32()%64), 36)] = true
	}
	for i, key := range slices.Sorted(maps.Keys(keys)) {
		n := rnd.IntN(5)
		if i < s.long {
			n = rnd.IntN(3000)
		}
		c.words = append(c.words, inventWord(rnd, key, n))
	}
	return &c
}

// inventWord makes up a list of n numbers, some of them far apart, and every third list begins
// with 0.
func inventWord(rnd *rand.Rand, key string, n int) word {
	w := word{key: key}
	next := uint64(rnd.Uint32N(3))
	for range n {
		if next >= math.MaxUint32 {
			break
		}
		w.numbers = append(w.numbers, uint32(next))
		w.counts = append(w.counts, uint8(max(0, int(rnd.Uint32N(600))-345)))
		next += 1 + rnd.Uint64N(1<<rnd.Uint32N(24))
	}
	return w
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	shapes := []shape{
		{}, {texts: 1}, {rows: 1}, {words: 1}, {words: 1, long: 1}, {words: 11}, {words: 12}, {words: 13},
		{texts: room, rows: 2730}, {texts: 3 * room, rows: 2731, words: 3000, long: 20}, {rows: 9000, words: 20000, long: 50},
	}
	for i := range 20 {
		shapes = append(shapes, shape{texts: room - 300 + 20*i, rows: 100 * i, words: 10 * i, long: i})
	}
	for i := range 40 { // records begin where a block has less room than one takes
		shapes = append(shapes, shape{texts: room - headerSize - sectionCount*sectionSize - 40 + i, rows: 3})
	}
	for i, s := range shapes {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			t.Parallel()
			c := invent(s, uint64(i))
			blocks := build(t, c)
			if err := compare(open(t, blocks, NewCache(1<<30)).Read(t.Context()), c); err != nil {
				t.Error(err)
			}
			if err := compare(open(t, blocks, NewCache(5*BlockSize)).Read(t.Context()), c); err != nil {
				t.Errorf("with a cache of five blocks: %v", err)
			}
			if again := build(t, c); !slices.EqualFunc(blocks, again, bytes.Equal) {
				t.Error("the same content gave other bytes")
			}
		})
	}
}

// TestLongList reads a list that spans many blocks, whose entries begin at every place of one.
func TestLongList(t *testing.T) {
	t.Parallel()
	w := inventWord(rand.New(rand.NewPCG(9, 9)), "the", 0)
	for i := range uint32(200_000) {
		w.numbers, w.counts = append(w.numbers, i*70+i%3), append(w.counts, uint8(1+i%2))
	}
	c := &content{words: []word{w}}
	if err := compare(open(t, build(t, c), NewCache(1<<20)).Read(t.Context()), c); err != nil {
		t.Error(err)
	}
}

// TestOutside asks for what is not there.
func TestOutside(t *testing.T) {
	t.Parallel()
	p := open(t, build(t, invent(shape{texts: 100, rows: 10, words: 10, long: 1}, 1)), NewCache(1<<20))
	for name, read := range map[string]func(r *Reader) int{
		"bytes":                    func(r *Reader) int { b := r.Bytes(texts); return len(b.Range(90, 11, nil)) },
		"bytes beyond 32 bits":     func(r *Reader) int { b := r.Bytes(texts); return len(b.Range(math.MaxUint32, math.MaxUint32, nil)) },
		"a record":                 func(r *Reader) int { rs := r.Records(rows, rowWidth); return int(rs.At(10)[0]) },
		"a run":                    func(r *Reader) int { rs := r.Records(rows, rowWidth); return int(rs.Run(10)[0]) },
		"records of another width": func(r *Reader) int { rs := r.Records(rows, 8); return int(rs.At(0)[0]) + int(rs.Len()) },
		"a key":                    func(r *Reader) int { return len(r.Dictionary(words).Key(10)) },
		"a list":                   func(r *Reader) int { return int(r.Dictionary(words).List(10).Count) },
		"a section":                func(r *Reader) int { b := r.Bytes(99); return int(b.Len()) },
		"another section":          func(r *Reader) int { return int(r.Dictionary(rows).Len()) },
		"a list beyond the section": func(r *Reader) int {
			ps := r.Postings(lists)
			c := ps.All(List{Offset: 1 << 20, Count: 1})
			c.Next()
			return int(c.Number)
		},
		"a list with more entries": func(r *Reader) int {
			ps := r.Postings(lists)
			c := ps.All(List{Count: 100})
			for c.Next() {
				if c.Number >= ps.Bound() {
					return -1
				}
			}
			return 0
		},
	} {
		r := p.Read(t.Context())
		if got := read(r); got != 0 || !errors.Is(r.Err(), ErrDamaged) {
			t.Errorf("%s: got %d and error %v", name, got, r.Err())
		}
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	c := invent(shape{words: 5000}, 1)
	p := open(t, build(t, c), NewCache(1<<20))
	d := p.Read(t.Context()).Dictionary(words)
	for _, prefix := range []string{"", "1", "1a", "zz", "zzzzzzzzzzzzzzzz", " ", "1a2b3c", "~"} {
		from, to := d.Prefix([]byte(prefix))
		var got, want []string
		for i := from; i < to; i++ {
			got = append(got, string(d.Key(i)))
		}
		for i := range c.words {
			if strings.HasPrefix(c.words[i].key, prefix) {
				want = append(want, c.words[i].key)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %d keys, want %d", prefix, len(got), len(want))
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	sound := build(t, invent(shape{texts: 3 * room, rows: 10, words: 100}, 1))
	edit := func(change func(b Blocks) Blocks) Blocks {
		b := make(Blocks, len(sound))
		for i := range sound {
			b[i] = bytes.Clone(sound[i])
		}
		return change(b)
	}
	for name, c := range map[string]struct {
		blocks Blocks
		want   error
		says   string
	}{
		"nothing":               {nil, ErrDamaged, "block 0"},
		"three bytes":           {Blocks{{1, 2, 3}}, ErrDamaged, "block 0"},
		"another container":     {Blocks{seal(0, []byte("something else, well sealed"))}, ErrFormat, ""},
		"a changed byte":        {edit(func(b Blocks) Blocks { b[2][500]++; return b }), ErrDamaged, "block 2"},
		"a changed sum":         {edit(func(b Blocks) Blocks { b[1][BlockSize-1]++; return b }), ErrDamaged, "block 1"},
		"a short block":         {edit(func(b Blocks) Blocks { b[1] = b[1][:100]; return b }), ErrDamaged, "block 1"},
		"a missing block":       {edit(func(b Blocks) Blocks { return b[:3] }), ErrDamaged, "block 3"},
		"two exchanged":         {edit(func(b Blocks) Blocks { b[1], b[2] = b[2], b[1]; return b }), ErrDamaged, "block 1"},
		"a shorter end, sealed": {edit(func(b Blocks) Blocks { b[3] = seal(3, b[3][:20]); return b }), ErrDamaged, "block 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := readAll(t, c.blocks)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.says)
			}
		})
	}
	if _, err := Open(t.Context(), sound, NewCache(0), testFormat+1); !errors.Is(err, ErrFormat) {
		t.Errorf("another format: got %v", err)
	}
}

// TestFailedRead gives zero values after an error of the source, and the error at the end.
func TestFailedRead(t *testing.T) {
	t.Parallel()
	blocks := build(t, invent(shape{texts: 2 * room, rows: 3000, words: 100, long: 3}, 1))
	p := open(t, blocks, NewCache(1<<20))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.source = canceledSource{}
	r := p.Read(ctx)
	b, rs, d := r.Bytes(texts), r.Records(rows, rowWidth), r.Dictionary(words)
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	if got := b.Range(room, 100, nil); got != nil {
		t.Errorf("bytes: got %d", len(got))
	}
	if got := rs.At(2500); !bytes.Equal(got, make([]byte, rowWidth)) {
		t.Errorf("record: got %x", got)
	}
	if term, ok := d.Lookup([]byte("1")); ok {
		t.Errorf("lookup: got %d", term)
	}
	if !errors.Is(r.Err(), context.Canceled) {
		t.Errorf("got %v, want %v", r.Err(), context.Canceled)
	}
}

type canceledSource struct{}

func (canceledSource) Block(ctx context.Context, _ int) ([]byte, error) { return nil, ctx.Err() }

// TestWriterRefuses has a case for every way in which a caller can write nonsense.
func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(w *Writer){
		"a section that does not exist": func(w *Writer) { w.Bytes(2) },
		"a section twice":               func(w *Writer) { w.Bytes(0); w.Bytes(0) },
		"a section after another began": func(w *Writer) { b := w.Bytes(0); w.Bytes(1); b.Add([]byte("x")) },
		"a wide record":                 func(w *Writer) { w.Records(0, MaxWidth+1) },
		"a record of another width":     func(w *Writer) { w.Records(0, 4).Add([]byte("x")) },
		"keys out of order":             func(w *Writer) { d := w.Dictionary(0); d.Add([]byte("b"), List{}); d.Add([]byte("a"), List{}) },
		"a key twice":                   func(w *Writer) { d := w.Dictionary(0); d.Add([]byte("b"), List{}); d.Add([]byte("b"), List{}) },
		"numbers out of order":          func(w *Writer) { p := w.Postings(0); p.Add(2, 1); p.Add(2, 1) },
		"the highest number":            func(w *Writer) { w.Postings(0).Add(math.MaxUint32, 1) },
	} {
		var out Blocks
		w := NewWriter(testFormat, 2, out.Emit)
		write(w)
		if err := w.Close(); err == nil || out != nil {
			t.Errorf("%s: got error %v and %d blocks", name, err, len(out))
		}
	}
	failing := errors.New("disk full")
	w := NewWriter(testFormat, 1, func(int, []byte) error { return failing })
	w.Bytes(0).Add(make([]byte, 5*room))
	if err := w.Close(); !errors.Is(err, failing) {
		t.Errorf("got %v, want %v", err, failing)
	}
}
