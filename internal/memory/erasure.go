package memory

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Hash is the hash of the words of a forgotten thing.
type Hash = [sha256.Size]byte

// Erasure records that a thing was forgotten without recording the thing: a hash of its
// words, by which an import recognizes and omits it.
type Erasure struct {
	// Hash is the hash of the words, keyed once it is stored: without the store's key,
	// guesses cannot be tested against a copy of its tables.
	Hash  Hash
	Key   []byte
	Words int // number of hashed words
	// Plain says that the words were hashed like in earlier versions: in lower case,
	// without folding.
	Plain bool
	// Whole says that the thing was forgotten as a whole word only. The tables of a store do not tell it: an import compares whole
	// words in any case.
	Whole bool
	At    time.Time
}

// NewErasure is the record of a forgotten thing, not keyed yet. Only words are hashed. If
// they are one letter alone, as of "C#", the record omits nothing: every sentence with a
// "c" would go.
func NewErasure(o owner.Owner, about *mention.Thing, at time.Time) Erasure {
	words := about.NameWords()
	if isLetter(strings.Join(words, "")) {
		words = nil
	}
	return Erasure{Hash: hashWords(o, words), Words: len(words), Whole: about.Whole(), At: at}
}

// isLetter reports whether a text is one letter or digit of a writing with spaces. An ideograph and a picture such as an emoji
// have a meaning alone.
func isLetter(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && n == len(text) && !language.Unspaced(r) && !unicode.Is(unicode.So, r)
}

// Keyed is an erasure's hash under a key.
func Keyed(key []byte, hash [sha256.Size]byte) [sha256.Size]byte {
	h := hmac.New(sha256.New, key)
	h.Write(hash[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// RedactErased removes the sentences that mention forgotten things from a text, and
// counts them.
func RedactErased(o owner.Owner, text string, erasures []Erasure) (string, int) {
	if len(erasures) == 0 {
		return text, 0
	}
	var spans []mention.Span
	eachErased(o, text, erasures, func(at mention.Span, _ Hash) { spans = append(spans, at) })
	return mention.Cut(text, spans)
}

// Erased is a mention of a forgotten thing.
type Erased struct {
	Name string // as it is written there
	Of   Hash   // of the erasure
}

// FindErased returns the mentions of forgotten things in a text. Of a mention that several erasures
// know, the one of the most words comes first.
func FindErased(o owner.Owner, text string, erasures []Erasure) []Erased {
	var out []Erased
	eachErased(o, text, erasures, func(at mention.Span, of Hash) { out = append(out, Erased{text[at.Start:at.End], of}) })
	return out
}

// NamesErased reports whether an id or a session key names a forgotten thing. counts reports whether a place of the
// id counts.
func NamesErased(o owner.Owner, id string, erasures []Erasure, counts func(id string, at mention.Span) bool) bool {
	named := false
	eachErased(o, id, erasures, func(at mention.Span, _ Hash) { named = named || counts(id, at) })
	return named
}

// eachErased visits the mentions of forgotten things in a text.
func eachErased(o owner.Owner, text string, erasures []Erasure, visit func(at mention.Span, of Hash)) {
	for _, sought := range byForm(erasures) {
		for _, words := range sought.read(text) {
			for i := 0; i+sought.words <= len(words); i++ {
				window := words[i : i+sought.words]
				span := mention.Span{Start: window[0].Start, End: window[len(window)-1].End}
				if of, is := sought.has(o, window); is && !mention.Made(text, span) {
					visit(span, of)
				}
			}
		}
	}
}

// form is a class of erasures: those with the same number of words that were hashed the
// same way.
type form struct {
	words int
	plain bool
	key   string
}

// sought are the hashes of one form.
type sought struct {
	form
	hashes map[Hash]bool
}

// byForm groups erasures by form, so that a text is hashed once per form. The forms of the most words
// come first.
func byForm(erasures []Erasure) []sought {
	out := make(map[form]sought)
	for i := range erasures {
		e := &erasures[i]
		if e.Words == 0 {
			continue
		}
		f := form{e.Words, e.Plain, string(e.Key)}
		if out[f].hashes == nil {
			out[f] = sought{f, make(map[Hash]bool)}
		}
		out[f].hashes[e.Hash] = true
	}
	return slices.SortedFunc(maps.Values(out), func(a, b sought) int { return cmp.Compare(b.words, a.words) })
}

// read splits a text into words in each way that the form needs.
func (s *sought) read(text string) [][]mention.Word {
	if s.plain {
		return [][]mention.Word{plainWords(text)}
	}
	return mention.Words(text, s.words > 1)
}

// has reports whether words are one of the forgotten things, and which.
func (s *sought) has(o owner.Owner, window []mention.Word) (of Hash, is bool) {
	texts := make([]string, len(window))
	for i := range window {
		texts[i] = window[i].Text
	}
	hash := hashWords(o, texts)
	if s.key != "" {
		hash = Keyed([]byte(s.key), hash)
	}
	return hash, s.hashes[hash]
}

// hashWords hashes words for one owner.
func hashWords(o owner.Owner, words []string) [sha256.Size]byte {
	return sha256.Sum256([]byte("hermes erasure\x00" + o.ID() + "\x00" + strings.Join(words, " ")))
}

// plainWords splits a text into words like earlier versions: runs of letters and
// digits, in lower case. In writing without spaces, each character is a word.
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
