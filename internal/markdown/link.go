package markdown

import "strings"

// link writes a link.
func (w *lineWriter) link(list []span) {
	href, label := list[0].href, label(list)
	if label == "" || w.d.marker() && encodes(label, href) {
		label = href
	}
	switch w.d {
	case TelegramHTML:
		w.to(0)
		w.raw(`<a href="` + escape(href) + `">`)
		for _, s := range list {
			s.form &^= monospace // code in a link is no code there
			w.span(s)
		}
		w.to(0)
		w.raw("</a>")
	case DiscordMarkdown:
		w.discordLink(href, label, list)
	case SlackMrkdwn:
		w.to(list[0].form &^ monospace)
		w.raw("<" + escape(href))
		if label != href {
			w.raw("|" + escape(defused(strings.ReplaceAll(label, "|", "¦"), 0)))
		}
		w.raw(">")
	default:
		w.plainLink(href, label, list)
	}
}

// encodes reports whether an address is a label whose characters are encoded. The label would only say the same in another way.
func encodes(label, href string) bool {
	encoded, ok := safeHref(label)
	return ok && encoded == href
}

// discordLink writes a link whose page is not shown below the message. Discord has no
// links to mail addresses, and none whose label looks like an address.
func (w *lineWriter) discordLink(href, label string, list []span) {
	web := strings.HasPrefix(strings.ToLower(href), "http")
	switch {
	case label == href && web:
		w.to(0)
		w.raw("<" + callsNobody(href) + ">")
	case web && !strings.Contains(label, "://") && !bare(label, href):
		w.to(0)
		w.raw("[")
		w.text(label)
		w.raw("](<" + callsNobody(href) + ">)")
	default:
		w.plainLink(href, label, list)
	}
}

// callsNobody is an address in which Discord finds no mention of everybody.
func callsNobody(href string) string {
	if !strings.Contains(href, "@") {
		return href
	}
	return strings.NewReplacer("@everyone", "%40everyone", "@here", "%40here").Replace(href)
}

// plainLink writes the text of a link, and its address in parentheses.
func (w *lineWriter) plainLink(href, label string, list []span) {
	if bare(label, href) {
		w.to(0)
		if w.d == DiscordMarkdown || strings.Contains(label, "`") {
			w.text(label)
			return
		}
		w.raw(label) // a mark that is separated from its word would break the address
		return
	}
	for _, s := range list {
		w.span(s)
	}
	w.to(0)
	if w.d == DiscordMarkdown {
		w.text(" (" + href + ")")
		return
	}
	w.raw(" (" + href + ")")
}
