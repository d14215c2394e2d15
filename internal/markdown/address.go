package markdown

import (
	"bytes"
	"html"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// plainAddress is the node of an address that stands in a text as it is: "http://nas:8080/_a". In it, nothing is a mark.
type plainAddress struct {
	ast.BaseInline
	segment text.Segment
}

// kindPlainAddress is the kind of a plainAddress.
var kindPlainAddress = ast.NewNodeKind("PlainAddress")

// Kind implements ast.Node.
func (*plainAddress) Kind() ast.NodeKind { return kindPlainAddress }

// Dump implements ast.Node.
func (n *plainAddress) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// shown is the address without the backslashes and entities of the source.
func (n *plainAddress) shown(source []byte) string { return unescape(string(n.segment.Value(source))) }

// plainAddresses finds the addresses of the web in a text, whatever their hosts are: "localhost", numbers, and names in other
// scripts. goldmark's own parser wants a domain with a dot, and a blank or a mark before the scheme.
type plainAddresses struct{}

// Trigger implements parser.InlineParser. It is the end of the scheme, which has no other sign in every language.
func (plainAddresses) Trigger() []byte { return []byte{':'} }

// Parse implements parser.InlineParser.
func (plainAddresses) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("://")) {
		return nil
	}
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || before.Segment.Stop != segment.Start || before.SoftLineBreak() {
		return nil
	}
	scheme := schemeAtEnd(before.Segment.Value(block.Source()))
	behind := line[len("://"):]
	if scheme == 0 || hostStart(behind) == 0 {
		return nil
	}
	length := addressLength(behind, sync.OnceValue(func() string { return openMarks(pc) }))
	begin := segment.Start - scheme
	if before.Segment = before.Segment.WithStop(begin); before.Segment.IsEmpty() {
		parent.RemoveChild(parent, before)
	}
	block.Advance(len("://") + length)
	return &plainAddress{segment: text.NewSegment(begin, segment.Start+len("://")+length)}
}

// schemeAtEnd is the length of the scheme at the end of a text; 0 if there is none, or a letter before it.
func schemeAtEnd(words []byte) int {
	rest := bytes.TrimRightFunc(words, func(r rune) bool { return r < utf8.RuneSelf && isAlphanumeric(byte(r)) })
	switch scheme := strings.ToLower(string(words[len(rest):])); scheme {
	case "http", "https", "ftp":
		return len(scheme)
	}
	return 0
}

// openMarks are the signs of the formats that seem to be open.
func openMarks(pc parser.Context) string {
	const signs = "*_~"
	var open [len(signs)]int
	for run := pc.FirstDelimiter(); run != nil; run = run.NextDelimiter {
		sign := max(strings.IndexByte(signs, run.Char), 0)
		switch {
		case run.CanClose && open[sign] > 0:
			open[sign]--
		case run.CanOpen:
			open[sign]++
		}
	}
	marks := ""
	for sign, n := range open {
		if n > 0 {
			marks += signs[sign : sign+1]
		}
	}
	return marks
}

// longestHost bounds an address of IPv6 with its brackets and its zone.
const longestHost = 64

// hostStart is the length of the first sign of a host, or of an address of IPv6, at the beginning of a text; 0 if there is none.
func hostStart(behind []byte) int {
	r, size := utf8.DecodeRune(behind)
	if r != '[' {
		if !isWord(r) {
			return 0
		}
		return size
	}
	inner, _, closed := bytes.Cut(behind[1:min(len(behind), longestHost)], []byte("]"))
	if !closed || len(inner) < 2 || len(bytes.Trim(inner, "0123456789abcdefABCDEF:.%")) > 0 {
		return 0
	}
	return len(inner) + len("[]")
}

// addressLength is the length of an address behind its "://", where a host begins. The address reaches to the next blank or to
// what no address has. Punctuation at its end, the marks of formats that are open, and a bracket that it does not open belong to
// the text around it.
func addressLength(rest []byte, marks func() string) int {
	least := hostStart(rest)
	last, _ := utf8.DecodeLastRune(rest[:least])
	s := addressScanner{rest: rest, at: least, least: least, last: last}
	for s.at < len(rest) {
		size := s.next()
		if size == 0 {
			break
		}
		s.at += size
	}
	return s.without(marks)
}

// addressScanner goes through an address.
type addressScanner struct {
	rest []byte
	// at is how far the address reaches, and least where its host begins to be one.
	at, least int
	path      bool
	last      rune
	// open are the brackets that are open.
	open []rune
}

// next is the length of what comes next and belongs to the address; 0 at its end.
func (s *addressScanner) next() int {
	r, size := s.sign()
	if eastAsianLetter(r) {
		size = s.eastAsianWord(size)
	}
	if size == 0 || !inAddress(r) || !s.closes(r) {
		return 0
	}
	s.path = s.path || strings.ContainsRune("/?#", r)
	s.last = r
	return size
}

// sign is the next character with its length; a mark comes with the backslash that escapes it.
func (s *addressScanner) sign() (rune, int) {
	r, size := utf8.DecodeRune(s.rest[s.at:])
	if r != '\\' {
		return r, size
	}
	escaped := s.rest[s.at+size:]
	if len(escaped) == 0 || !isPunct(escaped[0]) {
		return 0, 0
	}
	return rune(escaped[0]), size + 1
}

// eastAsianLetter reports whether a character is a letter or a digit of Chinese, Japanese or Korean writing.
func eastAsianLetter(r rune) bool { return eastAsian(r) && isWord(r) }

// eastAsianWord is the length of letters that Chinese, Japanese or Korean text begins with; 0 if they are the text behind the
// address, for these languages have no blanks. In a host they are a part of it that they begin, in a path one between its marks.
func (s *addressScanner) eastAsianWord(size int) int {
	if !s.path {
		if strings.ContainsRune(".@", s.last) || eastAsian(s.last) {
			return size
		}
		return 0
	}
	word := s.rest[s.at:]
	end := bytes.IndexFunc(word, func(r rune) bool { return !eastAsianLetter(r) })
	if end > 0 && strings.ContainsRune("/?#=&", rune(word[end])) {
		return end
	}
	return 0
}

// inAddress reports whether a character may stand in an address.
func inAddress(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !strings.ContainsRune("<>\"`", r)
	}
	return isWord(r) || unicode.IsMark(r)
}

// closes reports whether a character is no bracket that closes what is not open.
func (s *addressScanner) closes(r rune) bool {
	switch r {
	case '(', '[', '{':
		s.open = append(s.open, r)
	case ')', ']', '}':
		last := len(s.open) - 1
		if last < 0 || s.open[last] != openerOf(r) {
			return false
		}
		s.open = s.open[:last]
	}
	return true
}

// openerOf is the bracket that opens what another one closes.
func openerOf(r rune) rune {
	switch r {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// without is the length of the address without punctuation, the marks of open formats and entities at its end.
func (s *addressScanner) without(marks func() string) int {
	address := s.rest[:s.at]
	for {
		shorter := address[:len(address)-trailing(address, marks)]
		escaped := bytes.HasSuffix(shorter, []byte(`\`)) // such a mark belongs to the address
		if len(shorter) == len(address) || len(shorter) < s.least || escaped {
			return len(address)
		}
		address = shorter
	}
}

// longestEntity bounds the search for an entity.
const longestEntity = 33

// trailing is the length of the entity, the punctuation or the mark of an open format at the end of an address; 0 if there is none.
func trailing(address []byte, marks func() string) int {
	last := address[len(address)-1]
	end := string(address[max(len(address)-longestEntity, 0):])
	name := strings.LastIndexByte(end, '&')
	switch {
	case last == ';' && name >= 0 && html.UnescapeString(end[name:]) != end[name:]:
		return len(end) - name
	case strings.IndexByte("?!.,:;|'([{", last) >= 0:
		return 1
	case strings.IndexByte("*_~", last) >= 0 && strings.IndexByte(marks(), last) >= 0:
		return 1
	}
	return 0
}
