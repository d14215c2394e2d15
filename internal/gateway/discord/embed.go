package discord

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// embed is a box below a message. Programs write their messages in such boxes, and Discord shows a link in one.
type embed struct {
	Type        string `json:"type"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Author      struct {
		Name string `json:"name"`
	} `json:"author"`
	Fields []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
	Footer media `json:"footer"`
}

// withEmbeds is the text of a message with the words of its embeds behind it. Embeds that cannot be read are left out.
func withEmbeds(text string, raw json.RawMessage) string {
	list := gateway.ReadPart[[]embed](raw)
	if list == nil {
		return text
	}
	parts := []string{text}
	for i := range *list {
		if e := &(*list)[i]; !e.previews(text) {
			parts = append(parts, e.words())
		}
	}
	return lines(parts)
}

// previews reports whether Discord has made an embed by itself, of a link in the text.
func (e *embed) previews(text string) bool {
	own := []string{"link", "article", "video", "image", "gifv"}
	return slices.Contains(own, e.Type) && e.URL != "" && strings.Contains(text, e.URL)
}

// words are what people read in an embed, a line each. The address is behind a title, which leads there.
func (e *embed) words() string {
	head := e.Title
	switch {
	case e.URL == "":
	case head == "":
		head = e.URL
	default:
		head += " (" + e.URL + ")"
	}
	parts := []string{e.Author.Name, head, e.Description}
	for _, f := range e.Fields {
		parts = append(parts, strings.Trim(f.Name+": "+f.Value, ": "))
	}
	return lines(append(parts, e.Footer.Text))
}

// lines are the texts that are not empty, a line each.
func lines(texts []string) string {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	return strings.Join(slices.DeleteFunc(texts, blank), "\n")
}
