package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// spot is a position where a text may be cut. A loose one tears apart what belongs
// together: a heading and its text, the two ends of a format.
type spot struct {
	at    int
	loose bool
}

// spots are the positions where the first t bytes of a text may be cut, by kind.
type spots struct {
	blank, line, sentence, word []spot
	// inner are the words within code and within rows of tables.
	inner []spot
}

// best is the best position for the end of a part within the first t bytes of the rest. The
// rules are tried in order: a better kind of position, but not one that leaves more than
// half of the text for the next part.
func (s *Splitter) best(t int) (int, bool) {
	found := findSpots(s.rest[:t], s.at)
	for _, rule := range [...]struct {
		list []spot
		from int
	}{
		{found.blank, t / 2},
		{found.line, t / 2},
		{found.sentence, t / 2},
		{found.line, 1},
		{found.word, t / 4},
		{found.inner, 1},
	} {
		if c, ok := s.last(rule.list, rule.from); ok {
			return c, true
		}
	}
	return s.last(characters(s.rest[:t]), 1)
}

// last is the last position from a place on with which a part fits, if possible not a loose
// one. A longer part is taken to be longer when rendered, and whatever is returned fits.
func (s *Splitter) last(list []spot, from int) (int, bool) {
	for len(list) > 0 && list[0].at < from {
		list = list[1:]
	}
	low, high := 0, len(list) // list[:low] fit, list[high:] do not
	for low < high {
		middle := (low + high) / 2
		if s.count(s.piece(list[middle].at).Text) <= s.limit {
			low = middle + 1
		} else {
			high = middle
		}
	}
	const tries = 16
	for i := low - 1; i >= max(low-tries, 0); i-- {
		if !list[i].loose && s.fits(list[i].at) {
			return list[i].at, true
		}
	}
	if low == 0 || !s.fits(list[low-1].at) {
		return 0, false
	}
	return list[low-1].at, true
}

// characters are the positions between characters, none of them before a blank. Within a
// cluster that is a text by itself they are those between its code points.
func characters(text string) []spot {
	var list []spot
	it := graphemes.FromString(text)
	for it.Next() {
		if end := it.End(); end < len(text) && !startsBlank(text[end:]) {
			list = append(list, spot{at: end})
		}
	}
	return list
}

func startsBlank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

// findSpots finds the positions in a text that begins at a place. Each is followed by a
// character that is no blank.
func findSpots(text string, at place) spots {
	var found spots
	begin, paragraph, gap := 0, 0, false
	before := ""
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		if content == "" && line[len(line)-1] == '\n' {
			at = at.after(line)
			begin, gap = begin+len(line), true
			continue
		}
		if content != "" && begin > 0 {
			found.between(spot{begin, loose(before, content, &at)}, gap && at.fence == "")
		}
		if gap || begin > 0 && startsBlock(content) {
			paragraph = begin
		}
		found.words(text, begin, begin+len(line), paragraph, at.inner(content))
		at = at.after(line)
		begin, gap, before = begin+len(line), false, content
	}
	return found
}

// between adds a position between two lines.
func (f *spots) between(s spot, blank bool) {
	if blank {
		f.blank = append(f.blank, s)
		return
	}
	f.line = append(f.line, s)
}

// inner reports whether a line here belongs to a block of code or to a table.
func (p *place) inner(content string) bool {
	return p.fence != "" || p.header != "" || opens(content) != ""
}

// startsBlock reports whether a line begins a block of its own.
func startsBlock(content string) bool {
	return withoutMarker(content) != content || strings.HasPrefix(content, "#") || strings.HasPrefix(content, ">")
}

// loose reports whether a cut between two lines tears apart what belongs together.
func loose(before, content string, at *place) bool {
	switch {
	case at.fence != "":
		return strings.HasPrefix(before, at.fence)
	case strings.HasPrefix(before, "#"), isDelimiterRow(before):
		return true
	}
	return strings.Contains(before, "|") && strings.Trim(content, " \t|:-") == "" || strings.Trim(content, "=-") == ""
}

// words finds the positions between the words of a line.
func (f *spots) words(text string, begin, end, paragraph int, inner bool) {
	var m markCounter
	counted := paragraph
	space, last := false, rune(0)
	for i, r := range text[begin:end] {
		at := begin + i
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		ends := sentenceEnd(text[begin:at], last, space)
		if at > begin && (space || ends) && last != 0 {
			if !inner {
				m.add(text[counted:at])
				counted = at
			}
			here := spot{at, m.open()}
			switch {
			case inner:
				f.inner = append(f.inner, here)
			case ends:
				f.sentence = append(f.sentence, here)
			default:
				f.word = append(f.word, here)
			}
		}
		space, last = false, r
	}
}

// sentenceEnd reports whether a sentence ends here, where last is the last character that is
// no blank.
func sentenceEnd(line string, last rune, space bool) bool {
	if strings.ContainsRune("。！？", last) {
		return true
	}
	if !space {
		return false
	}
	line = strings.TrimRight(line, " \t\u00a0\"')]}*_~”’»")
	return line != "" && strings.ContainsRune(".!?…", lastRune(line)) && !strings.HasSuffix(line, " .")
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// markCounter follows the marks of formats through a paragraph. It only guesses: a wrong
// guess moves a cut, and no more.
type markCounter struct {
	stars, pairs, ticks, brackets int
	address                       bool
}

func (m *markCounter) add(text string) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		next := byte(' ')
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch {
		case c == '\\':
			i++
		case strings.IndexByte("*_~", c) >= 0 && next == c:
			m.pairs++
			i++
		case c == '*' && (next != ' ' || m.stars%2 != 0):
			m.stars++
		case c == '`':
			m.ticks++
		case c == '[':
			m.brackets++
		case c == ']':
			m.brackets = max(m.brackets-1, 0)
			m.address = next == '('
		case c == ')':
			m.address = false
		}
	}
}

// open reports whether some format seems to be open.
func (m *markCounter) open() bool {
	return (m.stars|m.pairs|m.ticks)%2 != 0 || m.brackets > 0 || m.address
}
