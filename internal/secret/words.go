package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wallet recovery phrases have 12 to 24 words of 3 to 8 letters. After a cue, fewer
// words are enough.
const (
	seedShort, seedLong = 3, 8
	seedLeast, seedMost = 12, 24
	seedNamed           = 8
)

// isSeedCount reports whether a recovery phrase can have n words.
func isSeedCount(n int) bool { return n >= seedLeast && n <= seedMost && n%3 == 0 }

// series finds recovery phrases without a cue: as many short plain words as a phrase
// has, separated only by blanks.
func (s *scan) series() {
	if len(s.text) < seedLeast*(seedShort+1)-1 {
		return
	}
	begin, count := 0, 0 // of words of the right length
	for i := 0; i <= len(s.text); {
		start := i
		for i < len(s.text) && s.text[i] >= 'a' && s.text[i] <= 'z' {
			i++
		}
		switch n := i - start; {
		case n < seedShort || n > seedLong:
			count = 0
		case count == 0:
			begin, count = start, 1
		default:
			count++
		}
		if i < len(s.text) && s.text[i] == ' ' {
			i++
			continue
		}
		if count >= seedLeast && s.lastOfSeries(i) {
			s.addSeries(begin, i)
		}
		count = 0
		i = s.nextWord(i)
	}
}

// addSeries adds the words of a range after its last function word, if they are as many
// as a phrase has. Most texts are prose, whose words never get here.
func (s *scan) addSeries(begin, end int) {
	count := 0
	for at := begin; at < end; {
		word, _, _ := strings.Cut(s.text[at:end], " ")
		if at += len(word) + 1; s.known.lists["grammar"][word] {
			begin, count = at, 0
		} else {
			count++
		}
	}
	if isSeedCount(count) {
		s.add(begin, end)
	}
}

// lastOfSeries reports whether a series of words may end at i: not inside a word.
func (s *scan) lastOfSeries(i int) bool {
	return i == len(s.text) || strings.IndexByte(".\n\r\"'`);!?", s.text[i]) >= 0
}

// nextWord is the start of the word after the one at i.
func (s *scan) nextWord(i int) int {
	for i < len(s.text) && strings.IndexByte(" \n:\"", s.text[i]) < 0 {
		i++
	}
	return i + 1
}

// isProse reports whether a word, after n others, belongs to a sentence and to no series.
func (s *scan) isProse(word string, n int) bool {
	return s.known.in(word, "grammar") || n == 0 && s.known.in(word, "function")
}

// words is the series of words at i after a cue: separated by blanks, commas, line
// breaks or numbers.
func (s *scan) words(i int) (Span, bool) {
	begin, end, count := i, i, 0
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if !unicode.IsLetter(r) {
			if !s.betweenWords(i, r, count) {
				break
			}
			i += n
			continue
		}
		start := i
		i = s.wordEnd(i)
		word := s.text[start:i]
		if s.isProse(word, count) {
			break
		}
		count, end = count+1, i
	}
	return Span{begin, end}, count >= seedNamed
}

// Words without grammar between them are no sentence: from seriesWords words on they are a
// chosen secret, if at most one of them is usual in sentences about secrets.
const seriesWords = 4

// isWordSeries reports whether a chosen secret of several words begins at a position:
// "correct horse battery staple".
func (s *scan) isWordSeries(at int) bool {
	end, n := s.phrase(at)
	usual := 0
	for word := range strings.FieldsSeq(s.text[at:max(at, end)]) {
		if !s.isWord(word) || strings.HasSuffix(word, "ly") {
			usual++
		}
	}
	return n >= seriesWords && usual < 2
}

// betweenWords reports whether a sign may come between the words of a series: a full
// stop only after a number, a hyphen only as a list marker.
func (s *scan) betweenWords(i int, r rune, count int) bool {
	switch r {
	case '.':
		return count == 0 || digitAt(s.text, i-1)
	case '-':
		return i == 0 || isSeparator[s.text[i-1]]
	}
	return unicode.IsDigit(r) || strings.ContainsRune(" ,)\n\r\t\"'`*", r)
}

// wordEnd is the end of the word that begins at i.
func (s *scan) wordEnd(i int) int {
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if !isWordRune(r) {
			return i
		}
		i += n
	}
	return i
}
