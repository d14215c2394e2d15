package mention

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// InJSON reports whether a value or a member name of a JSON text names the thing. Words
// of the protocol do not count. A text that is not JSON is searched as plain text.
func (t *Thing) InJSON(text []byte) bool {
	_, n := t.RedactJSON(text)
	return n > 0
}

// InRecord is InJSON for a record of this program, whose member names and numbers do
// not count.
func (t *Thing) InRecord(text []byte) bool {
	_, n := t.RedactRecord(text)
	return n > 0
}

// RedactRecord is RedactJSON for a record of this program, whose member names and
// numbers stay.
func (t *Thing) RedactRecord(text []byte) ([]byte, int) { return t.redactJSON(text, true) }

// RedactJSON removes every mention from the values and member names of a JSON text:
// letters and digits become "x", numbers 0. The structure stays, and different names of
// an object stay different. It returns the text, unchanged without a mention, and the
// number of values and names that had one. A text that is not JSON is redacted as plain
// text.
func (t *Thing) RedactJSON(text []byte) ([]byte, int) { return t.redactJSON(text, false) }

func (t *Thing) redactJSON(text []byte, ours bool) ([]byte, int) {
	if len(text) == 0 {
		return text, 0
	}
	if !json.Valid(text) {
		clean, changed := t.blot(string(text))
		if !changed {
			return text, 0
		}
		again, n := t.redactJSON([]byte(clean), ours) // without the thing it may be JSON, if only a control character was in the way
		return again, 1 + n
	}
	b := blotter{thing: t, in: text, ours: ours, across: t.acrossParts(text)}
	clean, total := b.run(), b.n
	for total > 0 { // what is blotted may make another mention with the part behind it
		b = blotter{thing: t, in: clean, ours: ours, across: t.acrossParts(clean), empty: true}
		if len(b.across) == 0 {
			return clean, total
		}
		clean = b.run()
	}
	return text, 0
}

// blotter rewrites the strings and numbers of a valid JSON text.
type blotter struct {
	thing *Thing
	in    []byte
	ours  bool // names and numbers are not looked at
	// across are pieces of mentions that span several parts of a message, by the places
	// of the parts' texts. With empty, such texts are removed as a whole.
	across map[int][]Span
	empty  bool
	at     int
	out    []byte
	copied int // how much of in is in out
	n      int
	// member is the name of the member whose value comes next; "" if none was just read.
	member string
	// names are the member names of each open object so far; nil for a list.
	names []map[string]bool
}

// run returns the text without the mentions, unchanged if there are none.
func (b *blotter) run() []byte {
	for b.at < len(b.in) {
		switch c := b.in[b.at]; {
		case c == '"':
			b.literal()
			continue
		case c == '-' || '0' <= c && c <= '9':
			b.number()
			continue
		case c == '{':
			b.names = append(b.names, make(map[string]bool))
		case c == '[':
			b.names = append(b.names, nil)
		case c == '}' || c == ']':
			b.names = b.names[:len(b.names)-1]
		}
		b.at++
	}
	if b.n == 0 {
		return b.in
	}
	return append(b.out, b.in[b.copied:]...)
}

// replace writes a text in place of the bytes from start to b.at.
func (b *blotter) replace(start int, with []byte) {
	b.out = append(append(b.out, b.in[b.copied:start]...), with...)
	b.copied = b.at
	b.n++
}

// number replaces a number by 0 if it names the thing.
func (b *blotter) number() {
	start := b.at
	for b.at < len(b.in) && strings.IndexByte("+-.eE0123456789", b.in[b.at]) >= 0 {
		b.at++
	}
	if !b.ours && b.thing.in(b.in[start:b.at]) {
		b.replace(start, []byte{'0'})
	}
}

// literal rewrites a string if it names the thing.
func (b *blotter) literal() {
	start := b.at
	b.at = literalEnd(b.in, b.at)
	text := unquoted(b.in[start:b.at])
	if pieces := b.across[start]; len(pieces) > 0 {
		b.replace(start, quoted(b.part(text, pieces)))
		return
	}
	name, of := isName(b.in[b.at:]), b.member
	if b.member = ""; name {
		b.member = text
	}
	if b.fixed(of, text, name) || isProtocol(text, name) {
		return
	}
	clean, changed := b.thing.value(text)
	if name {
		clean, changed = b.unlike(clean, changed)
	}
	if changed {
		b.replace(start, quoted(clean))
	}
}

// fixed reports whether a string of a record of this program names nothing: the name of a member, a word of ours, or an
// id that does not name the thing.
func (b *blotter) fixed(member, text string, name bool) bool {
	switch {
	case name, isOneOf(member, fixedMembers) && isOneOf(text, OwnWords):
		return b.ours
	case isOneOf(member, nameMembers):
		return b.ours && !b.thing.InName(text)
	}
	return false
}

// part is the text of a part without its pieces of mentions.
func (b *blotter) part(text string, pieces []Span) string {
	if b.empty {
		return ""
	}
	clean, _ := b.thing.value(blotted(text, pieces))
	return clean
}

// isName reports whether the string before rest is the name of a member.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// unlike appends a number to a name that its object has already.
func (b *blotter) unlike(name string, changed bool) (string, bool) {
	taken := b.names[len(b.names)-1]
	free := name
	for i := 2; (changed || b.n > 0) && taken[free]; i++ {
		free = name + strconv.Itoa(i)
	}
	taken[free] = true
	return free, changed || free != name
}

// value is a string of a JSON text without mentions of the thing. A string that is
// itself JSON, such as the arguments of a call, stays JSON.
func (t *Thing) value(text string) (string, bool) {
	if inner := strings.TrimLeft(text, " \t\r\n"); inner != "" && (inner[0] == '{' || inner[0] == '[') && json.Valid([]byte(text)) {
		clean, n := t.RedactJSON([]byte(text))
		if n == 0 {
			return text, false
		}
		return string(clean), true
	}
	return t.blot(text)
}

// blot replaces the letters, digits and signs that name the thing. It leaves
// punctuation, which may have a meaning in a structured text. If the thing is still
// named then, the whole text is removed.
func (t *Thing) blot(text string) (string, bool) {
	spans := t.Spans(text)
	if len(spans) == 0 {
		return text, false
	}
	clean := blotted(text, spans)
	if t.In(clean) {
		return "", true
	}
	return clean, true
}

// blotted is a text with its letters, digits and signs in the spans replaced.
func blotted(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(text[at:s.Start])
		blotPiece(&out, text[s.Start:s.End])
		at = s.End
	}
	out.WriteString(text[at:])
	return out.String()
}

// blotPiece writes a piece of text without its letters, digits and signs.
func blotPiece(out *strings.Builder, piece string) {
	for len(piece) > 0 {
		r, _, n := unescape([]byte(piece), true)
		if n == 0 {
			r, n = utf8.DecodeRuneInString(piece)
		}
		if unicode.IsPunct(r) || unicode.IsSpace(r) {
			out.WriteString(piece[:n])
		} else {
			out.WriteByte('x')
		}
		piece = piece[n:]
	}
}

// quoted is a JSON string.
func quoted(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string: cannot fail
	return slices.Clip(bytes.TrimRight(b.Bytes(), "\n"))
}
