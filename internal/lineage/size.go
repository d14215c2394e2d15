package lineage

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// imageTokens is what an image costs at least: OpenAI's low-detail price.
	imageTokens = 85
	// overheadBytes is how long a name and an id may be that the overhead of a
	// message covers.
	overheadBytes = 64
	// dataBytes is the shortest text that may be data instead of words.
	dataBytes = 256
)

// Tokens counts a message as it is sent. Nothing that comes with a message
// is believed about its size: a budget holds only if it is counted here.
func Tokens(m *session.Message, count compression.Counter) int {
	n := count(m.Content) + count(string(m.ToolCalls))
	if len(m.Name)+len(m.ToolCallID) > overheadBytes {
		n += count(m.Name) + count(m.ToolCallID)
	}
	if len(m.Wire) > 0 {
		n = max(n, wireTokens(m.Wire, count))
	}
	return n
}

// wireTokens counts a message that is sent in a form of its own. Images and files
// are not words; everything else in it is counted as it stands.
func wireTokens(wire []byte, count compression.Counter) int {
	words, data, err := withoutData(wire)
	if err != nil {
		return count(string(wire))
	}
	return count(string(words)) + data*imageTokens
}

// withoutData is a JSON text without the values that are data, and how many those are.
func withoutData(wire []byte) (words []byte, data int, err error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(wire))
	name, from := "", int64(0)
	for {
		t, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return words, data, nil
		}
		if err != nil {
			return nil, 0, err
		}
		end := dec.InputOffset()
		if t.Kind() == '"' {
			in, n := dec.StackIndex(dec.StackDepth())
			switch isName := in == '{' && n%2 == 1; {
			case isName:
				name = t.String()
			case end-from > dataBytes && holdsData(name):
				data++
				from = end
			}
		}
		words = append(words, wire[from:end]...)
		from = end
	}
}

// holdsData reports whether the member of a message holds an image, a sound, a file,
// or what only its model's server can read.
func holdsData(name string) bool {
	switch name {
	case "url", "image_url", "data", "file_data", "encrypted_content", "signature":
		return true
	}
	return false
}
