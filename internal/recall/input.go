package recall

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// maxQuestions is how many questions of a message are answered, and maxAsked of all
	// messages that are answered together.
	maxQuestions, maxAsked = 4, 12
	// maxInput is how much of a message is searched for questions, from each end.
	maxInput = 16 << 10
)

// allQuestions are the questions of messages that are answered together, each once.
func allQuestions(said []session.Message, learned []memory.Fact) []string {
	var out []string
	for i := range said {
		for _, text := range questions(said[i].Content, learned) {
			if len(out) < maxAsked && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// questions returns the sentences of a message that ask for something. learned are the
// facts of the message: a sentence that gave a fact is a statement and no question,
// whatever its first word.
func questions(text string, learned []memory.Fact) []string {
	var out []string
	for _, text := range ends(text) {
		for _, s := range language.Sentences(text) {
			if s.Code || s.Quoted || len(out) == maxQuestions {
				continue
			}
			sentence := text[s.Start:s.End]
			if takesBack(learned, sentence) {
				continue
			}
			if (asks(sentence) || shaped(sentence)) && (marked(sentence) || requests(sentence) || !asserts(learned, sentence)) {
				out = append(out, sentence)
			}
		}
	}
	return out
}

// ends returns a text, or its two ends if it is too long.
func ends(text string) []string {
	if len(text) <= 2*maxInput {
		return []string{text}
	}
	head := strings.ToValidUTF8(text[:maxInput], "")
	tail := strings.ToValidUTF8(text[len(text)-maxInput:], "")
	if _, rest, found := strings.Cut(tail, "\n"); found {
		tail = rest
	}
	return []string{head, tail}
}

// marked reports whether a sentence ends with a question mark.
func marked(sentence string) bool {
	end := strings.TrimRightFunc(sentence, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'”’)]!*_", r)
	})
	return strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") || strings.HasSuffix(end, "؟")
}

// asks reports whether a sentence is a question, or a request to tell something.
func asks(sentence string) bool {
	if marked(sentence) {
		return true
	}
	if requests(sentence) {
		return true
	}
	if first, rest := opening(sentence); theLexicon().cues[first]&cueOpening != 0 {
		return rest != "" && (!strings.Contains(sentence, ",") || onlyAsks(first))
	}
	return memory.AsksAtEnd(sentence)
}

// onlyAsks reports whether a word opens nothing but questions: "when we moved, it rained" is
// none.
func onlyAsks(low string) bool {
	return slices.Contains([]string{"who", "whom", "whose", "which", "why"}, low)
}

// requests reports whether a sentence requests an answer: it opens with such a verb, and
// with no verb behind that the sentence would state something: "Search is powered by
// Solr" requests nothing. "Remind me to …" requests something else.
func requests(sentence string) bool {
	first, rest := opening(sentence)
	if theLexicon().cues[first]&cueRequest == 0 {
		return false
	}
	after := strings.TrimLeft(strings.ToLower(rest), " ")
	verb, _ := firstWord(after)
	stated := theLexicon().cues[verb]&(cueOpening|cueBack) != 0 && !interrogative(verb)
	return after != "" && !stated && (first != "remind" || !reminds(after))
}

// interrogative reports whether a word opens a clause that asks: "tell me", "list what".
func interrogative(low string) bool {
	return strings.HasPrefix(low, "wh") || strings.HasPrefix(low, "how")
}

// reminds reports whether the words after "remind" are a task: "me to call Bob", "me on
// Friday to call him".
func reminds(after string) bool {
	who, rest := firstWord(after)
	what, _ := firstWord(rest)
	switch what {
	case "to", "that", "on", "at", "in", "tomorrow", "tonight", "next", "before":
		return who == "me" || who == "us"
	}
	return false
}

// opening is the first word of a sentence after any greeting, in lower case, and the
// rest.
func opening(sentence string) (word, rest string) {
	word, rest = firstWord(sentence)
	for word == "please" || word == "so" || word == "and" || word == "now" || word == "ok" || word == "hey" {
		word, rest = firstWord(rest)
	}
	return word, rest
}

// firstWord cuts the first word off a text, in lower case.
func firstWord(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
	})
	if end < 0 {
		end = len(text)
	}
	if end > 32 {
		return "", text[end:]
	}
	return strings.ReplaceAll(strings.ToLower(text[:end]), "’", "'"), text[end:]
}

// asserts reports whether memory learnt a true statement from the sentence.
func asserts(learned []memory.Fact, sentence string) bool {
	for i := range learned {
		f := &learned[i]
		if f.Kind.Asserted() && (strings.Contains(sentence, f.Quote) || strings.Contains(f.Quote, sentence)) {
			return true
		}
	}
	return false
}

// takesBack reports whether a sentence as a whole asks to forget something: "can you forget
// my gate?" wants no answer from memory.
func takesBack(learned []memory.Fact, sentence string) bool {
	return slices.ContainsFunc(learned, func(f memory.Fact) bool {
		return f.Kind == memory.Retraction && strings.Contains(f.Quote, sentence)
	})
}

// demands reports whether a sentence gives an order, or speaks of not forgetting a thing: it
// tells nothing of the thing.
func demands(sentence string) bool {
	const near = 8
	words := strings.Fields(strings.ToLower(sentence))
	return isTask(sentence) || slices.Contains(words[:min(len(words), near)], "forget")
}

// isTask reports whether a sentence gives an order: a request to write something tells
// no fact.
func isTask(sentence string) bool {
	first, _ := opening(sentence)
	return theLexicon().cues[first]&cueTask != 0
}
