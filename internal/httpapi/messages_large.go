package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/session"
)

// The answer to an import holds the imported texts, which may take megabytes, until the
// client has read it. Every JSON encoder builds a complete string before writing it,
// jsontext's token encoder included, so each text would be in memory twice. Therefore
// the surrounding JSON is encoded with empty strings, and the texts are written into
// them in pieces.

// pieceSize is how much of a text is encoded at a time, in bytes.
const pieceSize = 16 << 10

// sizeOf is the size of messages, in bytes.
func sizeOf(ms []session.Message) int {
	size := 0
	for i := range ms {
		size += ms[i].Size()
	}
	return size
}

// writeLarge writes a list, which must be empty, with messages in it. It writes the
// same bytes as writeJSON, without a Content-Length.
func writeLarge(w http.ResponseWriter, list messageList, ms []session.Message) error {
	before, after, err := around(list, `"data":[`)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriter(w)
	_, _ = out.Write(before) // the client may be gone
	for i := range ms {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		if err := writeMessage(out, &ms[i]); err != nil {
			return err
		}
	}
	_, _ = out.Write(after)
	return out.Flush()
}

// writeMessage writes one message.
func writeMessage(out *bufio.Writer, m *session.Message) error {
	bare := messageOf(m)
	bare.Content = ""
	before, after, err := around(bare, `"content":"`)
	if err != nil {
		return err
	}
	_, _ = out.Write(before)
	if err := writeText(out, m.Content); err != nil {
		return err
	}
	_, err = out.Write(after)
	return err
}

// writeText writes the inside of a JSON string in pieces. It splits no character.
func writeText(out *bufio.Writer, text string) error {
	for text != "" {
		n := min(len(text), pieceSize)
		for k := 0; n < len(text) && k < utf8.UTFMax && !utf8.RuneStart(text[n]); k++ {
			n--
		}
		piece, err := json.Marshal(text[:n])
		if err != nil {
			return err
		}
		if _, err := out.Write(piece[1 : len(piece)-1]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// around returns the JSON of a value before and after the place that a mark opens: a
// member's name and the quote or bracket after it. No string contains a mark, because
// the mark's unescaped quotes would end the string.
func around(v any, mark string) (before, after []byte, err error) {
	whole, err := json.Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	at := bytes.Index(whole, []byte(mark)) + len(mark)
	return whole[:at], whole[at:], nil
}
