package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"
)

// details is a part of an answer of Open WebUI. Older versions keep in the text what a model
// thought, called and ran, each in an element "details" with a type. One without such a type is
// text that the model wrote.
type details struct {
	kind    string // "" for text
	text    string
	members map[string]string
}

// The types of elements that are not text.
const (
	detailsThinking = "reasoning"
	detailsCall     = "tool_calls"
	detailsCode     = "code_interpreter"
)

// The patterns are compiled once: each answer of an export is searched for the first of them.
var (
	openingDetails = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*<details((?:\s+[\w-]+="[^"]*")+)\s*>`)
	})
	detailsMember  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\w-]+)="([^"]*)"`) })
	detailsBracket = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<details\b|` + closingDetails) })
	fencedCode     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```[^\n]*\n(.*?)\n?```") })
)

const closingDetails = "</details>"

// detailsOf takes an answer apart. The program begins each element on a line of its own.
func detailsOf(text string) []details {
	var parts []details
	rest, from := text, 0 // what is not taken apart yet, and where to look in it
	for {
		at := openingDetails().FindStringSubmatchIndex(rest[from:])
		if at == nil {
			break
		}
		begin, body := from+at[0], from+at[1]
		part := details{members: membersOf(rest[from+at[2] : from+at[3]])}
		part.kind = part.members["type"]
		if part.kind != detailsThinking && part.kind != detailsCall && part.kind != detailsCode {
			from = body
			continue
		}
		end, behind := detailsEnd(rest, body)
		if end < 0 { // none behind it ends either
			break
		}
		part.text = rest[body:end]
		parts = append(parts, details{text: rest[:begin]}, part)
		rest, from = rest[behind:], 0
	}
	return append(parts, details{text: rest})
}

// membersOf are the attributes of an element.
func membersOf(text string) map[string]string {
	members := make(map[string]string)
	for _, m := range detailsMember().FindAllStringSubmatch(text, -1) {
		members[m[1]] = html.UnescapeString(m[2])
	}
	return members
}

// detailsEnd is where the element ends whose content begins at a place, and what is behind it; -1
// for one that does not end. If others begin in it and do not end, the first end counts.
func detailsEnd(text string, body int) (end, behind int) {
	first, depth := -1, 1
	const most = 1000 // so that a text full of them takes no time
	for _, at := range detailsBracket().FindAllStringIndex(text[body:], most) {
		if at[1]-at[0] < len(closingDetails) {
			depth++
			continue
		}
		if depth--; first < 0 || depth == 0 {
			first = body + at[0]
		}
		if depth == 0 {
			break
		}
	}
	return first, first + len(closingDetails)
}

// answer adds an answer whose text may have such elements.
func (w *openwebui) answer(out *Conversation, said Message, where string) {
	n, text := 0, ""
	add := func(m Message) {
		m.ID, m.At = said.ID, said.At
		if n > 0 {
			m.ID = fmt.Sprintf("%s#%d", said.ID, n)
		}
		n++
		out.Messages = append(out.Messages, m)
	}
	for _, p := range detailsOf(said.Text) {
		switch p.kind {
		case "":
			text = joinNonEmpty(text, p.text)
			continue
		case detailsThinking:
			w.report.omit("thinking", where)
			continue
		}
		if text != "" {
			add(Message{Role: said.Role, Model: said.Model, Text: text})
			text = ""
		}
		call, result := p.call(fmt.Sprintf("%s/%d", said.ID, n))
		add(Message{Role: said.Role, Model: said.Model, Calls: []Call{call}})
		if result != "" {
			add(Message{Role: roleTool, CallID: call.ID, Text: result})
		}
	}
	if text != "" || n == 0 {
		add(Message{Role: said.Role, Model: said.Model, Text: text})
	}
}

// call is the call that an element stands for, with its result. The id is for one without.
func (p *details) call(id string) (call Call, result string) {
	call.ID = cmp.Or(p.members["id"], id)
	if p.kind == detailsCode {
		code, _ := json.Marshal(map[string]string{"code": codeIn(p.text)}) // a text: cannot fail
		call.Name, call.Arguments = detailsCode, string(code)
		return call, textOrJSON(p.members["output"])
	}
	call.Name, call.Arguments = p.members["name"], textOrJSON(p.members["arguments"])
	return call, textOrJSON(p.members["result"])
}

// textOrJSON is the text in a JSON text, or any other value as it is.
func textOrJSON(value string) string { return cmp.Or(textIn(json.RawMessage(value)), value) }

// codeIn is the code in an element: what stands between its fences, or behind its summary.
func codeIn(text string) string {
	if _, behind, ok := strings.Cut(text, "</summary>"); ok {
		text = behind
	}
	if m := fencedCode().FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.TrimSpace(html.UnescapeString(text))
}
