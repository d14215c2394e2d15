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
	wholeFence     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?ms)^[ \t]*```.*?\n[ \t]*```[ \t]*$") })
	fencedCode     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```[^\n]*\n(.*?)\n?```") })
)

const (
	closingDetails = "</details>"
	codeFence      = "```"
)

// detailsOf takes an answer apart. The program begins each element on a line of its own. One in a fence of code is text.
func detailsOf(text string) []details { return detailsIn(text, true) }

// detailsEarlier are the parts of an answer as earlier versions of this program took it apart: also in fences of code.
func detailsEarlier(text string) []details { return detailsIn(text, false) }

// fences finds the fences of code in a text that end. at is how far it has looked, which is the beginning of a line.
type fences struct {
	text string
	at   int
}

// around reports whether a place stands in a fence. Places are asked for in their order.
func (f *fences) around(place int) bool {
	for f.at < place && strings.Contains(f.text[f.at:place], codeFence) {
		fence := wholeFence().FindStringIndex(f.text[f.at:])
		switch {
		case fence == nil, f.at+fence[0] > place:
			return false
		case f.at+fence[1] > place:
			return true
		}
		f.at += fence[1]
	}
	return false
}

// detailsIn takes an answer apart. fenced says that what stands in a fence of code is text.
func detailsIn(text string, fenced bool) []details {
	var parts []details
	rest, from := text, 0 // what is not taken apart yet, and where to look in it
	code := fences{text: rest}
	for {
		at := openingDetails().FindStringSubmatchIndex(rest[from:])
		if at == nil {
			break
		}
		begin, body := from+at[0], from+at[1]
		part := details{members: membersOf(rest[from+at[2] : from+at[3]])}
		part.kind = part.members["type"]
		if !part.special() || fenced && code.around(begin) {
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
		code = fences{text: rest}
	}
	return append(parts, details{text: rest})
}

// special reports whether an element is not text that the model wrote.
func (p *details) special() bool {
	return p.kind == detailsThinking || p.kind == detailsCall || p.kind == detailsCode
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
	parts := detailsOf(said.Text)
	for i := range parts {
		if parts[i].kind == detailsThinking {
			w.report.omit(thinking, where)
		}
	}
	now := said.saying(parts)
	if strings.Contains(said.Text, codeFence) {
		now = rereadAs(now, said.saying(detailsEarlier(said.Text)))
	}
	out.Messages = append(out.Messages, now...)
}

// saying are the messages that the parts of an answer are.
func (m *Message) saying(parts []details) []Message {
	var out []Message
	text := ""
	add := func(part Message) {
		part.ID, part.At, part.Model = m.ID, m.At, ""
		if part.Role != roleTool {
			part.Model = m.Model
		}
		if len(out) > 0 {
			part.ID = fmt.Sprintf("%s#%d", m.ID, len(out))
		}
		out = append(out, part)
	}
	for i := range parts {
		p := &parts[i]
		switch p.kind {
		case "":
			text = joinNonEmpty(text, p.text)
			continue
		case detailsThinking:
			continue
		}
		if text != "" {
			add(Message{Role: m.Role, Text: text})
			text = ""
		}
		call, result := p.call(fmt.Sprintf("%s/%d", m.ID, len(out)))
		add(Message{Role: m.Role, Calls: []Call{call}})
		if result != "" {
			add(Message{Role: roleTool, CallID: call.ID, Text: result})
		}
	}
	if text != "" || len(out) == 0 {
		add(Message{Role: m.Role, Text: text})
	}
	return out
}

// rereadAs are messages with the texts that earlier versions of this program read in their places, and the messages that
// only those versions read.
func rereadAs(now, earlier []Message) []Message {
	for i := range earlier {
		switch {
		case i >= len(now):
			earlier[i].Dropped = true
			now = append(now, earlier[i])
		case now[i].Text != earlier[i].Text:
			now[i].Earlier = earlier[i].Text
		}
	}
	return now
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
