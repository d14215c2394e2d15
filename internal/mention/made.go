package mention

import (
	"bytes"
	"slices"
	"strings"
)

// The ids that this program makes consist of random letters and digits, so that they contain each
// short name now and then: "f_0a73ada9089e1683" says nothing of Ada. A name in such an id is no
// mention, and the word that begins the id is none. Otherwise the forgetting of Ada would delete sessions that have nothing to do with her,
// and could never be certified.

// slightest is the length in bytes up to which a name is likely to be in some id by chance. A number may be as long
// as a date: each id of a session begins with the date of its day.
const (
	slightest = 6
	slightDay = len("20060102")
)

const (
	hexDigits    = "0123456789abcdef"
	base32Digits = "0123456789abcdefghijklmnopqrstuv"
)

// madeForm is a form of ids: a prefix, and a number of letters and digits.
type madeForm struct {
	prefix, digits string
	least, most    int
}

// madeForms are the forms of ids that this program makes, but for those of sessions. The last one is
// that of a SHA-256 in hexadecimal digits. It is never written.
var madeForms = [...]madeForm{
	{"f_", hexDigits, 16, 16}, {"job_", hexDigits, 16, 16}, {"run_", hexDigits, 16, 32}, {"conv_", hexDigits, 32, 32},
	{"msg_", hexDigits, 28, 28}, {"r_", base32Digits, 23, 23},
	{"resp_", base32Digits, 23, 23}, {"msg_", base32Digits, 23, 23}, {"fc_", base32Digits, 23, 23}, {"rs_", base32Digits, 23, 23},
	{"file_", hexDigits, 16, 16}, {"evt_", hexDigits, 16, 64}, {"said:", hexDigits, 32, 32}, {"forgotten ", hexDigits, 32, 32},
	{"", hexDigits, 64, 64},
}

// slight reports whether the name is so short that ids contain it.
func (t *Thing) slight() bool {
	return slices.ContainsFunc(t.needles, func(n needle) bool { return isSlight(string(bytes.Join(n.words, nil))) })
}

// isSlight reports whether a name is so short that ids contain it.
func isSlight(name string) bool {
	return len(name) <= slightest || len(name) <= slightDay && strings.Trim(name, "0123456789") == ""
}

// inMadeID reports whether a piece of a text lies within an id that this program has made.
func inMadeID(text []byte, s Span) bool {
	for i := range madeForms {
		if madeForms[i].holds(text, s) {
			return true
		}
	}
	return inSessionID(text, s)
}

// holds reports whether a piece of a text lies within an id of this form.
func (f *madeForm) holds(text []byte, s Span) bool {
	first := max(0, s.Start-digitsBefore(text[:s.Start], f.digits))
	last := min(len(text), s.Start+len(f.prefix))
	for begin := max(first, s.End-f.most); begin <= last; begin++ { // a letter of the prefix may be one of the digits
		if begin-len(f.prefix) > s.Start || !bytes.HasSuffix(text[:begin], []byte(f.prefix)) {
			continue
		}
		if n := digitsOf(text[begin:min(len(text), begin+f.most)], f.digits); n >= f.least {
			return begin+n >= s.End
		}
	}
	return false
}

// digitsBefore is the number of digits at the end of a text, and digitsOf that at its beginning.
func digitsBefore(text []byte, digits string) int {
	return len(text) - len(bytes.TrimRight(text, digits))
}

func digitsOf(text []byte, digits string) int {
	return len(text) - len(bytes.TrimLeft(text, digits))
}

// sessionForm is the form of the ids that this program gives to sessions: a date, a time and eight
// hexadecimal digits. A 0 stands for a decimal digit, and an f for a hexadecimal one.
const sessionForm = "00000000_000000_ffffffff"

// inSessionID reports whether a piece of a text lies within such an id.
func inSessionID(text []byte, s Span) bool {
	for start := max(0, s.End-len(sessionForm)); start <= s.Start; start++ {
		if start+len(sessionForm) <= len(text) && isSessionID(text[start:start+len(sessionForm)]) {
			return true
		}
	}
	return false
}

func isSessionID(text []byte) bool {
	for i, c := range text {
		digits := "_"
		switch sessionForm[i] {
		case '0':
			digits = hexDigits[:10]
		case 'f':
			digits = hexDigits
		}
		if strings.IndexByte(digits, c) < 0 {
			return false
		}
	}
	return true
}
