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
	prefixes [256][]string // by first byte
	cues     [256][]cue    // by first byte in either case, longest first
	iban     map[string]int
	lists    map[string]map[string]bool
	signs    []string
	phrased  []string // connectors of several words
	endings  []string
}

// theSecrets reads the list, once.
var theSecrets = sync.OnceValue(func() *secrets {
	s := &secrets{iban: map[string]int{}, lists: map[string]map[string]bool{}}
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
	for i := range s.cues {
		slices.SortStableFunc(s.cues[i], func(a, b cue) int { return len(b.word) - len(a.word) })
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
		first, _ := utf8.DecodeRuneInString(c.word)
		low, high := string(first)[0], string(unicode.ToUpper(first))[0]
		s.cues[low] = append(s.cues[low], c)
		if high != low {
			s.cues[high] = append(s.cues[high], c)
		}
	}
}

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
