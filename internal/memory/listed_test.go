package memory

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
)

// TestListsForgetTheOld: lists that are full forget what was not asked for lately, stay within
// their bound, and keep what is asked for again and again.
func TestListsForgetTheOld(t *testing.T) {
	s := NewState()
	often := keyOf(termKey, 1)
	s.lists.put(often, &listed{count: 7})
	s.lists.keep(1, s.archive.meaning(1))
	for i := range uint32(200_000) {
		s.of(keyOf(wordKey, i))
		if size := s.lists.bytes(); size > maxLists {
			t.Fatalf("after %d lists: %d bytes of %d", i, size, maxLists)
		}
		if i%1000 == 0 && (s.of(often).count != 7 || !hasMeaning(&s.lists, 1)) {
			t.Fatalf("after %d lists, what is asked for often is forgotten", i)
		}
	}
	if s.lists.of(keyOf(wordKey, 0)) != nil {
		t.Fatal("nothing is forgotten")
	}
	if size := counted(&s.lists); size != s.lists.bytes() {
		t.Fatalf("%d bytes are held, %d are counted", size, s.lists.bytes())
	}
}

func hasMeaning(l *lists, n FactNumber) bool {
	_, known := l.meaning(n)
	return known
}

// counted is the size of what lists have.
func counted(l *lists) (bytes int64) {
	for _, g := range [...]*generation{&l.young, &l.old} {
		for _, known := range g.byKey {
			bytes += known.bytes()
		}
		bytes += int64(len(g.meanings)) * meaningSize
	}
	return bytes
}

// TestListsCountWhatIsHanded: facts that move from the index of a state to its lists are counted.
func TestListsCountWhatIsHanded(t *testing.T) {
	s, k := NewState(), keyOf(termKey, 1)
	s.lists.put(k, &listed{count: 3, newest: []glimpse{{number: 3}}})
	for n := FactNumber(10); n < 20; n++ {
		s.index.add(k, glimpse{number: n})
	}
	s.hand(14)
	known := s.lists.of(k)
	if known.count != 8 || len(known.newest) != 6 || known.newest[0].number != 14 || len(s.index[k]) != 5 {
		t.Fatalf("after a handing over: %+v, and %d in the index", known, len(s.index[k]))
	}
	if size := counted(&s.lists); size != s.lists.bytes() {
		t.Fatalf("%d bytes are held, %d are counted", size, s.lists.bytes())
	}
}

// TestOpenPiecesStayOpen: an archive of other pieces keeps the blocks of those that stay, and the
// blocks of those that are gone leave the cache.
func TestOpenPiecesStayOpen(t *testing.T) {
	cache, facts := piece.NewCache(1<<20), newRows()
	whole := NewState()
	for id := range int64(2) {
		facts.write(whole.Learn(Distill(dense(id+1), nil)))
	}
	before := &stored{source: &source{ctx: t.Context(), store: facts}}
	facts.extend(t, before, cache, Span{0, 1})
	facts.extend(t, before, cache, Span{2, 2})
	for i := range before.parts {
		before.parts[i].ID = PieceID(i + 1)
		before.parts[i].Kind, before.parts[i].Format = FactPiece, factFormat
	}
	misses := cache.Stats().Misses
	after, err := openStored(before.source, cache, &Manifest{Pieces: []Piece{before.parts[0].Piece}}, before)
	if err != nil {
		t.Fatal(err)
	}
	before.dropUnless(after)
	if after.len() == 0 || after.newest(nil, keyOf(assertedKey, 0), 1) == nil {
		t.Fatal("the archive has no facts")
	}
	now := cache.Stats()
	if now.Misses != misses || now.Entries != after.parts[0].open.Len() {
		t.Fatalf("%d blocks were read again, and %d are in memory", now.Misses-misses, now.Entries)
	}
}
