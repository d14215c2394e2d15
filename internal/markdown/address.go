package markdown

import (
	"bytes"
	"html"
	"strings"
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
func (plainAddresses) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("://")) {
		return nil
	}
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || before.Segment.Stop != segment.Start || before.SoftLineBreak() {
		return nil
	}
	scheme := schemeAtEnd(before.Segment.Value(block.Source()))
	rest := string(line[len("://"):])
	length := addressLength(rest)
	if scheme == 0 || length == 0 {
		return nil
	}
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

// addressLength is the length of an address behind its "://"; 0 if no host is there. The address reaches to the next blank or to
// what no address has. Punctuation at its end, and a bracket that it does not open, belong to the text around it.
func addressLength(rest string) int {
	s := addressScanner{rest: rest}
	if s.host() == 0 {
		return 0
	}
	for s.at < len(rest) {
		size := s.next()
		if size == 0 {
			break
		}
		s.at += size
	}
	return s.withoutPunctuation()
}

// addressScanner goes through an address.
type addressScanner struct {
	rest string
	// at is how far the address reaches, and least where its host begins to be one.
	at, least int
	path      bool
	last      rune
	// open are the brackets that are open.
	open []rune
}

// host goes over the first sign of the host, or over an address of IPv6, and returns its length.
func (s *addressScanner) host() int {
	r, size := utf8.DecodeRuneInString(s.rest)
	if r == '[' {
		end := strings.IndexByte(s.rest, ']')
		if end < 2 || strings.Trim(s.rest[1:end], "0123456789abcdefABCDEF:.%") != "" {
			return 0
		}
		size, r = end+1, ']'
	} else if !isWord(r) {
		return 0
	}
	s.at, s.least, s.last = size, size, r
	return size
}

// next is the length of what comes next and belongs to the address; 0 at its end.
func (s *addressScanner) next() int {
	r, size := utf8.DecodeRuneInString(s.rest[s.at:])
	if eastAsian(r) && isWord(r) {
		size = s.eastAsianWord(size)
	}
	if r == '\\' { // it escapes a mark
		escaped := s.rest[s.at+size:]
		if escaped == "" || !isPunct(escaped[0]) {
			return 0
		}
		r, size = rune(escaped[0]), size+1
	}
	if size == 0 || !inAddress(r) || !s.closes(r) {
		return 0
	}
	s.path = s.path || strings.ContainsRune("/?#", r)
	s.last = r
	return size
}

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
	end := strings.IndexFunc(word, func(r rune) bool { return !eastAsian(r) || !isWord(r) })
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

// withoutPunctuation is the length of the address without the punctuation and the entities at its end.
func (s *addressScanner) withoutPunctuation() int {
	address := s.rest[:s.at]
	for {
		shorter := address[:len(address)-trailing(address)]
		escaped := strings.HasSuffix(shorter, `\`) // such a mark belongs to the address
		if len(shorter) == len(address) || len(shorter) < s.least || escaped {
			return len(address)
		}
		address = shorter
	}
}

// longestEntity bounds the search for an entity.
const longestEntity = 33

// trailing is the length of the entity or the punctuation at the end of an address; 0 if there is none.
func trailing(address string) int {
	last := address[len(address)-1]
	end := address[max(len(address)-longestEntity, 0):]
	if name := strings.LastIndexByte(end, '&'); name >= 0 && last == ';' && html.UnescapeString(end[name:]) != end[name:] {
		return len(end) - name
	}
	if strings.IndexByte("?!.,:;*_~|'([{", last) >= 0 {
		return 1
	}
	return 0
}
