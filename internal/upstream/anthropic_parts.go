package upstream

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/anthropic"
)

// contentPart is a part of a message's content on the chat completions wire.
type contentPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // an object with a URL, or the URL
	File     struct {
		Data string `json:"file_data"`
		Name string `json:"filename"`
	} `json:"file"`
}

// block translates a part. A part that the API does not accept becomes a note in its
// place: otherwise every later turn of the session would fail for as long as the
// message is in the prompt.
func (p *contentPart) block() block {
	switch p.Type {
	case "text", "input_text", "output_text":
		return block{Type: "text", Text: p.Text}
	case "refusal":
		return block{Type: "text", Text: p.Refusal}
	case "image_url", "input_image":
		if src := sourceOf(p.imageURL()); src != nil {
			return block{Type: "image", Source: src}
		}
	case "file", "input_file":
		if src := sourceOf(p.File.Data); src != nil {
			return block{Type: "document", Source: src, Title: p.File.Name}
		}
	}
	return block{Type: "text", Text: fmt.Sprintf("[a part of type %.40q cannot be shown to this model]", p.Type)}
}

func (p *contentPart) imageURL() string {
	var object struct {
		URL string `json:"url"`
	}
	var text string
	if json.Unmarshal(p.ImageURL, &text) == nil {
		return text
	}
	_ = json.Unmarshal(p.ImageURL, &object) // of another type: no URL
	return object.URL
}

// sourceOf reads a URL; nil if the API does not accept its kind.
func sourceOf(url string) *anthropic.Source {
	if strings.HasPrefix(url, "https://") {
		return &anthropic.Source{Type: "url", URL: url}
	}
	rest, ok := strings.CutPrefix(url, "data:")
	head, data, found := strings.Cut(rest, ",")
	kind, base64 := strings.CutSuffix(head, ";base64")
	if whole := ok && found && base64 && kind != ""; !whole {
		return nil
	}
	kind, _, _ = strings.Cut(kind, ";")
	return &anthropic.Source{Type: "base64", MediaType: kind, Data: data}
}
