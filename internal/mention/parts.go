package mention

import (
	"encoding/json"
	"strings"
)

// A message may be a list of parts, each an object with a member "text". Its text is
// what the parts make when they are joined, so a name may begin in one part and end
// in the next. Readers join parts with a line break or with nothing.

// partText is the member of a part that holds its text.
const partText = "text"

// part is the text of one part, and the place of its literal in the JSON text.
type part struct {
	at   int
	text string
}

// lists are the parts of each list of a valid JSON text that has two or more.
func lists(in []byte) [][]part {
	r := partReader{in: in}
	for r.at < len(in) {
		r.step()
	}
	return r.all
}

// partReader goes through a valid JSON text.
type partReader struct {
	in   []byte
	at   int
	open []container
	all  [][]part
}

// container is an open list or object.
type container struct {
	list  bool
	name  string // of the last member of an object
	parts []part // of a list
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
		if closed := r.open[last]; len(closed.parts) > 1 {
			r.all = append(r.all, closed.parts)
		}
		r.open = r.open[:last]
	}
	r.at++
}

// literal takes in the string from start to r.at.
func (r *partReader) literal(start int) {
	n := len(r.open)
	if n < 2 || r.open[n-1].list || !r.open[n-2].list {
		return // not of an object in a list
	}
	var text string
	if json.Unmarshal(r.in[start:r.at], &text) != nil {
		return // the text is valid: cannot be
	}
	object, list := &r.open[n-1], &r.open[n-2]
	switch {
	case isName(r.in[r.at:]):
		object.name = text
	case object.name == partText:
		list.parts = append(list.parts, part{start, text})
	}
}

// literalEnd is the end of the string of a valid JSON text that begins at at.
func literalEnd(in []byte, at int) int {
	for at++; in[at] != '"'; at++ {
		if in[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// acrossParts are the mentions that only the joined texts of parts have: for the place
// of each literal with a piece of one, the spans of its text.
func (t *Thing) acrossParts(in []byte) map[int][]Span {
	out := make(map[int][]Span)
	for _, parts := range lists(in) {
		for _, between := range []string{"\n", ""} {
			t.across(parts, between, out)
		}
	}
	for at, spans := range out {
		out[at] = joined(spans)
	}
	return out
}

// across adds the mentions in the texts of one list, joined by between.
func (t *Thing) across(parts []part, between string, out map[int][]Span) {
	var whole strings.Builder
	for _, p := range parts {
		whole.WriteString(p.text)
		whole.WriteString(between)
	}
	if !t.In(whole.String()) { // places cost several times as much
		return
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
