package mention

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// An import writes the name of a program where that program is the speaker of its memories, and into a title. The built-in
// responder cites the memories with that name. No one has said the name there: a person who forgets "Claude" means
// what was said of Claude, and not all that the program Claude has kept.

// ourTitles are the titles that an import makes, one on a line. Behind the last one stands an id.
const ourTitles = "Memories of mem0\nMemories of openwebui\nMemory of Claude\nMemory of letta\nCustom instructions\nMEMORY.md\nUSER.md\n" +
	projectTitle

// projectTitle begins the titles of what Claude remembers of a project, and agentTitle those of what an agent of Letta does. The
// id of the project, or the name of the agent, stands behind them.
const (
	projectTitle = "Memory of Claude, project "
	agentTitle   = "Memory of "
)

// IsProgram reports whether a name is the one that an import gives to a program as a speaker.
func IsProgram(name string) bool { return isOneOf(name, systems) }

// Programs are the names that an import gives to programs as speakers.
func Programs() []string { return strings.Fields(systems) }

// InTitle reports whether the title of a session names the thing. What an import has written there does not count.
func (t *Thing) InTitle(title string) bool { return t.In(ChosenTitle(title)) }

// ChosenTitle is the part of a title that a person or another program chose. A number may stand behind a title that an
// import has made, as behind a copy's.
func ChosenTitle(title string) string {
	if id, of := strings.CutPrefix(title, projectTitle); of {
		return id
	}
	base := title
	if at := strings.LastIndex(title, " #"); at > 0 && strings.Trim(title[at+2:], decimals) == "" {
		base = title[:at]
	}
	if slices.Contains(strings.Split(ourTitles, "\n"), base) {
		return ""
	}
	return strings.TrimPrefix(title, agentTitle)
}

// The responder cites a program in two forms: with the day behind the speaker, or in the steps of a change.
//
//	mem0 said on 2 March 2025: "Lives in Graz".
//	Change: mem0 said "Lives in Graz" on 2 March 2025; later you said "I live in Linz" on 3 March 2025.
const (
	citing     = " said "
	answerMark = "[recall] "
	laterLine  = "Later "
	laterStep  = "; later "
)

// hasCited reports whether the responder may cite a speaker in a text.
func hasCited(text []byte) bool { return bytes.Contains(text, []byte(citing)) }

// inCited reports whether a piece of a text lies within the name of a program that the responder cites.
func inCited(text []byte, s Span) bool {
	word := wordAround(text, s)
	behind := text[word.End:min(len(text), word.End+len(citing+longestDay))]
	words, cited := strings.CutPrefix(string(behind), citing)
	if !cited || !IsProgram(string(text[word.Start:word.End])) {
		return false
	}
	line := strings.TrimPrefix(lineOf(text[:word.Start]), answerMark)
	if line == "" || line == laterLine {
		return isDay(words)
	}
	return isStep(line) && strings.HasPrefix(strings.TrimPrefix(words, `\`), `"`)
}

// wordAround is the word in which a piece of a text lies. The text may be a string in JSON: the letter of an escape is in
// no word.
func wordAround(text []byte, s Span) Span {
	s = seen(text, s)
	for s.Start > 0 && isIdentifier(text[s.Start-1]) {
		s.Start--
	}
	if s.Start > 0 && text[s.Start-1] == '\\' {
		s.Start++
	}
	for s.End < len(text) && isIdentifier(text[s.End]) {
		s.End++
	}
	return s
}

// isStep reports whether a line is that of a change up to the speaker of a step.
func isStep(line string) bool {
	kind, steps, more := strings.Cut(line, ": ")
	return more && isOneOf(kind, "Change Reversal") && (steps == "" || strings.HasSuffix(steps, laterStep))
}

// lineOf is the last line of a text. The text may be a string in JSON.
func lineOf(text []byte) string {
	line := string(text[bytes.LastIndexFunc(text, unicode.IsControl)+1:])
	if at := strings.LastIndex(line, `\n`); at >= 0 {
		line = line[at+len(`\n`):]
	}
	return strings.TrimPrefix(line, `"`)
}

// isDay reports whether a text begins with a day and a colon: "on 2 March 2025: ".
func isDay(text string) bool {
	day, _, more := strings.Cut(text, ": ")
	parts := strings.Fields(day)
	if !more || len(parts) != 4 {
		return false
	}
	return parts[0] == "on" && isOneOf(parts[2], months) && strings.Trim(parts[1]+parts[3], decimals) == ""
}

const (
	longestDay = "on 30 September 99999: "
	months     = "January February March April May June July August September October November December"
)
