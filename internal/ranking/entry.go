package ranking

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// entry is the reading of a message. It depends on nothing but the message.
type entry struct {
	words   []entryWord // in the order of the text, with repetitions
	stems   []byte      // of the words, one after the other
	spans   []span      // the dates that it mentions
	total   uint16      // all words
	content uint16      // words except stop words
	traits  traits      // without hasName, which depends on who speaks in the scope
	asking  uint8       // share of words in sentences that ask, of shareWhole
	sense   wordvec.Vector
	under   wordvec.Mean // buffer for sense
}

// entryWord is a word that can be found.
type entryWord struct {
	end    int32 // in stems
	joined bool  // two words with a hyphen, in addition to each of them
	name   bool  // has a capital inside a sentence
}

// traits are properties of a message's form.
type traits uint8

const (
	byUser      traits = 1 << iota // the role is user
	namesTime                      // speaks of a date
	hasNumber                      // holds a figure
	hasName                        // holds a name: a capital inside a sentence
	firstPerson                    // the speaker speaks of themself
	hasTitle                       // holds something in double quotes
	tainted                        // see Document.Tainted
)

// shareWhole is the value of a whole share in a byte.
const shareWhole = 255

// span is a resolved date of a message, in Unix seconds.
type span struct{ from, to int64 }

// Bounds on the part of a message that is read, in bytes: for its words, and for its
// dates. A message of megabytes is a file or a loop. Reading all of it would take
// longer than its turn, and memory for each word.
const (
	maxText  = 256 << 10
	maxDates = 64 << 10
)

// read reads a message. The buffers of the entry are used again.
func (e *entry) read(d *Document) {
	*e = entry{words: e.words[:0], stems: e.stems[:0], spans: e.spans[:0]}
	text := d.Text[:min(len(d.Text), maxText)]
	if d.Role == session.User {
		e.traits |= byUser
	}
	if d.Tainted {
		e.traits |= tainted
	}
	e.readDates(d, text)
	e.readWords(text)
	if holdsQuotation(text) {
		e.traits |= hasTitle
	}
	e.sense = e.under.Vector()
}

// readDates reads the dates that the message mentions.
func (e *entry) readDates(d *Document, text string) {
	const most = 16 // per message; in a table of dates no single date matters
	for _, date := range language.Dates(text[:min(len(text), maxDates)], d.SaidAt) {
		e.traits |= namesTime
		if len(e.spans) == most {
			break
		}
		e.spans = append(e.spans, span{date.From.Unix(), date.To.Unix()})
	}
}

// readWords reads the words of the text, and how much of it asks.
func (e *entry) readWords(text string) {
	var asked, sinceMark int
	scan := language.Scan(text)
	start, end, opens := 0, 0, true
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if m := sentenceEnd(text[min(end, w.Start):w.Start]); m != 0 {
			if m == '?' {
				asked += sinceMark
			}
			sinceMark, opens = 0, true
		}
		if whole := joined(text, start, end, &w); whole != "" {
			e.add(entryWord{joined: true}, []byte(whole))
		}
		start, end = w.Start, w.End
		e.total = saturate(e.total)
		sinceMark++
		e.traits |= traitOf(&w)
		if !w.Stop {
			e.content = saturate(e.content)
			e.add(entryWord{name: w.Capital && !w.Number && !opens}, w.Stem)
			e.under.Add(text, &w)
		}
		opens = false
	}
	if sentenceEnd(text[end:]) == '?' {
		asked += sinceMark
	}
	if e.total > 0 {
		e.asking = uint8(asked * shareWhole / max(int(e.total), asked))
	}
}

func (e *entry) add(w entryWord, stem []byte) {
	e.stems = append(e.stems, stem...)
	w.end = int32(len(e.stems))
	e.words = append(e.words, w)
}

// stem is the stem of word i.
func (e *entry) stem(i int) []byte {
	from := int32(0)
	if i > 0 {
		from = e.words[i-1].end
	}
	return e.stems[from:e.words[i].end]
}

// traitOf is the trait that a word gives its message.
func traitOf(w *language.Word) traits {
	switch {
	case w.Number:
		return hasNumber
	case w.Stop && selfWord(w.Stem):
		return firstPerson
	}
	return 0
}

// holdsQuotation reports whether a text contains double quotation marks with text
// between them.
func holdsQuotation(text string) bool {
	first := strings.IndexAny(text, "\"“«「")
	return first >= 0 && strings.ContainsAny(text[first+1:], "\"”»」")
}

func saturate(n uint16) uint16 {
	if n == 1<<16-1 {
		return n
	}
	return n + 1
}

// sentenceEnd finds the mark that ends a sentence in the text between two words: '?',
// '.', or 0.
func sentenceEnd(gap string) byte {
	mark := byte(0)
	for i := 0; i < len(gap); i++ {
		switch gap[i] {
		case '?':
			return '?'
		case '.', '!', '\n', ':':
			mark = '.'
		case 0xEF: // ？ U+FF1F
			if i+2 < len(gap) && gap[i+1] == 0xBC && gap[i+2] == 0x9F {
				return '?'
			}
		}
	}
	return mark
}

// selfWord reports whether a word is a pronoun of the first person.
func selfWord(w []byte) bool {
	switch string(w) {
	case "i", "me", "my", "mine", "we", "our", "us", "myself":
		return true
	}
	return false
}
