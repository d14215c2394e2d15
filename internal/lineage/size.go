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
	// imageTokens is the minimum cost of an image: OpenAI's price for low detail.
	imageTokens = 85
	// overheadBytes is the length of name and id that the overhead of a message covers.
	overheadBytes = 64
	// dataBytes is the minimum length of a text that may be data instead of words.
	dataBytes = 256
)

// Tokens counts a message as it is sent. Token counts that come with a message are
// ignored: the budget must hold whatever a client or an import claims.
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

// wireTokens counts a message that is sent in its raw form. Images and files have a
// fixed cost; all other text is counted.
func wireTokens(wire []byte, count compression.Counter) int {
	words, data, err := withoutData(wire)
	if err != nil {
		return count(string(wire))
	}
	return count(string(words)) + data*imageTokens
}

// withoutData is a JSON text without the values that are data, and the number of those
// values.
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

// holdsData reports whether a member of a message holds an image, a sound, a file, or
// data that only its model server can read.
func holdsData(name string) bool {
	switch name {
	case "url", "image_url", "data", "file_data", "encrypted_content", "signature":
		return true
	}
	return false
}
