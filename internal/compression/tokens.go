// Package compression keeps the context for a model within a budget of tokens: it
// counts tokens, and folds a long transcript into a short summary and a tail. It has no
// state and uses no storage.
package compression

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Counter counts the tokens of a text for one family of models. Counters are
// safe for concurrent use.
type Counter func(text string) int

// MessageOverhead is the cost of a message in addition to its text: role and separators.
// OpenAI's cookbook gives 3 per message and 1 for a name; 4 covers both.
const MessageOverhead = 4

// CounterFor returns the counter for a model: OpenAI's o200k tokenizer for models known
// to use it, [Estimate] for all others. exact says which.
func CounterFor(model string) (count Counter, exact bool) {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:] // routers put the vendor in front
	}
	for _, prefix := range o200kModels {
		if strings.HasPrefix(model, prefix) {
			return countO200k, true
		}
	}
	return Estimate, false
}

// o200kModels are the prefixes of models that use the o200k vocabulary, after
// OpenAI's tiktoken model table.
var o200kModels = []string{"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt-4o", "o1", "o3", "o4", "gpt-oss"}

// o200k loads the vocabulary at its first use (about 25 ms, 6 MiB), so that a server
// with other models never loads it.
var o200k = sync.OnceValue(codec.NewO200kBase)

func countO200k(text string) int {
	n, err := o200k().Count(text)
	if err != nil { // only texts the vocabulary's own expressions cannot split
		return Estimate(text)
	}
	return n
}

// Estimate counts tokens without a vocabulary, on the careful side. Byte-pair
// vocabularies spend about one token on a short word, one more per further
// five letters, one per three digits, one per mark of punctuation, and one to
// three per character of other scripts. Against o200k's own count the result is
// 4–18 % higher on English and most European prose, about 30 % on code, up to
// three times on Cyrillic and Indic scripts; it falls short, by up to a fourth,
// on languages that join many short syllables (Finnish, Swahili) and on encoded
// data. It exists so that a budget holds whatever the vocabulary.
func Estimate(text string) int {
	n := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ':
			i++ // belongs to the word after it, but not to a number
			if i < len(text) && isDigit(text[i]) {
				n++
			}
			if i < len(text) && text[i] == ' ' {
				n++
				i += len(text[i:]) - len(strings.TrimLeft(text[i:], " "))
			}
		case isLetter(c):
			end, tokens := wordTokens(text, i)
			i, n = end, n+tokens
		case isDigit(c):
			start := i
			for i < len(text) && isDigit(text[i]) {
				i++
			}
			n += (i - start + 2) / 3
		case c < utf8.RuneSelf:
			start := i
			for i < len(text) && text[i] == c {
				i++ // a run of one mark is cut into pieces of about four
			}
			n += 1 + (i-start-1)/4
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			n += runeTokens(r)
		}
	}
	return n
}

// wordTokens finds the end of the letters at start and estimates them.
func wordTokens(text string, start int) (end, tokens int) {
	i := start + 1
	for i < len(text) && isSmall(text[i]) {
		i++
	}
	if i < len(text) && isLetter(text[i]) {
		for i < len(text) && isLetter(text[i]) {
			i++
		}
		tokens = mixedTokens(text[start:i])
	} else {
		tokens = plainTokens(i - start) // most words
	}
	if i-start > 2 && touchesDigit(text, start, i) {
		tokens++ // letters that touch digits are rarely a word
	}
	return i, tokens
}

func touchesDigit(text string, start, end int) bool {
	return start > 0 && isDigit(text[start-1]) || end < len(text) && isDigit(text[end])
}

// plainTokens estimates a word of lower-case letters, of which the first may be a
// capital.
func plainTokens(letters int) int { return 1 + max(0, letters-4)/5 }

// mixedTokens estimates a run of letters with a capital after the first. Vocabularies
// have words in lower case. Capitals, and mixed case as in keys and encoded data, need
// more and smaller tokens.
func mixedTokens(word string) int {
	capitals, changes := 0, 0
	upper := word[0] <= 'Z'
	for i := range len(word) {
		if now := word[i] <= 'Z'; now {
			capitals++
			if !upper {
				changes, upper = changes+1, true
			}
		} else if upper {
			upper = false
			if i > 1 {
				changes++
			}
		}
	}
	if capitals == len(word) {
		return 1 + (len(word)-2)/3
	}
	return 1 + max((len(word)-4)/5, (changes+1)/2)
}

// scripts are what the characters of a range cost, up to the bound of each; never
// written. Common scripts cost about a token per character; those that
// vocabularies hardly know, and emoji, are spelled in bytes.
var scripts = [...]struct {
	below  rune
	tokens int
}{
	{0x180, 1}, {0x370, 2}, // Latin; rare Latin, combining marks
	{0x700, 1}, {0x800, 2}, {0x900, 3}, // Greek to Arabic; Syriac
	{0xe80, 1}, {0x1000, 2}, // India to Thailand; Lao, Tibetan
	{0x1100, 1}, {0x1780, 3}, {0x1800, 1}, {0x1e00, 3}, // Burma, Georgia; Khmer
	{0x1f00, 1}, {0x2000, 2}, {0x2070, 1}, // Vietnamese; old Greek; punctuation
	{0x2c00, 2}, {0x3000, 3}, // mathematics, arrows, boxes
	{0x3100, 1}, {0x4e00, 3}, {0xa000, 1}, {0xac00, 3}, {0xd800, 1}, // kana; Han; Hangul
	{0xfe00, 3}, {0xfe10, 1}, {0xff00, 3}, {0x10000, 1}, // variants; wide forms
	{utf8.MaxRune + 1, 3},
}

// runeTokens estimates a character that is not ASCII.
func runeTokens(r rune) int {
	low, high := 0, len(scripts)-1
	for low < high {
		if middle := (low + high) / 2; r < scripts[middle].below {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return scripts[low].tokens
}

func isLetter(c byte) bool { return isSmall(c | 0x20) }

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
