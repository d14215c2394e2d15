package terminal

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// code names a key.
type code uint8

// The keys. keyNone is a key without a meaning here.
const (
	keyNone code = iota
	keyText
	keyPaste
	keyEnter
	keyNewline
	keyTab
	keyBackTab
	keyBackspace
	keyDelete
	keyLeft
	keyRight
	keyUp
	keyDown
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyKillEnd
	keyKillStart
	keyKillWord
	keyKillNextWord
	keyYank
	keyClear
	keyEscape
	keyInterrupt
	keyEOF
	keyResize
)

// key is a key press. text is the typed or pasted text.
type key struct {
	code code
	text string
}

// controls are the keys of single bytes.
var controls = [...]code{
	0x01: keyHome, 0x02: keyLeft, 0x03: keyInterrupt, 0x04: keyEOF, 0x05: keyEnd, 0x06: keyRight,
	0x08: keyBackspace, 0x09: keyTab, 0x0a: keyNewline, 0x0b: keyKillEnd, 0x0c: keyClear, 0x0d: keyEnter,
	0x0e: keyDown, 0x10: keyUp, 0x15: keyKillStart, 0x17: keyKillWord, 0x19: keyYank, 0x1f: keyNone,
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// maxPaste bounds the buffer for a paste that does not end, in bytes.
	maxPaste = 1 << 20
	// maxSequence bounds a control sequence, in bytes.
	maxSequence = 64
)

// decode reads one key from the start of b and returns its length; 0 means that more
// bytes are needed. wait says that more may come: an escape alone is the Escape key
// only if nothing follows.
func decode(b []byte, wait bool) (key, int) {
	switch c := b[0]; {
	case c == 0x1b:
		return decodeEscape(b, wait)
	case c == 0x7f:
		return key{code: keyBackspace}, 1
	case c < ' ':
		return key{code: controls[c]}, 1
	}
	n := 0
	for n < len(b) && b[n] >= ' ' && b[n] != 0x7f {
		if !utf8.FullRune(b[n:]) && wait {
			break
		}
		_, size := utf8.DecodeRune(b[n:])
		n += size
	}
	return key{keyText, typed(string(b[:n]))}, n
}

func decodeEscape(b []byte, wait bool) (key, int) {
	if len(b) == 1 {
		if wait {
			return key{}, 0
		}
		return key{code: keyEscape}, 1
	}
	switch b[1] {
	case '[':
		return decodeSequence(b, wait)
	case 'O':
		if len(b) > 2 {
			return key{code: finals(b[2], false)}, 3
		}
		if wait {
			return key{}, 0
		}
	case '\r', '\n':
		return key{code: keyNewline}, 2
	case 'b':
		return key{code: keyWordLeft}, 2
	case 'f':
		return key{code: keyWordRight}, 2
	case 'd':
		return key{code: keyKillNextWord}, 2
	case 0x7f, 0x08:
		return key{code: keyKillWord}, 2
	case 0x1b:
		return key{code: keyEscape}, 1
	}
	if !utf8.FullRune(b[1:]) && wait {
		return key{}, 0
	}
	_, size := utf8.DecodeRune(b[1:])
	return key{}, 1 + size
}

// decodeSequence reads a sequence that begins with ESC [.
func decodeSequence(b []byte, wait bool) (key, int) {
	if bytes.HasPrefix(b, []byte(pasteStart)) {
		return decodePaste(b)
	}
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case c >= 0x40 && c <= 0x7e:
			return key{code: sequence(string(b[2:i]), c)}, i + 1
		case c < 0x20 || c > 0x7e || i > maxSequence:
			return key{}, i // not a sequence: the invalid byte is read again
		}
	}
	if wait {
		return key{}, 0
	}
	return key{}, len(b)
}

// sequence is the key of a control sequence.
func sequence(params string, final byte) code {
	first, modifier, _ := strings.Cut(params, ";")
	switch final {
	case '~':
		switch first {
		case "1", "7":
			return keyHome
		case "4", "8":
			return keyEnd
		case "3":
			return keyDelete
		case "27": // a modified key in xterm's encoding; 13 is Enter
			if strings.HasSuffix(modifier, ";13") {
				return keyNewline
			}
		}
		return keyNone
	case 'u': // a modified key in kitty's encoding
		if first == "13" {
			return keyNewline
		}
		return keyNone
	}
	return finals(final, modifier != "" && modifier != "1")
}

// finals are the keys identified by the final byte. With a modifier, the arrow keys
// move by words.
func finals(c byte, modified bool) code {
	switch c {
	case 'A':
		return keyUp
	case 'B':
		return keyDown
	case 'C':
		if modified {
			return keyWordRight
		}
		return keyRight
	case 'D':
		if modified {
			return keyWordLeft
		}
		return keyLeft
	case 'H':
		return keyHome
	case 'F':
		return keyEnd
	case 'Z':
		return keyBackTab
	case 'M':
		return keyEnter
	}
	return keyNone
}

// decodePaste reads a bracketed paste as one text, whatever its content.
func decodePaste(b []byte) (key, int) {
	body := b[len(pasteStart):]
	end := bytes.Index(body, []byte(pasteEnd))
	switch {
	case end >= 0:
		return key{keyPaste, pasted(body[:end])}, len(pasteStart) + end + len(pasteEnd)
	case len(b) > maxPaste:
		return key{keyPaste, pasted(body)}, len(b)
	}
	return key{}, 0
}

// pasted is a pasted text with normalized line ends.
func pasted(b []byte) string {
	text := strings.ToValidUTF8(string(b), string(utf8.RuneError))
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// typed is typed or pasted text without characters that act on the terminal. Combining
// characters may arrive alone here, and stay.
func typed(text string) string {
	return strings.Map(func(r rune) rune {
		if markdown.Shapeless(r) && !markdown.Turns(r) {
			return r
		}
		return markdown.Visible(0, r)
	}, text)
}
