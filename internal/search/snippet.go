package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippet is a short excerpt of a message around its matches.
type Snippet struct {
	// Text is one line; "…" marks omitted text.
	Text string `json:"text"`
	// Highlights are the positions of matches in Text: the first character and the one
	// after the last.
	Highlights [][2]int `json:"highlights"`
}

const (
	snippetBefore = 60  // bytes of context before the first match
	snippetLength = 240 // bytes in all, about
)

// excerpt is the part of a text for a snippet: the window with the most different
// terms, the first one among equals.
type excerpt struct {
	text          string
	spans         []span // within text
	before, after bool   // text is cut on that side
}

// excerptOf cuts out the excerpt, so that the whole text need not be kept.
func excerptOf(text string, spans []span) excerpt {
	from, to := window(text, spans)
	e := excerpt{text: strings.Clone(text[from:to]), before: from > 0, after: to < len(text)}
	for _, s := range spans {
		if s.start >= from && s.start < to {
			s.start, s.end = s.start-from, min(s.end, to)-from
			e.spans = append(e.spans, s)
		}
	}
	return e
}

// snippet renders an excerpt as one line with its matches marked.
func (e *excerpt) snippet() Snippet {
	w := line{out: Snippet{Highlights: [][2]int{}}, gapped: true, until: -1}
	w.b.Grow(len(e.text) + 2*len("…"))
	if e.before {
		w.put('…')
	}
	next := 0
	for at, r := range e.text {
		w.closeAt(at)
		if r <= ' ' || r >= 0x7f && (unicode.IsSpace(r) || unicode.IsControl(r)) {
			w.gap()
			continue
		}
		for ; next < len(e.spans) && e.spans[next].start <= at; next++ {
			w.mark(e.spans[next].end)
		}
		w.put(r)
	}
	w.closeAt(len(e.text))
	w.out.Text = strings.TrimRight(w.b.String(), " ")
	if e.after {
		w.out.Text += "…"
	}
	return w.out
}

// line renders a snippet.
type line struct {
	out    Snippet
	b      strings.Builder
	count  int // characters written
	gapped bool
	until  int // end of the open highlight in the text; -1 for none
}

func (w *line) put(r rune) {
	w.b.WriteRune(r)
	w.count++
	w.gapped = r == '…' && w.count == 1
}

// gap writes one space for any white space.
func (w *line) gap() {
	if !w.gapped {
		w.put(' ')
		w.gapped = true
	}
}

// mark begins a highlight, or extends the open one.
func (w *line) mark(until int) {
	if w.until < 0 {
		w.out.Highlights = append(w.out.Highlights, [2]int{w.count, w.count})
	}
	w.until = max(w.until, until)
}

// closeAt closes the open highlight if it ends at or before at.
func (w *line) closeAt(at int) {
	if w.until >= 0 && at >= w.until {
		w.out.Highlights[len(w.out.Highlights)-1][1] = w.count
		w.until = -1
	}
}

// window selects the part of a text that a snippet shows.
func window(text string, spans []span) (from, to int) {
	best := 0
	if len(spans) > 0 {
		best = spans[bestSpan(spans)].start
	}
	if from = best - snippetBefore; from <= 0 || len(text) <= snippetLength {
		from = 0
	} else {
		from = wordStart(text, from, best)
	}
	if to = from + snippetLength; to >= len(text) {
		return from, len(text)
	}
	return from, wordEnd(text, to, max(from, best))
}

// bestSpan is the start of the window with the most different terms.
func bestSpan(spans []span) int {
	best, most := 0, 0
	for i := range spans {
		var seen uint64 // the parser allows fewer than 64 terms
		n := 0
		for j := i; j < len(spans) && spans[j].end-spans[i].start < snippetLength-snippetBefore; j++ {
			if bit := uint64(1) << (spans[j].term % 64); seen&bit == 0 {
				seen |= bit
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
		if i > 1000 {
			break
		}
	}
	return best
}

// wordStart moves a position forward to the start of a word, at most to limit.
func wordStart(text string, at, limit int) int {
	for at < limit && !utf8.RuneStart(text[at]) {
		at++
	}
	if i := strings.IndexFunc(text[at:limit], unicode.IsSpace); i >= 0 {
		return at + i + 1
	}
	return at
}

// wordEnd moves a position back to the end of a word, at least to limit.
func wordEnd(text string, at, limit int) int {
	for at > limit && !utf8.RuneStart(text[at]) {
		at--
	}
	if i := strings.LastIndexFunc(text[limit:at], unicode.IsSpace); i > (at-limit)/2 {
		return limit + i
	}
	return at
}
