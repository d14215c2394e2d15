package piece

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

func benchPiece(b *testing.B) (*content, *Reader) {
	c := invent(shape{texts: 10 * room, rows: 60_000, words: 50_000, long: 20}, 1)
	return c, open(b, build(b, c), NewCache(1<<30)).Read(b.Context())
}

func BenchmarkLookup(b *testing.B) {
	c, r := benchPiece(b)
	d := r.Dictionary(words)
	var keys, others [][]byte
	for i := range c.words {
		keys = append(keys, []byte(c.words[i].key))
		others = append(others, []byte(c.words[i].key+"!"))
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for name, keys := range map[string][][]byte{"found": keys, "missing": others} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i++; i == len(keys) {
					i = 0
				}
				d.Lookup(keys[i])
			}
		})
	}
	b.Run("map", func(b *testing.B) {
		m := make(map[string]int, len(keys))
		for i, key := range keys {
			m[string(key)] = i
		}
		i, sum := 0, 0
		for b.Loop() {
			if i++; i == len(keys) {
				i = 0
			}
			sum += m[string(keys[i])]
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	c, r := benchPiece(b)
	rs := r.Records(rows, rowWidth)
	slice := make([]byte, 0, len(c.rows)*rowWidth)
	for _, row := range c.rows {
		slice = append(slice, row...)
	}
	order := rand.Perm(len(c.rows))
	var sum uint64
	for name, at := range map[string]func(i int) []byte{
		"piece": func(i int) []byte { return rs.At(uint32(i)) },
		"slice": func(i int) []byte { return slice[i*rowWidth:][:rowWidth] },
	} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				if i++; i == len(order) {
					i = 0
				}
				sum += binary.LittleEndian.Uint64(at(order[i]))
			}
		})
	}
	b.Run("run", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for i := uint32(0); i < rs.Len(); {
				run := rs.Run(i)
				i += uint32(len(run)) / rowWidth
				for ; len(run) > 0; run = run[rowWidth:] {
					sum += binary.LittleEndian.Uint64(run)
					n++
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
	})
}

func BenchmarkPostings(b *testing.B) {
	var blocks Blocks
	w := NewWriter(testFormat, sectionCount, blocks.Emit)
	pw := w.Postings(lists)
	for i := range uint32(100_000) {
		pw.Add(i*7, uint8(i%5))
	}
	l := pw.End()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	ps := open(b, blocks, NewCache(1<<30)).Read(b.Context()).Postings(lists)
	b.Run("next", func(b *testing.B) {
		n, sum := 0, uint32(0)
		for b.Loop() {
			c := ps.All(l)
			for ; c.Next(); n++ {
				sum += c.Number
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/entry")
	})
	b.Run("slice", func(b *testing.B) { // what a decoder of bytes in memory costs
		var data []byte
		for i := range 100_000 {
			if data = binary.AppendUvarint(data, 14|uint64(min(i%5, 1))); i%5 != 0 {
				data = append(data, byte(i%5))
			}
		}
		n, sum := 0, uint64(0)
		for b.Loop() {
			number := uint64(0)
			for i := 0; i < len(data); n++ {
				v, size := uint64(data[i]), 1
				if v >= 0x80 {
					v, size = binary.Uvarint(data[i:])
				}
				if i += size; v&1 != 0 {
					i++
				}
				number += v >> 1
				sum += number
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/entry")
	})
	b.Run("newest100", func(b *testing.B) {
		sum := uint32(0)
		for b.Loop() {
			c := ps.From(l, l.Count-100)
			for c.Next() {
				sum += c.Number
			}
		}
	})
	b.Run("below", func(b *testing.B) {
		for b.Loop() {
			ps.Below(l, 350_000)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	blocks := build(b, &content{texts: make([]byte, 10*room)})
	p := open(b, blocks, NewCache(1))
	r := p.Read(b.Context())
	t := r.Bytes(texts)
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		t.Range(i%9*room+room, 1, nil)
		i++
	}
}
