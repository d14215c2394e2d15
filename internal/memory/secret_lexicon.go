package memory

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// cueShape is the form of the value for a cue.
type cueShape uint8

const (
	shapeChosen  cueShape = iota // a chosen word
	shapeSeveral                 // several chosen words
	shapeMade                    // a generated value
	shapeLoose                   // only a value that cannot be a word
	shapeCode                    // a number of min to max digits
	shapeWords                   // a series of words
	shapePair                    // a name and a secret
)

// cue is a word for a secret.
type cue struct {
	word     string
	shape    cueShape
	ends     bool // may end a longer word
	min, max int  // digits of a code
	placed   bool // a code only if the text names what it opens
}

// secrets is the lexicon's knowledge of keys and passwords.
type secrets struct {
	prefixes [256][]string     // by first byte
	cues     map[[2]byte][]cue // by the first two bytes in either case, longest first
	// begin has by first byte the second bytes in cues, and inside those of cues that
	// may end a longer word. Most positions of a text are told apart by them.
	begin, inside [256]byteSet
	iban          map[string]int
	lists         map[string]map[string]bool
	signs         []string
	phrased       []string // connectors of several words
	endings       []string
}

// theSecrets reads the list, once.
var theSecrets = sync.OnceValue(func() *secrets {
	s := &secrets{cues: map[[2]byte][]cue{}, iban: map[string]int{}, lists: map[string]map[string]bool{}}
	shapes := map[string]cueShape{
		"chosen": shapeChosen, "several": shapeSeveral, "made": shapeMade,
		"loose": shapeLoose, "code": shapeCode, "placed": shapeCode, "words": shapeWords, "pair": shapePair,
	}
	(&lexicon{}).eachLine("secrets", func(name string, items []string) {
		name, digits, _ := strings.Cut(name, " ")
		if shape, ok := shapes[name]; ok {
			s.addCues(cue{shape: shape, placed: name == "placed"}, digits, items)
			return
		}
		switch name {
		case "prefix":
			for _, p := range items {
				s.prefixes[p[0]] = append(s.prefixes[p[0]], p)
			}
		case "iban":
			for _, item := range items {
				s.iban[item[:2]], _ = strconv.Atoi(item[2:])
			}
		case "phrased":
			s.phrased = items
		case "sign":
			s.signs = items
		case "ending":
			s.endings = items
		default:
			set := make(map[string]bool, len(items))
			for _, item := range items {
				set[item] = true
			}
			s.lists[name] = set
		}
	})
	for _, cues := range s.cues {
		slices.SortStableFunc(cues, func(a, b cue) int { return len(b.word) - len(a.word) })
	}
	return s
})

// addCues adds cues of one shape, by the bytes that they may begin with.
func (s *secrets) addCues(kind cue, digits string, items []string) {
	least, most, _ := strings.Cut(digits, "-")
	for _, item := range items {
		c := kind
		c.min, _ = strconv.Atoi(least)
		c.max, _ = strconv.Atoi(most)
		c.word, c.ends = strings.CutPrefix(item, "~")
		first, n := utf8.DecodeRuneInString(c.word)
		seconds := secondBytes(first, c.word[n:])
		for low := range bytesOf(first) {
			for _, second := range seconds {
				s.cues[[2]byte{low, second}] = append(s.cues[[2]byte{low, second}], c)
				s.begin[low].add(second)
				if c.ends {
					s.inside[low].add(second)
				}
			}
		}
	}
}

// bytesOf are the first bytes of a letter in either case.
func bytesOf(letter rune) map[byte]bool {
	return map[byte]bool{string(letter)[0]: true, string(unicode.ToUpper(letter))[0]: true}
}

// secondBytes are the bytes that may come second in a text for a word: first is the
// word's first letter, and rest what follows. A letter outside ASCII, and a blank, which
// a text may leave out, allow every byte. Some letters outside ASCII are lower case
// letters within it, so all bytes outside ASCII are allowed.
func secondBytes(first rune, rest string) []byte {
	var out []byte
	for b := range 256 {
		if rest != "" && b < utf8.RuneSelf && leet[byte(b)] == rest[0] {
			out = append(out, byte(b))
			continue
		}
		switch c := byte(b); {
		case first >= utf8.RuneSelf, rest == "", rest[0] == ' ', rest[0] >= utf8.RuneSelf, c >= utf8.RuneSelf,
			c == rest[0], rune(c) == unicode.ToUpper(rune(rest[0])):
			out = append(out, c)
		}
	}
	return out
}

// cuesAt are the cues that may begin at the start of a text, by its first two bytes.
// inside says that the text goes on a word.
func (s *secrets) cuesAt(text string, inside bool) []cue {
	begin := &s.begin
	if inside {
		begin = &s.inside
	}
	if len(text) < 2 || !begin[text[0]].has(text[1]) {
		return nil
	}
	return s.cues[[2]byte{text[0], text[1]}]
}

// leet are the digits and signs that people write for letters in words about secrets.
var leet = [256]byte{'@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', '$': 's', '5': 's', '7': 't'}

// shortestLeet is the length of a word, in bytes, from which digits and signs in it may
// stand for letters: in shorter ones they make other words.
const shortestLeet = 5

// prefixOf is the length of the cue at the start of a text, in bytes; -1 if the text
// begins otherwise.
func (c *cue) prefixOf(text string) int {
	n := foldedPrefix(text, c.word)
	if n >= 0 || len(c.word) < shortestLeet || len(text) < len(c.word) {
		return n
	}
	var plain []byte // most texts have no such sign here
	for i := 1; i < len(c.word); i++ {
		if letter := leet[text[i]]; letter != 0 {
			if plain == nil {
				plain = []byte(text[:len(c.word)])
			}
			plain[i] = letter
		}
	}
	if plain == nil {
		return -1
	}
	return foldedPrefix(string(plain), c.word)
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte) { b[c>>6] |= 1 << (c & 63) }

func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }

// in reports whether a word, in any case, is in a list.
func (s *secrets) in(list, word string) bool {
	return s.lists[list][strings.ToLower(word)]
}

// lowerRune puts a letter in lower case.
func lowerRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			return r | 0x20
		}
		return r
	}
	return unicode.ToLower(r)
}
