package errand

import (
	"regexp"
	"strings"
	"sync"
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
	// items is the number of items in lists.
	items int
}

// roleNames are the names of the two sides of a chat with a model.
var roleNames = []string{
	"user", "human", "assistant", "ai", "bot", "model", "claude",
	"benutzer", "nutzer", "assistent", "utilisateur", "usuario", "asistente", "usuário", "assistente", "utente",
	"пользователь", "ассистент", "помощник", "ユーザー", "アシスタント", "사용자", "어시스턴트", "도우미", "用户", "用戶", "助手", "助理",
}

var (
	openTag = regexp.MustCompile(`<([a-zA-Z_]+)>`)
	ownTag  = regexp.MustCompile(`(?i)^(task|rules?|examples?|instructions?|output|format|guidelines|analysis|summary|` +
		`websearch|knowledge|question|links|type)$`)
	objects = regexp.MustCompile(`(?s)\[\s*\{.*\}\s*\]`)
	item    = regexp.MustCompile(`(?m)^[ \t]*([-*•–]|\d{1,2}[.)])[ \t]+\S`)
)

// roleLine is a line of a conversation. It is compiled at its first use.
var roleLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^[ \t]*(` + strings.Join(roleNames, "|") + `)[ \t]*[:：].*$`)
})

// parse finds the conversation in a text.
func parse(text string) *prompt {
	p := &prompt{instruction: text}
	p.cutTagged()
	if strings.Contains(p.instruction, `"role"`) {
		p.cut(objects, roles)
	}
	p.cut(objects, none)
	if n := len(roleLine().FindAllString(p.instruction, 3)); n >= 2 || n == 1 && strings.Contains(p.instruction, ":\n") {
		p.cut(roleLine(), roles)
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
func (p *prompt) is(t transcript) { p.transcript = max(p.transcript, t) }

func (p *prompt) cut(where *regexp.Regexp, t transcript) {
	p.instruction = where.ReplaceAllStringFunc(p.instruction, func(string) string {
		p.is(t)
		return ""
	})
}

// maxUnclosed is how many tags without an end a text may have before tags are no longer
// looked for: each costs a search through the rest of the text.
const maxUnclosed = 16

// cutTagged removes what stands between tags, except for the tags that divide an
// instruction. Names of tags in a sentence have nothing between them.
func (p *prompt) cutTagged() {
	var kept strings.Builder
	rest, unclosed := p.instruction, 0
	for unclosed < maxUnclosed {
		at := openTag.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		name, after := rest[at[2]:at[3]], rest[at[1]:]
		between, next, closed := "", "", false
		if !ownTag.MatchString(name) {
			if between, next, closed = strings.Cut(after, "</"+name+">"); !closed {
				unclosed++
			}
		}
		if strings.TrimSpace(between) == "" || !closed {
			kept.WriteString(rest[:at[1]])
			rest = after
			continue
		}
		kept.WriteString(rest[:at[0]])
		p.is(tagged)
		rest = next
	}
	p.instruction = kept.String() + rest
}

const fence = "```"

func (p *prompt) cutFence() {
	before, rest, ok := strings.Cut(p.instruction, fence)
	if !ok {
		return
	}
	inner, after, ok := strings.Cut(rest, fence)
	if ok && !isCode(before, inner) {
		p.is(fenced)
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
		p.is(loose)
		p.instruction = first
	}
}
