package markdown

import "strings"

// Part is a piece of a text that fits into one message.
type Part struct {
	// Source is the piece as Markdown that stands on its own: a block of code that goes on in
	// the next part is closed, one that began in an earlier part is opened again, a table has
	// its header, and the indentation of a list that began earlier is left out.
	Source string
	// Text is Source in the dialect.
	Text string
	// Plain says that Text has no formatting. The limit was too small for the dialect.
	Plain bool
	// Raw is the piece as it stands in the text: the raw pieces of all parts, one after the
	// other, are the text. The last one also has what shows nothing at the end of the text.
	Raw string
	// Opened and Closed are what Source has before and behind the piece.
	Opened, Closed string
}

// Split cuts a text into parts, each of which counts at most limit when it is rendered: at a
// blank line, else between lines, sentences, words or characters. Rows of tables stay whole
// where a row fits. A part is never empty; a text that shows nothing has no parts. If the
// limit is smaller than one character, the part has one character.
func Split(src string, limit int, count func(rendered string) int, d Dialect) []Part {
	s := NewSplitter(limit, count, d)
	parts := append(s.Add(src), s.Finish()...)
	if n := len(parts) - 1; n >= 0 {
		parts[n].Raw += s.rest // what shows nothing at the end
	}
	return parts
}

// Splitter cuts a text that grows. A part that it has returned never changes, whatever
// follows: the parts are those of [Split], in however many pieces the text arrives.
type Splitter struct {
	limit int
	count func(string) int
	d     Dialect
	// rest is the text behind the finished parts, and at says what stands where it begins.
	rest string
	at   place
	// next is the length of rest at which it is looked at again.
	next int
}

// NewSplitter returns a splitter. The count is that of the platform, such as [Dialect.Length].
func NewSplitter(limit int, count func(rendered string) int, d Dialect) *Splitter {
	limit = max(limit, 1)
	return &Splitter{limit: limit, count: count, d: d, next: limit}
}

// Add appends to the text, in whole characters, and returns the parts that are finished.
func (s *Splitter) Add(text string) []Part {
	s.rest += text
	return s.finished(false)
}

// Open is the unfinished part, as it is now; false if it shows nothing. What does not fit
// into it any more is left out: it comes with the next part.
func (s *Splitter) Open() (Part, bool) {
	if s.rest == "" {
		return Part{}, false
	}
	p := s.piece(len(s.rest))
	if s.count(p.Text) > s.limit {
		now := *s
		p = now.cut(len(s.rest))
	}
	return p, !s.d.blank(p.Text)
}

// Finish ends the text and returns its last parts.
func (s *Splitter) Finish() []Part {
	parts := s.finished(true)
	if s.rest == "" {
		return parts
	}
	if p := s.piece(len(s.rest)); !s.d.blank(p.Text) {
		s.rest = ""
		parts = append(parts, p)
	}
	return parts
}

// finished cuts off parts. Whether and where a part ends depends only on the text up to the
// position where it was looked at, and these positions depend only on the text before them:
// so no text that is added later changes a part.
func (s *Splitter) finished(final bool) []Part {
	var parts []Part
	for {
		t := runeStart(s.rest, s.next)
		switch {
		case t < len(s.rest):
			n := s.count(s.piece(t).Text)
			if n <= s.limit {
				s.next = t + max(s.limit-n, t/4, 1)
				continue
			}
		case final && s.rest != "":
			t = len(s.rest)
			if s.count(s.piece(t).Text) <= s.limit {
				return parts
			}
		default:
			return parts
		}
		parts = append(parts, s.cut(t))
	}
}

// piece is the part that ends at a position of the rest.
func (s *Splitter) piece(c int) Part {
	p := Part{Raw: s.rest[:c]}
	end := s.at.after(p.Raw)
	indent, mid := s.at.indent, s.at.mid
	p.Opened = s.at.opening(s.rest)
	if p.Closed = end.closing(); closes(lastLine(p.Raw), end.fence) {
		p.Closed = ""
	}
	exempt := strings.Count(p.Opened, "\n") + 1
	if !mid {
		exempt--
	}
	body := strings.TrimRight(p.Raw, " \t\r\n")
	p.Source = dedent(p.Opened+body+p.Closed, indent, exempt)
	p.Opened = dedent(p.Opened, indent, exempt)
	if p.Closed != "" {
		p.Closed = p.Source[strings.LastIndexByte(p.Source, '\n'):]
	}
	p.Text = Render(Parse(p.Source), s.d)
	return p
}

// fits reports whether the part that ends at a position is a part.
func (s *Splitter) fits(c int) bool {
	text := s.piece(c).Text
	return s.count(text) <= s.limit && !s.d.blank(text)
}

// take cuts the rest off at a position.
func (s *Splitter) take(c int) Part {
	p := s.piece(c)
	s.at = s.at.moved(s.rest, c)
	s.rest, s.next = s.rest[c:], s.limit
	return p
}

// cut takes the best part of the first t bytes of the rest, which do not fit as a whole.
func (s *Splitter) cut(t int) Part {
	if c, ok := s.best(t); ok {
		return s.take(c)
	}
	s.at.bare = true // perhaps it is the header of the table that does not fit
	if c, ok := s.best(t); ok {
		return s.take(c)
	}
	return s.force(t)
}

// force takes one character without formatting, or as many of its code points as fit, but
// one at least.
func (s *Splitter) force(t int) Part {
	rest := s.rest[:t]
	start := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	end := start + firstCharacter(rest[start:])
	fits := runeStart(rest, start+1)
	for low, high := fits, end; low < high; {
		middle := runeStart(rest, (low+high+1)/2)
		if s.count(tameCode(rest[start:middle])) <= s.limit {
			fits, low = middle, middle
		} else {
			high = (low+high+1)/2 - 1
		}
	}
	text := tameCode(rest[start:fits])
	for strings.TrimSpace(text) == "" && fits < t {
		fits = runeStart(rest, fits+1)
		text = tameCode(rest[start:fits])
	}
	for fits < t && startsBlank(rest[fits:]) {
		fits = runeStart(rest, fits+1)
	}
	p := s.take(fits)
	p.Source, p.Opened, p.Closed = strings.TrimSpace(p.Raw), "", ""
	p.Text, p.Plain = strings.TrimSpace(text), true
	return p
}
