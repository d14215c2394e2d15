package mention

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	// scanPiece is the number of bytes of a stream that are searched at once.
	scanPiece = 1 << 20
	// firstPiece is the same at the beginning of a stream. Most files of a home are transcripts,
	// and smaller.
	firstPiece = 64 << 10
)

// Count is what a search of a stream found.
type Count struct {
	Bytes int64 // the length of the stream
	Hits  int   // mentions
	Own   int   // mentions in words of the stream's own format, not in Hits
}

// CountIn counts the mentions in a stream that need not be text, such as a database
// file.
func (t *Thing) CountIn(in io.Reader, format Format) (c Count, err error) {
	overlap := t.reach()
	var buf []byte
	for piece := firstPiece; ; piece = scanPiece {
		keep, next := min(len(buf), overlap), buf // a mention may lie across two pieces
		if cap(buf) < keep+piece {
			next = make([]byte, overlap+piece)
		}
		copy(next[:keep], buf[len(buf)-keep:])
		n, err := fill(in, next[keep:keep+piece])
		buf = next[:keep+n]
		c.Bytes += int64(n)
		ends := errors.Is(err, io.EOF)
		till := len(buf)
		if !ends { // a mention near the end counts with the next piece, which has what stands behind the mention
			till -= maxFixed
		}
		t.countBetween(buf, max(0, keep-maxFixed), till, &format, &c)
		switch {
		case ends:
			return c, nil
		case err != nil:
			return c, fmt.Errorf("search: %w", err)
		}
	}
}

// Count counts the mentions in a value that need not be text, such as one of a column.
func (t *Thing) Count(value []byte, format Format) Count {
	if len(value) > scanPiece { // folded at once, it would take several times its memory
		c, _ := t.CountIn(bytes.NewReader(value), format) // reading a value cannot fail
		return c
	}
	c := Count{Bytes: int64(len(value))}
	t.countBetween(value, 0, len(value), &format, &c)
	return c
}

// fill reads until a buffer is full, or the stream ends.
func fill(in io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var k int
		k, err = in.Read(buf[n:])
		n += k
	}
	return n, err
}

// countBetween counts the mentions in a text that end behind a place, and not behind another one.
func (t *Thing) countBetween(text []byte, from, till int, format *Format, c *Count) {
	for _, s := range t.spans(text) {
		switch {
		case s.End <= from || s.End > till || t.byChance(text, s):
		case format.has(text, s):
			c.Own++
		case format.apart != nil && format.apart(c.Bytes-int64(len(text)-s.Start), c.Bytes-int64(len(text)-s.End)):
			// several values side by side, each of which is searched in its row
		default:
			c.Hits++
		}
	}
}

// byChance reports whether bytes that are no one text make a mention.
func (t *Thing) byChance(text []byte, s Span) bool {
	return t.brief() && !readable(text, s) || t.several() && !oneText(text[s.Start:s.End])
}

// brief reports whether the name is so short that numbers and vectors have it.
func (t *Thing) brief() bool {
	return slices.ContainsFunc(t.needles, func(n needle) bool { return n.whole() || n.size() <= chance })
}

const (
	// chance is the length in bytes up to which numbers and vectors may contain a name
	// by chance.
	chance = 3
	// context is the number of bytes of text that must surround such a name.
	context = 12
)

// readable reports whether a mention stands in a text. Other bytes can contain a short
// name by chance.
func readable(text []byte, s Span) bool {
	n := 0
	for at := s.Start; at > 0 && n < context; n++ {
		r, size := utf8.DecodeLastRune(text[:at])
		if !shown(r) {
			break
		}
		at -= size
	}
	for at := s.End; at < len(text) && n < context; n++ {
		r, size := utf8.DecodeRune(text[at:])
		if !shown(r) {
			break
		}
		at += size
	}
	return n >= context
}

// oneText reports whether a mention of several words lies within one text. Neighbouring
// columns and words of an index are kept apart by bytes that no text has, and members of
// a JSON text by its signs: what they name together is searched for row by row.
func oneText(mention []byte) bool {
	mention = bytes.TrimRightFunc(mention, func(r rune) bool { return !shown(r) }) // a place reaches over unseen characters
	for _, sign := range []string{`":`, `",`} {
		if bytes.Contains(mention, []byte(sign)) {
			return false
		}
	}
	return !bytes.ContainsFunc(mention, noText)
}

// noText reports whether a character stands in no text.
func noText(r rune) bool { return !shown(r) && !unseenInText(r) }

// unseenInText reports whether a character that is not shown stands in texts: the mark of
// a control sequence, and what lays out a text.
func unseenInText(r rune) bool { return r == 0x1b || r == 0x9b || unicode.Is(unicode.Cf, r) }

// shown reports whether a character can occur in a text.
func shown(r rune) bool { return r != utf8.RuneError && (unicode.IsPrint(r) || unicode.IsSpace(r)) }

// reach is the maximum length of a mention in a stream: each letter may be escaped
// twice and followed by a few invisible characters.
func (t *Thing) reach() int {
	longest := 0
	for _, n := range t.needles {
		longest = max(longest, n.size()+(len(n.words)-1)*(maxGap+maxMarkup/32))
	}
	return 1<<10 + 32*longest
}
