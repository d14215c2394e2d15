package memory

import (
	"crypto/sha256"
	"strings"
	"time"
	"unicode"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Erasure remembers that a thing was forgotten, without remembering the thing:
// a hash of its words, so that an import can recognise it and leave it out.
type Erasure struct {
	Hash  [sha256.Size]byte
	Words int // how many words were hashed
	At    time.Time
}

// NewErasure is the record of forgetting a thing.
func NewErasure(o owner.Owner, about string, at time.Time) Erasure {
	ws := plainWords(about)
	texts := make([]string, len(ws))
	for i := range ws {
		texts[i] = ws[i].text
	}
	return Erasure{Hash: hashWords(o, texts), Words: len(ws), At: at}
}

// RedactErased takes the sentences out of a text that mention what was
// forgotten earlier, and says how many.
func RedactErased(o owner.Owner, text string, erasures []Erasure) (string, int) {
	n := 0
	for i := range erasures {
		e := &erasures[i]
		for again := e.Words > 0; again; {
			again = false
			ws := plainWords(text)
			texts := make([]string, len(ws))
			for j := range ws {
				texts[j] = ws[j].text
			}
			for j := 0; j+e.Words <= len(ws); j++ {
				if hashWords(o, texts[j:j+e.Words]) == e.Hash {
					clean, k := Redact(text, text[ws[j].start:ws[j+e.Words-1].end])
					text, n, again = clean, n+k, k > 0
					break
				}
			}
		}
	}
	return text, n
}

// hashWords hashes words for one owner.
func hashWords(o owner.Owner, words []string) [sha256.Size]byte {
	return sha256.Sum256([]byte("hermes erasure\x00" + o.ID() + "\x00" + strings.Join(words, " ")))
}

// plainWord is a word in lower case and its place in the text.
type plainWord struct {
	text       string
	start, end int
}

// plainWords cuts a text into runs of letters and digits; a character of a
// script without spaces is a word of its own.
func plainWords(text string) []plainWord {
	var out []plainWord
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, plainWord{strings.ToLower(text[start:end]), start, end})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			flush(i)
			out = append(out, plainWord{string(r), i, i + len(string(r))})
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}
