package ranking

import (
	"encoding/binary"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// termList are the occurrences of a term: for each message the distance from the
// previous one and the count, as varints of two bytes on average.
type termList struct {
	stem     string
	data     []byte
	steps    []step
	last     int32 // the newest message in the list
	episodes int32
	episode  int32 // the newest episode in the list, plus one
	inside   int32 // offset of the newest entry, whose count may still grow
	count    int32 // of the newest entry
}

// step is the offset of an entry of a list, and the message of the previous entry: a
// position to start reading. There is one for every stepLength entries.
type step struct{ at, before int32 }

const stepLength = 128

// fromStart is the beginning of every list.
var fromStart = step{before: -1} // never written

// traits are properties of a message's form.
type traits uint8

const (
	byUser      traits = 1 << iota // the role is user
	namesTime                      // speaks of a date
	hasNumber                      // holds a figure
	hasName                        // holds a name: a capital inside a sentence
	firstPerson                    // the speaker speaks of themself
	hasTitle                       // holds something in double quotes
)

// addWords scans the text and enters its words.
func (x *Index) addWords(n int32, d *doc, text string) {
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
			x.enter(n, d.episode, []byte(whole))
		}
		start, end = w.Start, w.End
		d.words = saturate(d.words)
		sinceMark++
		d.traits |= x.traitOf(&w, opens)
		opens = false
		if !w.Stop {
			x.enterContent(n, d, w.Stem)
			x.senses.under.Add(text, &w)
		}
	}
	if holdsQuotation(text) {
		d.traits |= hasTitle
	}
	if sentenceEnd(text[end:]) == '?' {
		asked += sinceMark
	}
	if d.words > 0 {
		d.asking = uint8(asked * shareWhole / max(int(d.words), asked))
	}
}

// traitOf is the trait that a word gives its message. opens says that it opens a
// sentence.
func (x *Index) traitOf(w *language.Word, opens bool) traits {
	switch {
	case w.Number:
		return hasNumber
	case w.Stop:
		if selfWord(w.Stem) {
			return firstPerson
		}
	case w.Capital && !opens && !x.names.isWord(w.Stem):
		return hasName
	}
	return 0
}

// enterContent adds a content word, and counts it if it is rare.
func (x *Index) enterContent(n int32, d *doc, stem []byte) {
	d.content = saturate(d.content)
	if x.enter(n, d.episode, stem) <= int32(1+n/rareShare) && d.rare < mostRare {
		d.rare++
	}
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

const (
	// rareShare bounds a rare word: it is in fewer than one of rareShare messages.
	rareShare = 200
	// mostRare is how many rare words are counted in a message.
	mostRare = 4
)

// enter adds one occurrence of a term in message n and returns the number of messages
// with the term.
func (x *Index) enter(n, episode int32, stem []byte) int32 {
	id, ok := x.terms[string(stem)]
	if !ok {
		id = int32(len(x.lists))
		name := string(stem)
		x.terms[name] = id
		x.lists = append(x.lists, termList{stem: name, last: -1})
		x.holders = append(x.holders, 0)
		if key, ok := keyOf(name); ok {
			x.families[key] = append(x.families[key], id)
		}
		x.bytes += int64(len(stem))
	}
	l := &x.lists[id]
	if l.last == n {
		l.count++
		l.write(l.gap(), &x.bytes)
		return x.holders[id]
	}
	x.wordings.meet(id)
	before := l.last
	if held := x.holders[id]; held > 0 && held%stepLength == 0 {
		l.steps = append(l.steps, step{at: int32(len(l.data)), before: before})
	}
	l.inside, l.count, l.last = int32(len(l.data)), 1, n
	x.holders[id]++
	if l.episode != episode+1 {
		l.episode = episode + 1
		l.episodes++
	}
	l.write(uint64(n-before), &x.bytes)
	return x.holders[id]
}

// newest is the position from which at most n entries of a list with that many messages
// follow: the offset in data, and the previous message.
func (l *termList) newest(n, messages int32) step {
	if messages <= n {
		return fromStart
	}
	behind := (messages - n + stepLength - 1) / stepLength // entries to skip, in steps
	if int(behind) > len(l.steps) {
		return step{at: int32(len(l.data)), before: l.last}
	}
	return l.steps[behind-1]
}

// gap reads the distance of the newest entry.
func (l *termList) gap() uint64 {
	v, _ := binary.Uvarint(l.data[l.inside:])
	return v >> 1
}

// write writes the newest entry: the distance, doubled, odd if a count follows.
func (l *termList) write(gap uint64, bytes *int64) {
	held := cap(l.data)
	l.data = l.data[:l.inside]
	if l.count == 1 {
		l.data = binary.AppendUvarint(l.data, gap<<1)
	} else {
		l.data = binary.AppendUvarint(l.data, gap<<1|1)
		l.data = append(l.data, byte(min(l.count, 255)))
	}
	*bytes += int64(cap(l.data) - held)
}

// next decodes the entry at i: the message after doc, its count, and the offset of the
// next entry.
func (l *termList) next(i int, doc int32) (message int32, count float32, after int) {
	var v uint64
	if b := l.data[i]; b < 0x80 {
		v, i = uint64(b), i+1
	} else {
		var n int
		v, n = binary.Uvarint(l.data[i:])
		i += n
	}
	if v&1 == 0 {
		return doc + int32(v>>1), 1, i
	}
	return doc + int32(v>>1), float32(l.data[i]), i + 1
}
