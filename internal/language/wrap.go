package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A writer's editor may break lines inside a sentence. Such a break is told from the
// end of a thought by three signs, of which one is enough: the next line begins with
// a word that goes on, the line ends with a word that cannot end a sentence, or the
// line is as long as its paragraph allows. None of them counts where the lines are
// those of a list, a heading, a quotation, a table, code, a log, a chat or a poem.

const (
	// wrappedFrom is how long a line is at least that was broken for its length.
	wrappedFrom = 45
	// verseLines and verseWidth are how many lines, none of them longer, are taken
	// for verse, a list or a chat.
	verseLines, verseWidth = 4, 45
)

// paragraph is a run of lines without a blank one between.
type paragraph struct {
	end     int // where it ends
	lines   int
	longest int // line, in bytes
	prose   bool
}

// paragraphAt measures the paragraph that begins with the line at.
func paragraphAt(text string, at int) paragraph {
	p := paragraph{prose: opensProse(text, at)}
	for at < len(text) {
		end, next := lineEnd(text, at)
		if trimStart(text, at, end) == end && (at == end || p.lines > 0) {
			break
		}
		p.lines++
		p.longest = max(p.longest, end-at)
		p.end, at = end, next
		if end+1 < len(text) && text[end] == '\r' && text[end+1] == '\n' {
			at = end + 2
		}
	}
	return p
}

// opensProse reports whether a paragraph begins as prose does that keeps to capital
// letters: not with "WARN", a figure, a mark, or in lower case.
func opensProse(text string, at int) bool {
	end, _ := lineEnd(text, at)
	start, _ := skipMarkup(text, at, end)
	word := text[start:end]
	if i := strings.IndexFunc(word, endsWord); i >= 0 {
		word = word[:i]
	}
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return false
	}
	return len(word) <= size+1 || strings.ToUpper(word) != word
}

// endsWord reports whether r is none of the characters of a word.
func endsWord(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }

// wrapped reports whether the break between the line [at, end) and the one that
// begins at next stands inside a sentence.
func (p *paragraph) wrapped(text string, at, end, next int) bool {
	if !p.prose || next >= p.end {
		return false
	}
	line, word := p.across(text, at, end, next)
	return word != "" && (goOn[word] || leadsOn(line) || p.isFull(end-at, word))
}

// across returns the line [at, end) without its markup, and the first word of the line
// that begins at next, which may go on with it. The word is empty if the form of
// either line says that it does not.
func (p *paragraph) across(text string, at, end, next int) (line, word string) {
	start, quoted := skipMarkup(text, at, end)
	line = text[start:max(start, trimEnd(text, start, end))]
	if quoted || !mayBreak(line) {
		return "", ""
	}
	after, _ := lineEnd(text, next)
	own, indent := trimStart(text, at, end)-at, trimStart(text, next, after)-next
	if item := start > at+own; !p.follows(item, own, indent, text[next]) {
		return "", ""
	}
	return line, goingOn(text[next+indent : trimEnd(text, next+indent, after)])
}

// mayBreak reports whether a line, without its markup, is one of prose whose sentence
// may go on in the next.
func mayBreak(line string) bool {
	return hasWord(line) && !isMarkup(line) && mayGoOn(line[len(line)-1])
}

// follows reports whether a line is indented as one that goes on with the line before:
// under the item of a list, else as the line itself. Verse goes on nowhere.
func (p *paragraph) follows(item bool, own, indent int, first byte) bool {
	if item {
		return indent > own && first != '\t'
	}
	verse := p.lines >= verseLines && p.longest < verseWidth
	return indent == own && !verse
}

// goingOn is the first word of a line that begins in the middle of a sentence, else
// empty.
func goingOn(line string) string {
	first, _ := utf8.DecodeRuneInString(line)
	if !unicode.IsLower(first) || isMarkup(line) {
		return ""
	}
	i := strings.IndexFunc(line, func(r rune) bool { return endsWord(r) && r != '-' })
	if i < 0 {
		return line
	}
	switch line[i] {
	case ':', '=':
		return "" // a key, or who speaks
	}
	return line[:i]
}

// leadsOn reports whether a line of several words ends with one that ends no sentence.
func leadsOn(line string) bool {
	i := strings.LastIndexByte(line, ' ')
	return i >= 0 && leadOn[line[i+1:]]
}

// isFull reports whether a line of this length was broken for it: the next word would
// have made it the longest of the paragraph.
func (p *paragraph) isFull(length int, next string) bool {
	return length >= wrappedFrom && length+1+len(next) > p.longest
}

// mayGoOn reports whether a line that ends with c may go on in the next.
func mayGoOn(c byte) bool {
	switch c {
	case '.', '!', '?', ':', ';', '{', '}', ']', '\\', '|', '>', '=', '`', '*', '_':
		return false
	}
	return true
}

// isMarkup reports whether a line is of a table, of code or of a log.
func isMarkup(line string) bool {
	if strings.ContainsAny(line, "\t|{}") || strings.Contains(line, "  ") || strings.Contains(line, "();") || strings.Contains(line, " = ") ||
		strings.Contains(line, "=>") {
		return true
	}
	switch line[0] {
	case '#', '$', '<', '[', '@', '/', '\\', '|', '=':
		return true
	}
	at := skipBullet(line, 0, len(line))
	return at > 0
}

// goOn are words with which a line goes on with the sentence of the one before;
// never written.
var goOn = wordSet(`and because but or nor since due so that which who whom whose than then of to in on at by for from with
	without into onto over under until till while where whereas when after before as if though although unless via per through
	across between within instead owing thanks given following except rather including`)

// leadOn are words that never end a sentence of prose; never written.
var leadOn = wordSet(`a an the this these our my your his her its their and or but nor of to in on at by for from with
	without into onto over under until while because since as if than that which who whose is are was were be been am has have
	had will would shall should can could may might must do does did not very more most every each no via per`)

// wordSet is a set of the words of a text.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// OneLine is a text as it is quoted: on one line. Every break becomes a space, with
// the space around it, also one that ends a thought: whether it does can be told only
// where the whole text is. Most texts have none, and are returned as they are.
func OneLine(text string) string {
	if end, _ := lineEnd(text, 0); end == len(text) {
		return text
	}
	var lines []string
	for at := 0; at < len(text); {
		end, next := lineEnd(text, at)
		if from := trimStart(text, at, end); from < end {
			lines = append(lines, text[from:trimEnd(text, from, end)])
		}
		at = next
	}
	return strings.Join(lines, " ")
}
