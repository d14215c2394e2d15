package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// Front ends wrap a person's question in templates: documents in elements, instructions
// under headings, a history of the chat. Only the words of the question are the person's.

// askers are the elements in which templates put the words of the person; never written.
var askers = []string{
	"user_query", "user-query", "userquery", "query", "question", "user_question", "user_message", "user_input", "user_request", "user_prompt",
	"user", "input", "prompt", "request",
}

// askLines are the headings under which templates put the words of the person; never
// written.
var askLines = []string{
	"user question", "user query", "user message", "user input", "user request", "question", "query", "my question", "current question",
	"latest question", "follow up input", "follow-up question", "user", "human", "input", "request", "prompt",
}

// templateLines are the headings that make a message a template; never written.
var templateLines = []string{
	"task", "guidelines", "instructions", "instruction", "context", "chat history", "chat_history", "conversation history", "history",
	"retrieved context", "documents", "sources", "search results", "relevant context", "background", "system", "output", "output format",
	"examples", "conversation",
}

// ownPart is the part of a text that holds the person's own words.
func ownPart(text string) span {
	whole := span{0, len(text)}
	if !strings.ContainsAny(text, "\n<") {
		return whole
	}
	for _, name := range askers {
		open := strings.LastIndex(text, "<"+name+">")
		if open < 0 {
			continue
		}
		from := open + len(name) + 2
		if end := strings.Index(text[from:], "</"+name+">"); end >= 0 {
			return span{from, from + end}
		}
	}
	template, asked := false, -1
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:]+"\n", '\n')
		title, rest := headingOf(text[at:end])
		template = template || contains(templateLines, title)
		if contains(askLines, title) {
			asked = end - len(rest)
		}
		at = end + 1
	}
	switch {
	case template && asked >= 0:
		return span{asked, len(text)}
	case template && strings.HasPrefix(text, "#"):
		return span{len(text), len(text)}
	}
	return whole
}

// headingOf is the title of a line that is a heading, in lower case, and what follows it:
// "### Task:", "Question: why?", "[Context]", "**History**".
func headingOf(line string) (title, rest string) {
	const longest = 24
	bare := strings.TrimLeft(line, "#*[-=_ \t")
	marked := len(bare) < len(line)
	if i := strings.IndexAny(bare[:min(len(bare), longest)], ":]*="); i >= 0 {
		return strings.ToLower(strings.TrimSpace(bare[:i])), strings.TrimLeft(bare[i:], ":]*=")
	}
	if marked && len(bare) < longest {
		return strings.ToLower(strings.TrimSpace(bare)), ""
	}
	return "", line
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return word != ""
		}
	}
	return false
}

// quotations are the parts of a text in quotation marks, without those of a few words,
// which name or stress something.
func quotations(text string) []span {
	var out []span
	open := -1
	for i, c := range text {
		closes := false
		switch c {
		case '"':
			closes = open >= 0
		case '“', '„', '«', '「', '『':
		case '”', '»', '」', '』':
			closes = true
		default:
			continue
		}
		switch {
		case !closes:
			open = i
		case open >= 0:
			if strings.Count(text[open:i], " ") >= fewestQuoted-1 {
				out = append(out, span{open, i})
			}
			open = -1
		}
	}
	return out
}

// fewestQuoted is the number of words from which a part in quotation marks is taken for
// what another person said or wrote.
const fewestQuoted = 5

// mailLines begin the lines of a mail that somebody pasted; never written.
var mailLines = []string{"from:", "to:", "subject:", "dear ", "sent:", "cc:", "re:", "fwd:", "von:", "betreff:", "de:", "asunto:", "objet:"}

// pastedFrom is where a pasted mail, or a document with a headline of marks, begins in a
// text; the length of the text if none does.
func pastedFrom(text string) int {
	if strings.IndexByte(text, '\n') < 0 {
		return len(text)
	}
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:]+"\n", '\n')
		line := strings.TrimLeft(text[at:end], " \t>\"“")
		if headsDocument(line) {
			return at
		}
		for _, head := range mailLines {
			if len(line) > len(head) && strings.EqualFold(line[:len(head)], head) {
				return at
			}
		}
		at = end + 1
	}
	return len(text)
}

// headsDocument reports whether a line stands above text of others: a headline in brackets
// or between rules.
func headsDocument(line string) bool {
	switch {
	case strings.HasPrefix(line, "["):
		return strings.Count(line[:max(0, strings.IndexByte(line, ']'))], " ") >= fewestQuoted-3
	case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "==="):
		return true
	}
	return false
}

// fewestPasted is how many bytes below a request make a text that was pasted.
const fewestPasted = 100

// pastedBelow is where the text begins that the request in a text's first line is about:
// "what does this mean?", then a document. It is the length of the text if there is none.
func pastedBelow(text string, requested bool) int {
	line := strings.IndexByte(text, '\n')
	if !requested || line < 0 || len(text)-line < fewestPasted || isItem(text[line+1:]) {
		return len(text)
	}
	return line
}

// isItem reports whether a line begins as the item of a list does.
func isItem(line string) bool {
	return line != "" && (strings.ContainsRune("-*•+", rune(line[0])) || line[0] >= '0' && line[0] <= '9')
}

// isQuoted reports whether most of a sentence is in quotation marks, or that it is marked
// as a quotation.
func (x *distiller) isQuoted(s language.Sentence) bool {
	if s.Quoted || s.Start >= x.pasted {
		return true
	}
	inside := 0
	for len(x.quotations) > 0 && x.quotations[0].end <= s.Start {
		x.quotations = x.quotations[1:]
	}
	for _, q := range x.quotations {
		if q.start >= s.End {
			break
		}
		if from, to := max(q.start, s.Start), min(q.end, s.End); from < to {
			inside += to - from
		}
	}
	return inside*2 > s.End-s.Start
}
