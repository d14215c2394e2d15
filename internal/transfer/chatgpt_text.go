package transfer

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// text is the text of a message; false if it is left out.
func (g *chatgpt) text(c *gptContent, where string) (string, bool) {
	switch c.Type {
	case "text", "multimodal_text":
		return uncited(joined(c.Parts, func(part json.RawMessage) string { return g.part(part, where) })), true
	case "code", "execution_output", "system_error":
		return c.Text, true
	case "tether_quote":
		return joinNonEmpty(c.Title, c.URL, c.Text), true
	case "tether_browsing_display":
		return c.Result, true
	case "thoughts", "reasoning_recap":
		g.report.omit(thinking, where)
		return "", false
	}
	g.report.unknown("content "+c.Type, where)
	return "", false
}

// part is a part of a message that has more than text.
func (g *chatgpt) part(raw json.RawMessage, where string) string {
	if jsontext.Value(raw).Kind() != '{' {
		return g.texts(raw, where)
	}
	var p struct {
		Type     string `json:"content_type"`
		Text     string `json:"text"`
		Pointer  string `json:"asset_pointer"`
		Metadata struct {
			Dalle struct {
				Prompt string `json:"prompt"`
			} `json:"dalle"`
		} `json:"metadata"`
	}
	_ = decode(raw, &p, func(odd) {}) // it was read before
	switch p.Type {
	case "image_asset_pointer":
		return imageMark(cmp.Or(name(p.Metadata.Dalle.Prompt), p.Pointer[strings.LastIndex(p.Pointer, "/")+1:]))
	case "audio_transcription":
		return p.Text
	case "audio_asset_pointer", "real_time_user_audio_video_asset_pointer":
		g.report.omit("sound and video", where)
		return ""
	}
	if p.Type != "" && p.Text == "" {
		g.report.unknown("part "+p.Type, where)
		return ""
	}
	return g.texts(raw, where)
}

func joined(parts []json.RawMessage, text func(json.RawMessage) string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = text(p)
	}
	return joinNonEmpty(out...)
}

// joinNonEmpty joins the texts that are not empty, one a line.
func joinNonEmpty(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" }), "\n")
}

// uncited is a text without the marks of citations: pairs of private characters, and
// brackets with a dagger. A space before a mark goes with it. A mark that stands for words leaves them.
func uncited(text string) string {
	if !strings.ContainsAny(text, "\ue200\ue201\ue202【") {
		return text
	}
	marks := regexp.MustCompile(" ?(?:\ue200[^\ue200\ue201]*\ue201|【[^【】]*†[^【】]*】)")
	text = marks.ReplaceAllStringFunc(text, func(mark string) string {
		words := wordsOf(strings.Trim(mark, " \ue200\ue201"))
		if words != "" && strings.HasPrefix(mark, " ") {
			return " " + words
		}
		return words
	})
	return strings.Map(func(r rune) rune {
		if r >= '\ue200' && r <= '\ue206' {
			return -1
		}
		return r
	}, text)
}

// wordsOf are the words that a mark is shown as: the name of a thing, which stands behind its kind, or
// a link. Other marks only point to a source.
func wordsOf(mark string) string {
	kind, content, _ := strings.Cut(mark, "\ue202")
	switch kind {
	case "entity":
		var about []json.RawMessage
		if json.Unmarshal([]byte(content), &about) == nil && len(about) > 1 {
			return textIn(about[1])
		}
	case "url":
		words, address, _ := strings.Cut(content, "\ue202")
		if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
			return "[" + words + "](" + address + ")"
		}
		return words
	}
	return ""
}
