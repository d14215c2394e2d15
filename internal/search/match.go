package search

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
)

// matcher finds a query's terms in texts by the rules of the index, for scores and for
// highlights. It is made once per query and reads many texts.
type matcher struct {
	terms []form // first the terms to show, then the excluded ones
	shown int
	// starts maps the first byte of terms, folded, to their possible second bytes: this
	// check rules out most words of a text.
	starts   [utf8.RuneSelf]uint32
	unspaced bool // a term begins with characters of unspaced writing

	first, next seen // the piece where a term may begin, and the next one
}

// form is a term in the form for comparisons.
type form struct {
	term   *Term
	pieces []pieceForm
	// lead is the number of bytes of the term before its first piece.
	lead int
}

// pieceForm is a piece in the form for comparisons: by stem, or character by character.
type pieceForm struct {
	stem     []byte
	folded   []byte
	text     string
	unspaced bool
}

// span is the position of a term in a text, in bytes.
type span struct {
	start, end int
	term       int
	// weight is 1 for the exact form of the query, and less for another form.
	weight float64
}

// The weight of an occurrence in another form than the query's.
const (
	otherForm  = 0.8 // "deployed" for "deploy"
	otherSigns = 0.5 // "C" for "C++"
)

// newMatcher returns a matcher. exact says that the index decides what matches.
func newMatcher(q Query, exact bool) *matcher {
	terms := q.Terms()
	m := &matcher{shown: len(terms)}
	if !exact { // the texts decide, and excluded terms count too
		q.Root.terms(false, func(t *Term, not bool) {
			if not {
				terms = append(terms, t)
			}
		})
	}
	for _, t := range terms {
		f := form{term: t, lead: max(0, strings.Index(t.Text, t.Pieces[0].Text))}
		for i := range t.Pieces {
			p := &t.Pieces[i]
			folded := appendFolded(nil, p.Text)
			f.pieces = append(f.pieces, pieceForm{
				stem: language.Porter(bytes.Clone(folded)), folded: folded, text: p.Text, unspaced: p.Unspaced,
			})
		}
		if first := &f.pieces[0]; first.unspaced {
			m.unspaced = true
		} else if len(first.folded) > 0 && first.folded[0] < utf8.RuneSelf {
			m.starts[first.folded[0]] |= second(first)
		}
		m.terms = append(m.terms, f)
	}
	return m
}

// find appends to spans the positions of terms in text, in order.
func (m *matcher) find(spans []span, text string) []span {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			want := m.starts[lower(c)]
			if want == 0 || i+1 < len(text) && want&letter(lower(text[i+1])) == 0 {
				i = skipASCII(text, i)
				continue
			}
		}
		end, unspaced, ok := pieceAt(text, i)
		switch {
		case !ok:
		case !unspaced:
			m.first.read(text, i)
			spans = m.at(spans, text, i)
		case m.unspaced:
			m.first.end, m.first.unspaced = end, true // read once: a run may be a whole text
			for j := i; j < end; {
				spans = m.at(spans, text, j)
				_, n := utf8.DecodeRuneInString(text[j:])
				j += n
			}
		}
		i = end
	}
	return spans
}

// skipASCII skips the ASCII letters and digits at i, and the signs after them.
func skipASCII(text string, i int) int {
	for i < len(text) && wordByte[text[i]] {
		i++
	}
	if i == len(text) || text[i] < utf8.RuneSelf {
		for i < len(text) && otherByte[text[i]] {
			i++
		}
		return i
	}
	if r, _ := utf8.DecodeRuneInString(text[i:]); !wordRune(r) || language.Unspaced(r) {
		return i
	}
	end, _, _ := pieceAt(text, i)
	return end
}

// letter is the bit of a folded byte; all non-letters share one.
func letter(c byte) uint32 {
	if 'a' <= c && c <= 'z' {
		return 1 << (c - 'a')
	}
	return 1 << 26
}

// second are the bits of the possible second bytes of a word. Stemming keeps the first
// two bytes, and a letter outside ASCII may fold to any.
func second(p *pieceForm) uint32 {
	if len(p.folded) < 3 || p.folded[1] >= utf8.RuneSelf {
		return 1<<27 - 1
	}
	return letter(p.folded[1]) | 1<<26
}

// wordByte tells whether a byte is an ASCII letter or digit; never written.
var wordByte = func() (table [256]bool) {
	for c := range utf8.RuneSelf {
		table[c] = strings.IndexByte("0123456789abcdefghijklmnopqrstuvwxyz", lower(byte(c))) >= 0
	}
	return table
}()

// otherByte tells whether a byte is other ASCII; never written.
var otherByte = func() (table [256]bool) {
	for c := range utf8.RuneSelf {
		table[c] = !wordByte[c]
	}
	return table
}()

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// at appends the terms that begin at i, in the piece that was read.
func (m *matcher) at(spans []span, text string, i int) []span {
	for k := range m.terms {
		f := &m.terms[k]
		if end, exact, ok := m.match(f, text, i); ok {
			spans = append(spans, span{start: i, end: end, term: k, weight: f.weigh(text, i, exact)})
		}
	}
	return spans
}

// match reports whether a term begins at i, where m.first was read, and returns its
// end. exact says that all its words have the form of the query.
func (m *matcher) match(f *form, text string, i int) (end int, exact, ok bool) {
	exact = true
	w := &m.first
	for k := range f.pieces {
		p, last := &f.pieces[k], k == len(f.pieces)-1
		if k > 0 {
			if i = nextPiece(text, i); i < 0 {
				return 0, false, false
			}
			w = &m.next
			w.read(text, i)
		}
		if w.unspaced != p.unspaced {
			return 0, false, false
		}
		if p.unspaced {
			if !p.begins(text[i:w.end], last) {
				return 0, false, false
			}
			i += len(p.text)
			continue
		}
		same := bytes.Equal(w.folded, p.folded)
		if same || p.alike(w, last && f.term.Prefix) {
			i, exact = w.end, exact && same
			continue
		}
		return 0, false, false
	}
	return i, exact, true
}

// begins reports whether a run of unspaced writing begins with the piece. Unless the
// piece is the last, the run must be no longer.
func (p *pieceForm) begins(text string, last bool) bool {
	return strings.HasPrefix(text, p.text) && (last || len(text) == len(p.text))
}

// alike reports whether a word is another form of the piece, or a continuation of it.
func (p *pieceForm) alike(w *seen, prefix bool) bool {
	if prefix {
		return bytes.HasPrefix(w.folded, p.folded)
	}
	return bytes.Equal(w.stem, p.stem)
}

// seen is a piece of a text in the forms for comparisons. It is read once and compared
// with many terms.
type seen struct {
	folded, stem []byte
	end          int
	unspaced     bool
}

// read reads the piece at i.
func (w *seen) read(text string, i int) {
	w.end, w.unspaced, _ = pieceAt(text, i)
	w.folded, w.stem = w.folded[:0], w.stem[:0]
	if !w.unspaced {
		w.folded = appendFolded(w.folded, text[i:w.end])
		w.stem = language.Porter(append(w.stem, w.folded...))
	}
}

// nextPiece is the start of the next piece after i; -1 for none.
func nextPiece(text string, i int) int {
	for i < len(text) {
		end, _, ok := pieceAt(text, i)
		if ok {
			return i
		}
		i = end
	}
	return -1
}

// weigh is the weight of an occurrence at i.
func (f *form) weigh(text string, i int, exact bool) float64 {
	if !exact && !f.term.Prefix {
		return otherForm
	}
	want := f.term.Text
	if plain(want) {
		return 1
	}
	if !standsAt(text, i-f.lead, want) {
		return otherSigns
	}
	return 1
}

func standsAt(text string, from int, want string) bool {
	return from >= 0 && from+len(want) <= len(text) && strings.EqualFold(text[from:from+len(want)], want)
}
