package mention

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An id and a session key are short: they have words, and no sentences. Whole words of them name things: the keys "anna"
// and "anna-work" name Anna. A part of a word does not: the key "annette" says nothing of Anne, and the user "alexander"
// nothing of Alex. Otherwise the forgetting of a name would delete conversations that have nothing to do with it,
// because such a match deletes a whole conversation.
//
// Programs make ids of a word for a kind of thing and a number: "chatgpt-9", "memory-1". Nothing was chosen there but
// the number.

// labels are words for kinds of things that programs put in front of a number.
const labels = "agent main " + systems + " " + purposes + " " + notes + " assistant chat conversation default session thread user"

// InName reports whether the id of a session, or a key, names the thing. The words do not count with which this
// program begins ids.
func (t *Thing) InName(name string) bool { return t.inName(name, chosen(name)) }

// InForeign reports whether an id that another program gave to a conversation names the thing. The words do not
// count which stand in place of an id.
func (t *Thing) InForeign(id string) bool { return t.inName(id, chosenOf(id, 0)) }

// inName reports whether an id, of which a part was chosen, names the thing.
func (t *Thing) inName(id string, chosen Span) bool {
	return slices.ContainsFunc(t.Spans(id), func(s Span) bool { return counts(id, s, chosen) })
}

// Counts reports whether a place of the id of a session names something, and CountsForeign reports the same of an id that
// another program gave to a conversation.
func Counts(id string, at Span) bool { return counts(id, at, chosen(id)) }

// CountsForeign is described at Counts.
func CountsForeign(id string, at Span) bool { return counts(id, at, chosenOf(id, 0)) }

// counts reports whether a place of an id, of which a part was chosen, names something.
func counts(id string, at, chosen Span) bool {
	at = seen(id, at)
	if !at.meets(chosen) || onlyLabels(id, at, chosen) || inAgentKey(id, at, chosen) {
		return false
	}
	return wholeWords(id, at) || endsNumber(id, at)
}

// Keys of OpenClaw are "agent", the name of an agent, and what the conversation is for: "agent:work:main",
// "agent:main:cron:daily", "agent:work:matrix:direct:anna". The name of the agent is "main" unless a person chose one.
const (
	agentUses  = "main subagent cron hook acp"
	agentTypes = chatTypes + " direct"
)

// inAgentKey reports whether a place of an id lies within one of the words with which OpenClaw makes its keys.
func inAgentKey(id string, at, chosen Span) bool {
	parts := strings.Split(id[chosen.Start:chosen.End], ":")
	start := chosen.Start
	for i, own := range ownParts(parts) {
		end := start + len(parts[i])
		if own && start <= at.Start && at.End <= end {
			return true
		}
		start = end + 1
	}
	return false
}

// ownParts says of the parts of a key of OpenClaw which of them are its own words; nil for any other key.
func ownParts(parts []string) []bool {
	const name, use, kind = 1, 2, 3
	if len(parts) <= use || parts[0] != "agent" {
		return nil
	}
	own := make([]bool, len(parts))
	own[0], own[name], own[use] = true, parts[name] == mainWord, true
	if isOneOf(parts[use], agentUses) {
		return own
	}
	if len(parts) == kind || !isOneOf(parts[kind], agentTypes) || platformAt([]byte(parts[use])) < len(parts[use]) {
		return nil
	}
	own[kind] = true
	return own
}

// wholeWords reports whether a place of an id begins and ends where words do.
func wholeWords(id string, at Span) bool {
	return wordBreak(id, at.Start) && wordBreak(id, at.End) && !slices.ContainsFunc(randomWords(id), func(w Span) bool {
		return w.meets(at) && (at.Start > w.Start || at.End < w.End)
	})
}

// wordBreak reports whether one word of an id ends and another one begins at a place. Words end before a capital letter, and
// between letters and digits, too: "annaBerg", "anna2".
func wordBreak(id string, at int) bool {
	before, n := utf8.DecodeLastRuneInString(id[:at])
	behind, k := utf8.DecodeRuneInString(id[at:])
	switch {
	case n == 0, k == 0, !ofWord(before), !ofWord(behind):
		return true
	case unicode.IsMark(behind):
		return false
	}
	return unicode.IsDigit(before) != unicode.IsDigit(behind) || unicode.IsLower(before) && unicode.IsUpper(behind)
}

// leastNumber is the number of digits from which on the end of a number counts: a telephone number without the prefix of
// its country, say.
const leastNumber = 4

// endsNumber reports whether a place of an id is the end of a longer number.
func endsNumber(id string, at Span) bool {
	text := id[at.Start:at.End]
	if len(text) < leastNumber || strings.Trim(text, decimals) != "" || !wordBreak(id, at.End) {
		return false
	}
	start := at.Start
	for start > 0 && strings.IndexByte(decimals, id[start-1]) >= 0 {
		start--
	}
	return wordBreak(id, start) && wholeWords(id, Span{start, at.End})
}

const decimals = "0123456789"

// onlyLabels reports whether a place of an id consists of labels, in an id of which everything else is a label or a number.
func onlyLabels(id string, at, chosen Span) bool {
	all := wordsOf(id, chosen)
	if len(all) < 2 {
		return false
	}
	for _, w := range all {
		word := id[w.Start:w.End]
		label := isOneOf(strings.ToLower(word), labels)
		if !label && (!strings.ContainsAny(word, decimals) || w.meets(at)) {
			return false
		}
	}
	return true
}

// wordsOf are the places of the words within a part of an id.
func wordsOf(id string, part Span) (out []Span) {
	start := -1
	for i, r := range id[part.Start:part.End] {
		at := part.Start + i
		switch word := unicode.In(r, unicode.L, unicode.Nd, unicode.M); {
		case word && start < 0:
			start = at
		case !word && start >= 0:
			out = append(out, Span{start, at})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, Span{start, part.End})
	}
	return out
}

const (
	// uuidForm is the form of ids that most programs make. An f stands for a hexadecimal digit.
	uuidForm = "ffffffff-ffff-ffff-ffff-ffffffffffff"
	// leastRandom is the number of hexadecimal digits from which on a word of letters and digits is taken for random.
	leastRandom = 8
)

// randomWords are the places of words of an id that consist of random letters and digits. A part of one names nothing.
func randomWords(id string) (out []Span) {
	low := strings.ToLower(id)
	for at := 0; at+len(uuidForm) <= len(low); at++ {
		if isUUID(low[at : at+len(uuidForm)]) {
			out = append(out, Span{at, at + len(uuidForm)})
		}
	}
	for _, w := range wordsOf(low, Span{0, len(low)}) {
		if isRandom(low[w.Start:w.End]) {
			out = append(out, w)
		}
	}
	return out
}

func isUUID(text string) bool {
	for i := range len(text) {
		if (uuidForm[i] == '-') != (text[i] == '-') || text[i] != '-' && strings.IndexByte(hexDigits, text[i]) < 0 {
			return false
		}
	}
	return true
}

// isRandom reports whether a word is a hexadecimal number in which letters and digits take turns. A name with a date
// behind it has one turn.
func isRandom(word string) bool {
	if len(word) < leastRandom || strings.Trim(word, hexDigits) != "" {
		return false
	}
	turns := 0
	for i := 1; i < len(word); i++ {
		if (word[i] <= '9') != (word[i-1] <= '9') {
			turns++
		}
	}
	return turns > 1
}
