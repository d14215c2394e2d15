package errand

import (
	"regexp"
	"strings"
)

// transcript is the form of a conversation that a prompt includes.
type transcript int

const (
	none   transcript = iota
	loose             // after a blank line
	fenced            // between code fences
	roles             // lines or objects with the names of roles
	tagged            // between tags
)

// prompt is a text in its parts.
type prompt struct {
	instruction string // in lower case, without the conversation
	transcript  transcript
	// inner is the text of the conversation.
	inner string
	// items is the number of items in lists.
	items int
}

var (
	openTag = regexp.MustCompile(`<([a-zA-Z_]+)>`)
	ownTag  = regexp.MustCompile(`(?i)^(task|rules?|examples?|instructions?|output|format|guidelines|analysis|summary|` +
		`websearch|knowledge|question|links|type)$`)
	roleLine = regexp.MustCompile(`(?im)^[ \t]*(user|assistant|ai|human|bot|model|claude|用户|助手)[ \t]*[:：].*$`)
	objects  = regexp.MustCompile(`(?s)\[\s*\{.*\}\s*\]`)
	item     = regexp.MustCompile(`(?m)^[ \t]*([-*•–]|\d{1,2}[.)])[ \t]+\S`)
)

// parse finds the conversation in a text.
func parse(text string) *prompt {
	p := &prompt{instruction: text}
	p.cutTagged()
	if strings.Contains(p.instruction, `"role"`) {
		p.cut(objects, roles)
	}
	p.cut(objects, none)
	if n := len(roleLine.FindAllString(p.instruction, 3)); n >= 2 || n == 1 && strings.Contains(p.instruction, ":\n") {
		p.cut(roleLine, roles)
	}
	p.cutFence()
	p.instruction = strings.ToLower(p.instruction)
	if p.transcript == none {
		p.cutLoose()
	}
	p.items = len(item.FindAllString(p.instruction, -1))
	return p
}

// is notes that the text includes a conversation.
func (p *prompt) is(t transcript, inner string) {
	p.transcript = max(p.transcript, t)
	p.inner += inner + "\n"
}

func (p *prompt) cut(where *regexp.Regexp, t transcript) {
	p.instruction = where.ReplaceAllStringFunc(p.instruction, func(found string) string {
		p.is(t, found)
		return ""
	})
}

// cutTagged removes what stands between tags, except for the tags that divide an
// instruction. Names of tags in a sentence have nothing between them.
func (p *prompt) cutTagged() {
	text, from := p.instruction, 0
	for {
		at := openTag.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		name, start, end := text[from+at[2]:from+at[3]], from+at[0], from+at[1]
		size := strings.Index(text[end:], "</"+name+">")
		if size < 0 || ownTag.MatchString(name) || strings.TrimSpace(text[end:end+size]) == "" {
			from = end
			continue
		}
		p.is(tagged, text[end:end+size])
		text = text[:start] + text[end+size+len(name)+3:]
		from = start
	}
	p.instruction = text
}

const fence = "```"

func (p *prompt) cutFence() {
	before, rest, ok := strings.Cut(p.instruction, fence)
	if !ok {
		return
	}
	inner, after, ok := strings.Cut(rest, fence)
	if ok && !isCode(before, inner) {
		p.is(fenced, inner)
		p.instruction = before + after
	}
}

// isCode reports whether the first line of a block names a language.
func isCode(before, inner string) bool {
	return strings.HasSuffix(before, "\n") && !strings.HasPrefix(inner, "\n")
}

// cutLoose removes what follows a first paragraph that announces it.
func (p *prompt) cutLoose() {
	first, rest, ok := strings.Cut(p.instruction, "\n\n")
	if ok && strings.Contains(first, "following") && strings.TrimSpace(rest) != "" {
		p.is(loose, rest)
		p.instruction = first
	}
}
