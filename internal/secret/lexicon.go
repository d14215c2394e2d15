package secret

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed secrets.txt
var lists string

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

// official reports whether the code is a long number that an authority gives.
func (c *cue) official() bool { return c.min > 8 }

// lexicon is the knowledge of keys and passwords.
type lexicon struct {
	prefixes [256][]string  // by first byte
	cues     map[gram][]cue // longest first
	begins   gramSet        // the keys of cues, small enough to stay in the processor's cache
	iban     map[string]int
	lists    map[string]map[string]bool
	signs    []string
	phrased  []string // connectors of several words
	endings  []string
}

// theLexicon reads the list, once.
var theLexicon = sync.OnceValue(func() *lexicon {
	s := &lexicon{cues: map[gram][]cue{}, iban: map[string]int{}, lists: map[string]map[string]bool{}}
	shapes := map[string]cueShape{
		"chosen": shapeChosen, "several": shapeSeveral, "made": shapeMade,
		"loose": shapeLoose, "code": shapeCode, "placed": shapeCode, "words": shapeWords, "pair": shapePair,
	}
	for name, items := range language.Lists(lists) {
		name, digits, _ := strings.Cut(name, " ")
		if shape, ok := shapes[name]; ok {
			s.addCues(cue{shape: shape, placed: name == "placed"}, digits, items)
			continue
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
	}
	for _, cues := range s.cues {
		slices.SortStableFunc(cues, func(a, b cue) int { return len(b.word) - len(a.word) })
	}
	return s
})

// addCues adds cues of one shape.
func (s *lexicon) addCues(kind cue, digits string, items []string) {
	least, most, _ := strings.Cut(digits, "-")
	for _, item := range items {
		c := kind
		c.min, _ = strconv.Atoi(least)
		c.max, _ = strconv.Atoi(most)
		c.word, c.ends = strings.CutPrefix(item, "~")
		for g := range gramsOf(c.word) {
			s.cues[g] = append(s.cues[g], c)
			s.begins.add(g)
		}
	}
}

// cuesAt are the cues that may begin at the start of a text.
func (s *lexicon) cuesAt(text string) []cue {
	if g := gramAt(text); s.begins.has(g) {
		return s.cues[g]
	}
	return nil
}

// leet are the digits and signs that people write for letters in words about lexicon.
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

// in reports whether a word, in any case, is in one of the lists.
func (s *lexicon) in(word string, lists ...string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(lists, func(list string) bool { return s.lists[list][word] })
}
