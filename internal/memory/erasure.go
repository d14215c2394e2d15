package memory

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"time"
	"unicode"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Erasure remembers that a thing was forgotten, without remembering the thing:
// a hash of its words, so that an import can recognise it and leave it out.
type Erasure struct {
	// Hash is that of the words, by Key once it has been stored: without the key
	// of the store a guess cannot be tried against a copy of its tables.
	Hash  [sha256.Size]byte
	Key   []byte
	Words int // how many words were hashed
	// Plain says that the words were hashed as earlier versions did: in small
	// letters, and not folded.
	Plain bool
	At    time.Time
}

// NewErasure is the record of forgetting a thing. It has no key yet.
func NewErasure(o owner.Owner, about *mention.Thing, at time.Time) Erasure {
	words := about.NameWords()
	return Erasure{Hash: hashWords(o, words), Words: len(words), At: at}
}

// Keyed is the hash of an erasure under a key.
func Keyed(key []byte, hash [sha256.Size]byte) [sha256.Size]byte {
	h := hmac.New(sha256.New, key)
	h.Write(hash[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// RedactErased takes the sentences out of a text that mention what was
// forgotten earlier, and says how many.
func RedactErased(o owner.Owner, text string, erasures []Erasure) (string, int) {
	if len(erasures) == 0 {
		return text, 0
	}
	var spans []mention.Span
	for _, sought := range byForm(erasures) {
		for _, words := range sought.read(text) {
			for i := 0; i+sought.words <= len(words); i++ {
				if window := words[i : i+sought.words]; sought.has(o, window) {
					spans = append(spans, mention.Span{Start: window[0].Start, End: window[len(window)-1].End})
				}
			}
		}
	}
	return mention.Cut(text, spans)
}

// form is what erasures are recognised by that were made of as many words, in the
// same way.
type form struct {
	words int
	plain bool
	key   string
}

// sought are the hashes of one form.
type sought struct {
	form
	hashes map[[sha256.Size]byte]bool
}

// byForm sorts erasures, so that a text is hashed once for all of a form.
func byForm(erasures []Erasure) map[form]sought {
	out := make(map[form]sought)
	for i := range erasures {
		e := &erasures[i]
		if e.Words == 0 {
			continue
		}
		f := form{e.Words, e.Plain, string(e.Key)}
		if out[f].hashes == nil {
			out[f] = sought{f, make(map[[sha256.Size]byte]bool)}
		}
		out[f].hashes[e.Hash] = true
	}
	return out
}

// read cuts a text into words, for each way to read it.
func (s *sought) read(text string) [][]mention.Word {
	if s.plain {
		return [][]mention.Word{plainWords(text)}
	}
	return mention.Words(text)
}

// has reports whether words are one of the things sought.
func (s *sought) has(o owner.Owner, window []mention.Word) bool {
	texts := make([]string, len(window))
	for i := range window {
		texts[i] = window[i].Text
	}
	hash := hashWords(o, texts)
	if s.key != "" {
		hash = Keyed([]byte(s.key), hash)
	}
	return s.hashes[hash]
}

// hashWords hashes words for one owner.
func hashWords(o owner.Owner, words []string) [sha256.Size]byte {
	return sha256.Sum256([]byte("hermes erasure\x00" + o.ID() + "\x00" + strings.Join(words, " ")))
}

// plainWords cuts a text into words as earlier versions did: runs of letters and
// digits, in small letters; a character of a writing without spaces is a word of
// its own.
func plainWords(text string) []mention.Word {
	var out []mention.Word
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, mention.Word{Text: strings.ToLower(text[start:end]), Span: mention.Span{Start: start, End: end}})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			flush(i)
			out = append(out, mention.Word{Text: string(r), Span: mention.Span{Start: i, End: i + len(string(r))}})
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
