package mention

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A message may be a list of parts, each an object with a member "text". Readers join
// the texts of the parts, with a line break or with nothing, so a name may begin in one
// part and end in the next.

// partText is the name of the member that holds a part's text.
const partText = "text"

// part is the text of one part, and the place of its string in the JSON text.
type part struct {
	at   int
	text string
}

// group are texts that a reader joins.
type group struct {
	parts []part
	// apart says that they are joined by a line break only: a word does not go on from
	// one to the next.
	apart bool
}

// groups are those of a valid JSON text that have two texts or more: the parts of each
// list, and the values of each object and list.
func groups(in []byte) []group {
	r := partReader{in: in}
	for r.at < len(in) {
		r.step()
	}
	return r.all
}

// partReader collects the parts of a valid JSON text.
type partReader struct {
	in   []byte
	at   int
	open []container
	all  []group
}

// container is an open list or object.
type container struct {
	list   bool
	name   string // of the last member of an object
	parts  []part // of a list
	values []part
}

func (r *partReader) step() {
	start := r.at
	switch c := r.in[r.at]; c {
	case '"':
		r.at = literalEnd(r.in, r.at)
		r.literal(start)
		return
	case '{', '[':
		r.open = append(r.open, container{list: c == '['})
	case '}', ']':
		last := len(r.open) - 1
		r.join(group{parts: r.open[last].parts})
		r.join(group{parts: r.open[last].values, apart: true})
		r.open = r.open[:last]
	}
	r.at++
}

func (r *partReader) join(g group) {
	if len(g.parts) > 1 {
		r.all = append(r.all, g)
	}
}

// literal adds the string from start to r.at.
func (r *partReader) literal(start int) {
	n := len(r.open)
	if n == 0 {
		return
	}
	text, inner := unquoted(r.in[start:r.at]), &r.open[n-1]
	if isName(r.in[r.at:]) {
		inner.name = text
		return
	}
	if !isProtocol(text, false) {
		inner.values = append(inner.values, part{start, text})
	}
	if n > 1 && inner.name == partText && r.open[n-2].list {
		r.open[n-2].parts = append(r.open[n-2].parts, part{start, text})
	}
}

// unquoted is what the string of a valid JSON text says.
func unquoted(literal []byte) string {
	if inner := literal[1 : len(literal)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var text string
	_ = json.Unmarshal(literal, &text) // the text is valid: cannot fail
	return text
}

// literalEnd is the end of the string that begins at at in a valid JSON text.
func literalEnd(in []byte, at int) int {
	for at++; in[at] != '"'; at++ {
		if in[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// acrossParts are the mentions that only the joined texts of parts contain: the spans
// of each part's text, by the place of the part's string.
func (t *Thing) acrossParts(in []byte) map[int][]Span {
	out := make(map[int][]Span)
	for _, g := range groups(in) {
		if t.several() || !g.apart {
			t.across(g.parts, "\n", out)
		}
		if !g.apart {
			t.across(g.parts, "", out)
		}
	}
	for at, spans := range out {
		out[at] = joined(spans)
	}
	return out
}

// across adds the mentions in the texts of one group, joined by between.
func (t *Thing) across(parts []part, between string, out map[int][]Span) {
	var whole strings.Builder
	for _, p := range parts {
		whole.WriteString(p.text)
		whole.WriteString(between)
	}
	for _, s := range t.Spans(whole.String()) {
		touched := touchedParts(parts, s, len(between))
		if len(touched) < 2 {
			continue // the part alone has it
		}
		for at, piece := range touched {
			out[at] = append(out[at], piece)
		}
	}
}

// touchedParts are the pieces of parts that a span of their joined text covers.
func touchedParts(parts []part, s Span, between int) map[int]Span {
	out := make(map[int]Span)
	begin := 0
	for _, p := range parts {
		piece := Span{max(s.Start-begin, 0), min(s.End-begin, len(p.text))}
		if piece.Start < piece.End {
			out[p.at] = piece
		}
		begin += len(p.text) + between
	}
	return out
}
