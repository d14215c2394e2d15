package mention

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/hermes-memory/hermes/internal/language"
)

// folded is a text in the form in which texts are compared. It ignores case, the form
// of letters and signs (compatibility forms, typographic quotes and dashes), the kind
// and length of white space, and invisible characters. Letters and their marks are
// separate characters.
type folded struct {
	text []byte
	// from and to give the bytes of the original that each byte comes from, because a
	// folded form may be longer or shorter. nil if the caller did not ask for places.
	from, to []int
	// ends are the places between two letters or digits where a word ends, in rising
	// order (gap.go).
	ends []int
}

// maxMarks bounds the number of marks of one letter that are sorted. Unicode's own
// bound for streams is 30. A text with more is not a word.
const maxMarks = 32

// folder folds one text.
type folder struct {
	out    folded
	places bool
	base   rune // the last letter or sign that was written
	marks  []markedRune
	trail  trail
}

// markedRune is a combining mark that is not written yet, because further marks of its
// letter may follow.
type markedRune struct {
	r          rune
	class      uint8
	start, end int
}

// readings are the folded forms of a text: one per layer. A layer has two forms if it
// has characters that may be blanks (see folder.wide) and wide(first form) is true.
func readings(text []byte, places bool) []*folded {
	var all []*folded
	for _, l := range layers(text, places) {
		f, marked := l.fold(places, false)
		all = append(all, f)
		if marked {
			f, _ = l.fold(places, true)
			all = append(all, f)
		}
	}
	return all
}

// fold folds the text of a layer. doubt says that the form differs with wide.
func (l *layer) fold(places, bare bool) (out *folded, marked bool) {
	f := &folder{places: places}
	f.out.text = make([]byte, 0, len(l.text))
	if places {
		f.out.from, f.out.to = make([]int, 0, len(l.text)), make([]int, 0, len(l.text))
	}
	for at := 0; at < len(l.text); {
		looks := bare || !marked // for markup
		if n := f.ascii(l.text[at:], looks); n > 0 {
			at += n
			continue
		}
		if looks {
			n := markup(l.text[at:])
			marked = marked || n > 0
			if bare && n > 0 {
				f.trail.hidden = true
				at += n
				continue
			}
		}
		r, n := rune(l.text[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(l.text[at:])
		}
		f.add(r, l.start(at), l.end(at+n))
		at += n
	}
	f.flush()
	return &f.out, marked
}

// add adds a character.
func (f *folder) add(r rune, start, end int) {
	if r == utf8.RuneError { // files that are no text are full of it
		f.flush()
		f.plain(r, start, end)
		return
	}
	if unseen(r) {
		f.trail.hidden = true
		f.extend(end)
		return
	}
	if r < utf8.RuneSelf {
		f.flush()
		f.plain(r, start, end)
		return
	}
	if r >= 0xac00 && r <= 0xd7a3 { // a syllable, whose parts no table lists
		f.each(norm.NFD.AppendString(nil, string(r)), start, end)
		return
	}
	var b [utf8.UTFMax]byte
	p := norm.NFKD.Properties(b[:utf8.EncodeRune(b[:], r)])
	if d := p.Decomposition(); d != nil {
		f.each(d, start, end)
		return
	}
	f.addPart(r, p.CCC(), start, end)
}

// each adds the parts of a character.
func (f *folder) each(parts []byte, start, end int) {
	for len(parts) > 0 {
		r, n := utf8.DecodeRune(parts)
		if unseen(r) {
			f.extend(end)
			parts = parts[n:]
			continue
		}
		f.addPart(r, norm.NFKD.Properties(parts).CCC(), start, end)
		parts = parts[n:]
	}
}

// addPart adds a character without parts. class is its combining class.
func (f *folder) addPart(r rune, class uint8, start, end int) {
	switch {
	case class != 0:
		if lostWithCase(f.base, r) {
			f.extend(end)
			return
		}
		if len(f.marks) == maxMarks {
			f.flush()
		}
		f.marks = append(f.marks, markedRune{r, class, start, end})
	default:
		f.flush()
		f.plain(r, start, end)
	}
}

// plain writes a letter, a sign or a blank.
func (f *folder) plain(r rune, start, end int) {
	f.wordEnds(kindOf(r))
	switch {
	case unicode.IsSpace(r):
		if f.base == ' ' {
			f.extend(end)
			return
		}
		f.write(' ', start, end)
	case r == 'ß' || r == 'ẞ':
		f.write('s', start, end)
		f.write('s', start, end)
	default:
		f.write(foldedRune(r), start, end)
	}
}

// flush writes the pending marks in Unicode's order.
func (f *folder) flush() {
	if len(f.marks) == 0 {
		return
	}
	base := f.base
	slices.SortStableFunc(f.marks, func(a, b markedRune) int { return int(a.class) - int(b.class) })
	for _, m := range f.marks {
		f.write(foldedRune(m.r), m.start, m.end)
	}
	f.marks, f.base = f.marks[:0], base
}

// write writes one character of the folded form.
func (f *folder) write(r rune, start, end int) {
	before := len(f.out.text)
	f.out.text = utf8.AppendRune(f.out.text, r)
	f.base = r
	for i := before; f.places && i < len(f.out.text); i++ {
		f.out.from, f.out.to = append(f.out.from, start), append(f.out.to, end)
	}
}

// extend moves the end of the last written character to end.
func (f *folder) extend(end int) {
	if n := len(f.marks); n > 0 {
		f.marks[n-1].end = max(f.marks[n-1].end, end)
		return
	}
	if n := len(f.out.to); n > 0 {
		f.out.to[n-1] = max(f.out.to[n-1], end)
	}
}

// foldedRune is a letter without its case, and a sign in its plainest form. Letters
// that share a capital are equal: s and ſ, σ and ς, i and ı, k and the sign of kelvin.
func foldedRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	switch r {
	case utf8.RuneError:
		return r
	case '‘', '’', '‚', '‛', '′', 'ʼ':
		return '\''
	case '“', '”', '„', '‟', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// unseen reports whether a character is invisible: texts for models and people are
// shown without it. White space does not count as invisible.
func unseen(r rune) bool { return language.Hidden(r) && !unicode.IsSpace(r) }

// lostWithCase reports whether a mark depends on the case of its letter: the dot of İ,
// and the marks that Greek capitals are written without.
func lostWithCase(base, mark rune) bool {
	const dotAbove = 0x307
	if base == 'i' {
		return mark == dotAbove
	}
	return unicode.Is(unicode.Greek, base) && slices.Contains(greekAccents[:], mark)
}

// greekAccents are the grave and the acute accent, the circumflex, and the two
// breathings.
var greekAccents = [...]rune{0x300, 0x301, 0x342, 0x313, 0x314}
