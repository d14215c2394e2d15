package transfer

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Some front ends store what a model thought within its answer, between marks. An answer may also speak about such a
// mark. Thinking is therefore only what an answer begins with, up to a mark that begins or ends a line.

// thoughtTags are the names of the elements that models think in.
var thoughtTags = [...]string{"think", "thinking", "reasoning"}

// The marks that are more than a name.
var (
	thoughtFence = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^:::thinking[ \t]*\r?\n(?:.*?\n)?:::[ \t]*(?:\r?\n|$)`)
	})
	thoughtElement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<details(?:\s+[\w-]+="[^"]*")*\s+type="reasoning"[^>]*>`)
	})
	thoughtLineBegins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*$`) })
	thoughtLineEnds   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t\r]*(?:\n|$)`) })
)

// withoutThoughts is an answer without the thinking that it begins with, and how many such parts it has.
func withoutThoughts(text string) (rest string, n int) {
	for rest = text; ; n++ {
		size := thoughtSize(rest)
		if size == 0 {
			return rest, n
		}
		rest = strings.TrimSpace(rest[size:])
	}
}

// thoughtSize is the size of the thinking that a text begins with; 0 for none.
func thoughtSize(text string) int {
	switch {
	case strings.HasPrefix(text, ":::thinking"):
		return len(thoughtFence().FindString(text))
	case !strings.HasPrefix(text, "<"):
		return 0
	}
	if body := len(thoughtElement().FindString(text)); body > 0 {
		if end, behind := detailsEnd(text, body); end >= 0 {
			return behind
		}
		return 0
	}
	for _, tag := range thoughtTags {
		if body, begins := strings.CutPrefix(text, "<"+tag+">"); begins {
			return len(text) - len(behindThought(body, "</"+tag+">", text))
		}
	}
	return 0
}

// behindThought is what stands behind the thinking that a body begins with: behind the first closing mark that begins or
// ends a line, or, if the opening mark ended a line, behind the first one. It is whole if there is no such mark.
func behindThought(body, closes, whole string) string {
	first := whole
	if _, behind, ok := strings.Cut(body, closes); ok && thoughtLineEnds().MatchString(body) {
		first = behind
	}
	for rest := body; ; {
		before, behind, ok := strings.Cut(rest, closes)
		if !ok {
			return first
		}
		if thoughtLineBegins().MatchString(before) || thoughtLineEnds().MatchString(behind) {
			return behind
		}
		rest = behind
	}
}

// unthink leaves out of an answer what the model thought. One that only thinks is dropped.
func (in *reading) unthink(c *Conversation, m *Message) {
	if m.Role != roleAssistant || c.Memories || m.Dropped {
		return
	}
	said, n := withoutThoughts(m.Text)
	if n == 0 {
		return
	}
	for range n {
		in.report.omit(thinking, c.File.Name+", conversation "+c.ID)
	}
	if m.Earlier == "" {
		m.Earlier = m.Text
	}
	m.Text = said
	m.Dropped = said == "" && len(m.Calls) == 0
}

// thinking is why thinking is left out.
const thinking = "thinking"

// thought reports whether one of the members or columns that hold thinking next to an answer has some.
func thought(values ...string) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		return !slices.Contains([]string{"", "null", `""`, "[]", "{}"}, strings.TrimSpace(v))
	})
}

// thoughtPart reports whether a part of a content is thinking, by its type.
func thoughtPart(kind string) bool {
	return slices.Contains([]string{
		"thinking", "redacted_thinking", "reasoning", "reasoning_text", "redacted_reasoning", "omitted_reasoning", "summarized_reasoning",
	}, kind)
}
