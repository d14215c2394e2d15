package transfer

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// script is how the characters of a file are written.
type script struct {
	mark     string // what a file begins with
	skip     int    // how much of it is no text
	encoding encoding.Encoding
}

// scripts are the encodings that editors and shells of Windows save files in. Without a mark,
// the zeros in the first characters of JSON tell them.
func scripts() []script {
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	return []script{
		{"\xef\xbb\xbf", 3, nil},
		{"\xff\xfe\x00\x00", 4, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"\x00\x00\xfe\xff", 4, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"\xff\xfe", 2, little},
		{"\xfe\xff", 2, big},
		{"[\x00", 0, little}, {"{\x00", 0, little}, {" \x00", 0, little}, {"\r\x00", 0, little}, {"\n\x00", 0, little},
		{"\x00[", 0, big}, {"\x00{", 0, big}, {"\x00 ", 0, big}, {"\x00\r", 0, big}, {"\x00\n", 0, big},
	}
}

// decoded is a file in UTF-8, without a byte order mark.
func decoded(r io.Reader, size int) *bufio.Reader {
	in := bufio.NewReaderSize(r, size)
	head, _ := in.Peek(4) // an error comes again with the next read
	for _, s := range scripts() {
		if !bytes.HasPrefix(head, []byte(s.mark)) {
			continue
		}
		_, _ = in.Discard(s.skip) // these bytes are buffered
		if s.encoding != nil {
			return bufio.NewReaderSize(s.encoding.NewDecoder().Reader(in), size)
		}
		break
	}
	return in
}
