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

// wireTokens counts a message that is sent in its raw form. Media have the prices of
// media.go; all other text is counted.
func wireTokens(wire []byte, count compression.Counter) int {
	words, media, err := withoutMedia(wire)
	if err != nil {
		return count(string(wire))
	}
	return count(string(words)) + media
}

// withoutMedia is a JSON text without the values that are media, and the price of those
// values.
func withoutMedia(wire []byte) (words []byte, price int, err error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(wire))
	name, from := "", int64(0)
	for {
		t, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return words, price, nil
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
			case end-from > dataBytes:
				if tokens, ok := mediaTokens(name, t); ok {
					price += tokens
					from = end
				}
			}
		}
		words = append(words, wire[from:end]...)
		from = end
	}
}
