package memory

import (
	_ "embed" // the frames
	"strconv"
	"strings"
	"sync"
)

//go:embed lexicon/frames.txt
var frameRows string

// slot is the value of an attribute of a subject.
type slot struct{ subject, attribute, value string }

func (s slot) filled() bool { return s.value != "" && s.subject != "" }

// The subjects of slots that are not things.
const (
	subjectWe     = "we"
	subjectI      = "i"
	subjectAnswer = "answers" // of instructions
)

// frame is a form of sentences that name a value exactly: a row of lexicon/frames.txt, which
// describes the form of rows.
type frame struct {
	subject, attribute string
	parts              []part
	kinds              bool // only for sentences that name a technology or an alternative
	example, want      string
}

// part is one word or group of words of a frame.
type part struct {
	sort            partSort
	words           []string
	tags            []tag
	set             tagSet   // the same
	letters         initials // of the words
	most            int      // of the words of a gap
	optional, value bool
}

// initials is a set of the first bytes of words, with some for others. It tells quickly that
// a word is not among some words.
type initials uint64

func (s *initials) add(word string) {
	if word != "" {
		*s |= 1 << (word[0] & 63)
	}
}

// partSort says what a part stands for.
type partSort uint8

const (
	partWords partSort = iota
	partTags
	partGap    // up to most words
	partFarGap // the same, over punctuation
	partNone   // no word of the main clause has one of the tags
	partSpoken // the speakers are the subject, or it is left out
	partSelf   // the sentence begins with "I" or "we"
	partEnd
	partThing // a noun phrase
	partWhat  // a noun phrase that is the value
	partFigure
	partNumber
	partProper
	partName
	partJob
	partVerb
	partRhythm
	partKind // a technology, or one of several alternatives
	partOld  // the same, but not the value; both are of one class
	partEffect
	partReason
	partNext   // the next word is one of these
	partNot    // it is none of these
	partLast   // the word before is none of these
	partAhead  // one of these is ahead
	partBehind // one of these is behind
	partClause
	partHasVerb
	partNoDate
	partNote
	partSaysEffect
)

// partNames are the signs of parts in the file; never written.
var partNames = map[string]partSort{
	".": partEnd, "{spoken}": partSpoken, "{self}": partSelf, "[thing]": partThing, "[value]": partWhat, "[figure]": partFigure, "[number]": partNumber, "[proper]": partProper,

	"[name]": partName, "[job]": partJob, "[verb]": partVerb, "[rhythm]": partRhythm, "[kind]": partKind, "[old]": partOld,
	"[effect]": partEffect, "[reason]": partReason, "{clause}": partClause, "{verb}": partHasVerb, "{nodate}": partNoDate,
	"{note}": partNote, "{effect}": partSaysEffect,
}

// theFrames reads the rows, once.
var theFrames = sync.OnceValue(func() []frame {
	var out []frame
	for line := range strings.Lines(frameRows) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") || len(cells) != 4 {
			continue
		}
		subject, attribute, _ := strings.Cut(cells[0], ": ")
		f := frame{subject: subject, attribute: attribute, example: cells[2], want: cells[3]}
		f.read(cells[1])
		out = append(out, f)
	}
	return out
})

// read reads a pattern.
func (f *frame) read(pattern string) {
	for _, word := range strings.Fields(pattern) {
		p := partOf(word)
		f.kinds = f.kinds || p.sort == partKind
		f.parts = append(f.parts, p)
	}
}

// partOf reads one part of a row.
func partOf(word string) (p part) {
	word, p.value = strings.CutPrefix(word, "=")
	word, p.optional = strings.CutSuffix(word, "?")
	if sort, found := partNames[word]; found {
		p.sort = sort
		return p
	}
	for _, one := range partMarks {
		inner, marked := strings.CutPrefix(word, one.mark)
		if !marked {
			continue
		}
		if p.sort, word = one.sort, inner; p.sort == partGap || p.sort == partFarGap {
			p.most, _ = strconv.Atoi(word) // a test reads every row
			return p
		}
		break
	}
	inner, tagged := strings.CutPrefix(word, "<")
	if !tagged {
		p.words = strings.Split(word, "/")
		for _, w := range p.words {
			p.letters.add(w)
		}
		return p
	}
	if p.sort == partWords {
		p.sort = partTags
	}
	for _, name := range strings.Split(strings.TrimSuffix(inner, ">"), "/") {
		p.tags = append(p.tags, tagNames()[strings.ReplaceAll(name, "-", " ")])
	}
	p.set = tagsOf(p.tags...)
	return p
}

// partMarks are the marks before words and tags; never written.
var partMarks = [...]struct {
	mark string
	sort partSort
}{{"**", partFarGap}, {"*", partGap}, {"!", partNone}, {"~", partNext}, {"^", partNot}, {"-", partLast}, {"&", partAhead}, {"%", partBehind}}
