package openai

import (
	"bytes"
	"slices"
	"strings"
)

// mediaNote ends the text of a result whose other parts follow in another message.
const mediaNote = "[The tool's images and files follow.]"

// ResultMedia divides the result of a tool, a chat message in JSON. Chat Completions takes
// only text as a result. media are the other parts, separated by commas, for a message of
// the user after all results; nil if there are none. text is then the result without them,
// and the same bytes as result otherwise.
func ResultMedia(result []byte) (text, media []byte) {
	ms, err := members(result)
	if err != nil {
		return result, nil
	}
	var parts [][]byte
	for _, m := range ms {
		if value := result[m.start:m.end]; m.name == "content" && value[0] == '[' {
			parts, _ = Elements(value) // a list of another form is left to the upstream
		}
	}
	var texts []string
	for _, raw := range parts {
		if kind, text := readPart(raw); text != nil && isTextPart(kind) {
			texts = append(texts, *text)
			continue
		}
		if media != nil {
			media = append(media, ',')
		}
		media = append(media, raw...)
	}
	if media == nil {
		return result, nil
	}
	content := appendString(nil, strings.Join(append(texts, mediaNote), "\n"))
	return Respell(result, Set{Name: "content", Value: content}), media
}

// isTextPart reports whether content parts of a type are only text.
func isTextPart(kind string) bool {
	return kind == "text" || kind == "input_text" || kind == "output_text"
}

// ResultMessages are the messages of the body of a chat completion if some are results of
// tools whose parts may not all be text; nil otherwise. Most bodies are not read for that.
func ResultMessages(body []byte) []Message {
	if !bytes.Contains(body, []byte(`"tool"`)) || !mayHoldMedia(body) {
		return nil
	}
	req, err := ParseChat(body)
	if err != nil || !slices.ContainsFunc(req.Messages, isResultInParts) {
		return nil
	}
	return req.Messages
}

func isResultInParts(m Message) bool { return m.Role == "tool" && !m.Plain }

// mayHoldMedia reports whether a body names a part that is not text.
func mayHoldMedia(body []byte) bool {
	for _, name := range []string{`"image_url"`, `"file"`, `"input_audio"`} {
		if bytes.Contains(body, []byte(name)) {
			return true
		}
	}
	return false
}
