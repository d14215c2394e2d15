package anthropic

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// block is a content block of a request. Which fields it has depends on its type.
type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Title     string         `json:"title"`
	Context   string         `json:"context"` // of a document
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	IsError   bool           `json:"is_error"`
	Source    jsontext.Value `json:"source"`  // an object, or the text of a search result
	Content   jsontext.Value `json:"content"` // a text or blocks
	// CacheControl marks the end of a prefix that the client wants cached.
	CacheControl jsontext.Value `json:"cache_control"`
}

// blocksOf reads content: a text, blocks, or null.
func blocksOf(raw jsontext.Value, path string) ([]block, *Problem) {
	switch raw.Kind() {
	case 0, 'n':
		return nil, nil
	case '"':
		var text string
		problem := decode(raw, path, &text)
		return []block{{Type: "text", Text: text}}, problem
	case '[':
		var out []block
		if problem := decode(raw, path, &out); problem != nil {
			return nil, problem
		}
		for i := range out {
			if out[i].Type == "" {
				return nil, at(fmt.Sprintf("%s.%d.type", path, i), "Field required")
			}
		}
		return out, nil
	}
	return nil, at(path, "a string or a list of content blocks is required")
}

// part is a content part of a chat completion.
type part struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text,omitzero"`
	ImageURL *imageURL `json:"image_url,omitzero"`
	File     *file     `json:"file,omitzero"`
}

type imageURL struct {
	URL string `json:"url"`
}

type file struct {
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data,omitempty"`
	ID   string `json:"file_id,omitempty"`
}

func textPart(text string) part { return part{Type: "text", Text: &text} }

// parts are a block in the form of chat completions; known is false if chat completions
// cannot hold it.
func (b *block) parts(path string) (out []part, known bool, problem *Problem) {
	switch b.Type {
	case "text":
		if strings.TrimSpace(b.Text) == "" {
			return nil, true, nil
		}
		return []part{textPart(b.Text)}, true, nil
	case "image":
		return b.image(path)
	case "document":
		return b.document(path)
	case "search_result":
		return b.searchResult(path)
	}
	return nil, false, nil
}

// wireSource is a source as a client sends it.
type wireSource struct {
	Source
	FileID  string         `json:"file_id"`
	Content jsontext.Value `json:"content"`
}

func (b *block) source(path string) (src wireSource, problem *Problem) {
	if b.Source.Kind() != '{' {
		return src, at(path+".source", "an object is required")
	}
	return src, decode(b.Source, path+".source", &src)
}

func (s *wireSource) dataURL() string { return "data:" + s.MediaType + ";base64," + s.Data }

func (b *block) image(path string) ([]part, bool, *Problem) {
	src, problem := b.source(path)
	switch {
	case problem != nil:
		return nil, true, problem
	case src.Type == "base64":
		return []part{{Type: "image_url", ImageURL: &imageURL{src.dataURL()}}}, true, nil
	case src.Type == "url":
		return []part{{Type: "image_url", ImageURL: &imageURL{src.URL}}}, true, nil
	}
	return nil, false, nil
}

func (b *block) document(path string) ([]part, bool, *Problem) {
	src, problem := b.source(path)
	if problem != nil {
		return nil, true, problem
	}
	name := cmp.Or(b.Title, "document.pdf")
	switch src.Type {
	case "base64":
		return b.described(part{Type: "file", File: &file{Name: name, Data: src.dataURL()}}), true, nil
	case "url":
		return b.described(part{Type: "file", File: &file{Name: name, Data: src.URL}}), true, nil
	case "file":
		return b.described(part{Type: "file", File: &file{ID: src.FileID}}), true, nil
	case "text":
		return []part{textPart(lines(b.Title, b.Context, src.Data))}, true, nil
	case "content":
		inner, problem := contentParts(src.Content, path+".source.content")
		return b.described(inner...), true, problem
	}
	return nil, false, nil
}

// described puts the context of a document before its parts.
func (b *block) described(ps ...part) []part {
	if b.Context == "" {
		return ps
	}
	return append([]part{textPart(b.Context)}, ps...)
}

// searchResult is a search result as text.
func (b *block) searchResult(path string) ([]part, bool, *Problem) {
	var source string
	if b.Source.Kind() == '"' {
		if problem := decode(b.Source, path+".source", &source); problem != nil {
			return nil, true, problem
		}
	}
	inner, problem := contentParts(b.Content, path+".content")
	return append([]part{textPart(lines(b.Title, source))}, inner...), true, problem
}

// contentParts are the parts of the content of a document or of a search result: texts and
// images. Blocks of other types are left out.
func contentParts(raw jsontext.Value, path string) (out []part, problem *Problem) {
	blocks, problem := blocksOf(raw, path)
	if problem != nil {
		return nil, problem
	}
	for i := range blocks {
		if kind := blocks[i].Type; kind != "text" && kind != "image" {
			continue
		}
		ps, _, problem := blocks[i].parts(fmt.Sprintf("%s.%d", path, i))
		if problem != nil {
			return nil, problem
		}
		out = append(out, ps...)
	}
	return out, nil
}

// lines joins the texts that are not empty.
func lines(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}
