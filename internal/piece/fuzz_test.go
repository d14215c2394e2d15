package piece

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// readAll reads everything that a piece claims to hold, until the first error. A piece that is
// damaged may claim sections of gigabytes.
func readAll(t testing.TB, source Source) error {
	p, err := Open(t.Context(), source, NewCache(1<<20), testFormat)
	if err != nil {
		return err
	}
	r := p.Read(t.Context())
	b := r.Bytes(texts)
	b.Range(0, b.Len(), nil)
	b.Range(b.Len()/2, b.Len()/2, nil)
	rs := r.Records(rows, rowWidth)
	for i := uint32(0); i < rs.Len() && r.Err() == nil; i++ {
		rs.At(i)
	}
	d, ps := r.Dictionary(words), r.Postings(lists)
	for term := uint32(0); term < d.Len() && r.Err() == nil; term++ {
		key := slices.Clone(d.Key(term))
		d.Lookup(key)
		d.Prefix(key[:len(key)/2])
		l := d.List(term)
		for c, n, least := ps.All(l), 0, uint32(0); c.Next() && n < 1000; n++ {
			if c.Number < least || c.Number >= ps.Bound() {
				t.Fatalf("got number %d, want %d to %d", c.Number, least, ps.Bound()-1)
			}
			least = c.Number + 1
		}
		ps.Below(l, ps.Bound()/2)
		ps.From(l, l.Count/2)
	}
	return r.Err()
}

// TestOrder has lists and dictionaries that do not rise: who merges pieces relies on both.
func TestOrder(t *testing.T) {
	t.Parallel()
	w := word{key: "aa"}
	for i := range uint32(300) {
		w.numbers, w.counts = append(w.numbers, i), append(w.counts, 1)
	}
	sound := build(t, &content{words: []word{w, {key: "ab"}}})[0]
	s := open(t, Blocks{sound}, NewCache(1<<20)).sections
	entries := s[lists].start + 2*stepSize
	for name, edit := range map[string]struct {
		at    uint32
		value byte
		from  uint32 // the rank at which the list is read
	}{
		"the second number": {entries + 1, 0, 0},
		"one after a step":  {entries + stepLength, 0, stepLength},
		"a key":             {uint32(s[words].end()) - 1, 'a', 299},
	} {
		data := bytes.Clone(sound[:len(sound)-sumSize])
		data[edit.at] = edit.value
		r := open(t, Blocks{seal(0, data)}, NewCache(1<<20)).Read(t.Context())
		d, ps := r.Dictionary(words), r.Postings(lists)
		for terms := d.All(); terms.Next(); {
			c := ps.From(d.List(terms.Term), edit.from)
			for c.Next() {
			}
		}
		if !errors.Is(r.Err(), ErrDamaged) {
			t.Errorf("%s: got %v", name, r.Err())
		}
	}
}

// TestDamage changes every byte of the header and many others, makes the checksums right again,
// and reads everything. Any error is right, and no panic is.
func TestDamage(t *testing.T) {
	t.Parallel()
	sound := build(t, invent(shape{texts: 100, rows: 3, words: 40, long: 2}, 1))
	rnd := rand.New(rand.NewPCG(1, 1))
	header := headerSize + sectionCount*sectionSize
	end := len(sound[0]) - sumSize
	refused := 0
	for i := range 8000 {
		data := bytes.Clone(sound[0][:end])
		for range 1 + rnd.IntN(3) {
			data[i%header] = byte(rnd.Uint32())
			data[rnd.IntN(end)] ^= byte(1 + rnd.IntN(255))
		}
		if readAll(t, Blocks{seal(0, data)}) != nil {
			refused++
		}
	}
	if refused < 4000 {
		t.Errorf("%d of 8000 damaged pieces were refused", refused)
	}
}

// TestHostileHeader has the headers whose figures lie beyond the piece.
func TestHostileHeader(t *testing.T) {
	t.Parallel()
	sound := build(t, invent(shape{texts: 100, rows: 3, words: 40, long: 2}, 1))
	for at := 4; at < headerSize+sectionCount*sectionSize; at += 4 {
		for _, value := range []uint32{1 << 10, 1 << 20, 1<<32 - 1} {
			data := bytes.Clone(sound[0][:len(sound[0])-sumSize])
			binary.LittleEndian.PutUint32(data[at:], value)
			_ = readAll(t, Blocks{seal(0, data)})
		}
	}
	few := append([]byte(magic), 7, 0, 0, 0, 16, 0, 0, 0, 5, 0, 0, 0) // five sections are announced, and none is there
	if err := readAll(t, Blocks{seal(0, few)}); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestBound has lists with numbers above those that the header allows, near and far from the one
// before: readers use numbers as indexes.
func TestBound(t *testing.T) {
	t.Parallel()
	for _, gap := range []uint32{10, 100, 10_000} {
		w := word{key: "a"}
		for i := range uint32(20) {
			w.numbers, w.counts = append(w.numbers, i*gap), append(w.counts, uint8(1+i%2))
		}
		sound := build(t, &content{words: []word{w}})
		data := sound[0][:len(sound[0])-sumSize]
		binary.LittleEndian.PutUint32(data[headerSize+lists*sectionSize+12:], 5*gap)
		r := open(t, Blocks{seal(0, data)}, NewCache(1<<20)).Read(t.Context())
		ps := r.Postings(lists)
		c := ps.All(r.Dictionary(words).List(0))
		for c.Next() {
			if c.Number >= 5*gap {
				t.Errorf("got number %d of a list below %d", c.Number, ps.Bound())
			}
		}
		if !errors.Is(r.Err(), ErrDamaged) {
			t.Errorf("gap %d: got %v", gap, r.Err())
		}
	}
}

// FuzzDamage reads pieces in which some bytes were changed: each three bytes of edits are a
// position and a new value. With sums the checksums are made right again, so that the damage lies
// deeper.
func FuzzDamage(f *testing.F) {
	var sound []Blocks
	for _, s := range []shape{{}, {texts: 100, rows: 3, words: 40, long: 2}, {texts: room - 900, rows: 20, words: 40, long: 1}} {
		sound = append(sound, build(f, invent(s, 1)))
	}
	f.Add(uint8(1), true, []byte{8, 0, 255, 16, 0, 1, 36, 0, 200, 52, 0, 9})
	f.Add(uint8(2), true, []byte{0, 255, 3})
	f.Add(uint8(2), false, []byte{0, 255, 3})
	f.Fuzz(func(t *testing.T, which uint8, sums bool, edits []byte) {
		whole := bytes.Join(sound[int(which)%len(sound)], nil)
		for ; len(edits) >= 3; edits = edits[3:] {
			at := int(binary.LittleEndian.Uint16(edits))
			whole[(at+len(whole)-min(len(whole), 1<<15))%len(whole)] = edits[2] // the end of the piece, and its header
		}
		var blocks Blocks
		for sealed := range slices.Chunk(whole, BlockSize) {
			if n := len(blocks); sums && len(sealed) >= sumSize {
				sealed = seal(n, bytes.Clone(sealed[:len(sealed)-sumSize]))
			}
			blocks = append(blocks, sealed)
		}
		_ = readAll(t, blocks) // any error is right, no panic is
	})
}

// FuzzRoundTrip writes what it is given, as texts, rows, keys and lists, and reads it again.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("the cat sat on the mat"), uint16(0))
	f.Add([]byte{0, 0, 1, 255, 254, 128, 127}, uint16(65500))
	f.Fuzz(func(t *testing.T, data []byte, padding uint16) {
		c := content{texts: append(make([]byte, padding), data...)}
		for row := range slices.Chunk(data, rowWidth) {
			c.rows = append(c.rows, append(bytes.Clone(row), make([]byte, rowWidth-len(row))...))
		}
		var all word
		for i, b := range data {
			all.numbers = append(all.numbers, uint32(b)<<(b%20))
			if i > 0 {
				all.numbers[i] += all.numbers[i-1] + 1
			}
			if i > 0 && (all.numbers[i] <= all.numbers[i-1] || all.numbers[i]+1 == 0) {
				all.numbers = all.numbers[:i]
				break
			}
			all.counts = append(all.counts, b)
		}
		keys := bytes.Split(data, []byte(" "))
		slices.SortFunc(keys, bytes.Compare)
		for _, key := range slices.CompactFunc(keys, bytes.Equal) {
			c.words = append(c.words, word{key: string(key), numbers: all.numbers, counts: all.counts})
		}
		if err := compare(open(t, build(t, &c), NewCache(1<<20)).Read(t.Context()), &c); err != nil {
			t.Fatal(err)
		}
	})
}
