package markdown

import "strings"

// format is a set of formats of a text.
type format uint8

const (
	bold format = 1 << iota
	italic
	struck
	monospace
)

// span is a piece of a line with one set of formats. Spans of one link follow each other
// and have its number.
type span struct {
	text string
	form format
	href string
	link int
}

// spans flattens inline nodes, so that a dialect need not nest what it cannot nest.
type spans struct {
	list  []span
	links int
}

func (s *spans) add(list []Inline, form format, href string, link int) {
	for i := range list {
		in := &list[i]
		switch in.Type {
		case Text:
			s.list = append(s.list, span{in.Text, form, href, link})
		case CodeSpan:
			s.list = append(s.list, span{in.Text, form | monospace, href, link})
		case Break:
			s.list = append(s.list, span{"\n", form, href, link})
		case Strong:
			s.add(in.Inlines, form|bold, href, link)
		case Emphasis:
			s.add(in.Inlines, form|italic, href, link)
		case Strikethrough:
			s.add(in.Inlines, form|struck, href, link)
		case Link:
			if link == 0 {
				s.links++
				s.add(in.Inlines, form, in.Href, s.links)
				continue
			}
			s.add(in.Inlines, form, href, link) // a link within a link is none
		}
	}
}

// plainText is inline content without formatting.
func plainText(list []Inline) string {
	r := renderer{d: Plain}
	return r.inlines(list, 0)
}

// inlines writes inline content.
func (r *renderer) inlines(list []Inline, form format) string {
	var s spans
	s.add(list, form, "", 0)
	w := lineWriter{d: r.d}
	for i := 0; i < len(s.list); {
		end := i + 1
		for s.list[i].link != 0 && end < len(s.list) && s.list[end].link == s.list[i].link {
			end++
		}
		if s.list[i].link != 0 {
			w.link(s.list[i:end])
		} else {
			w.span(s.list[i])
		}
		i = end
	}
	w.to(0)
	return strings.Trim(w.b.String(), "\n")
}

// label is the text of a link.
func label(list []span) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(s.text)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// bare reports whether a label says no more than the address.
func bare(label, href string) bool {
	if label == href || encodes(label, href) {
		return true
	}
	for _, scheme := range [...]string{"mailto:", "http://", "https://"} {
		if scheme+label == href {
			return true
		}
	}
	return false
}
