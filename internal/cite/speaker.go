package cite

import (
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
)

// MaxName is how many characters of a name are shown.
const MaxName = 64

// user is the role whose words need no other mark than their speaker's name.
const user = "user"

// Speaker appends whose words follow: a role of ours as it is, and the name that
// came with the words. A name is data, as the words are: it stands in quotation
// marks unless it is a single word that cannot be taken for anything else.
func Speaker(b []byte, role, name string) []byte {
	if name == "" {
		return append(b, role...)
	}
	if role != user {
		b = append(append(b, role...), ' ')
		return Words(b, short(name))
	}
	return append(b, Name(name)...)
}

// Name is a speaker's name as it is shown.
func Name(name string) string {
	if simple(name) {
		return name
	}
	return Quoted(short(name))
}

// Label is a speaker's name as it stands in square brackets before the words. A name that is one of our words
// for whose words follow stands in quotation marks.
func Label(name string) string {
	line := Inside(name)
	if ours[strings.ToLower(strings.TrimSpace(line))] {
		return Quoted(line)
	}
	return line
}

// short is a name on one line, cut to [MaxName] characters. One of which nothing
// can be seen still is a name: its words are not the nameless user's.
func short(name string) string {
	// No character that is shown takes more bytes than this, with hidden ones between.
	const most = 64 * MaxName
	if len(name) > most {
		name = name[:most]
	}
	line := strings.TrimSpace(Line(name))
	if line == "" {
		return "?"
	}
	if utf8.RuneCountInString(line) <= MaxName {
		return line
	}
	return string([]rune(line)[:MaxName-1]) + "…"
}

// simple reports whether a name may stand without quotation marks.
func simple(name string) bool {
	return len(name) <= MaxName && language.Plain(name) && !ours[strings.ToLower(name)] && isWord(name)
}

// isWord reports whether a name is a letter and, after it, letters, digits, '_' and '-'.
func isWord(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !isLetter(c) && (i == 0 || !mayFollow(c)) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// mayFollow reports whether a character that is no letter may stand after the first one of a name.
func mayFollow(c byte) bool { return '0' <= c && c <= '9' || c == '_' || c == '-' }

// ours are the words that say whose words follow when they stand without
// quotation marks; never written.
var ours = map[string]bool{
	user: true, "assistant": true, "tool": true, "system": true, "developer": true, "function": true,
	"web": true, "document": true, "import": true, "memory": true, "undated": true,
}
