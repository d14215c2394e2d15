package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/hermes-memory/hermes/internal/openai"
)

// chain is a response that is not stored, kept by its connection: the next response can
// continue it.
type chain struct {
	id    string
	input []json.RawMessage // the items of its input and output
}

// items are those that the next response continues from; none for nil.
func (c *chain) items() []json.RawMessage {
	if c == nil {
		return nil
	}
	return c.input[:len(c.input):len(c.input)]
}

// chainKey is the context key for the id of the response that is continued by its items.
type chainKey struct{}

// continued is the response that a request continues by its items; "" for none.
func continued(ctx context.Context) string {
	id, _ := ctx.Value(chainKey{}).(string)
	return id
}

// socketWriter sends a stream of server-sent events over a WebSocket connection.
type socketWriter struct {
	socket *socket
	ctx    context.Context //nolint:containedctx // the writer lives as long as one response
	header http.Header
	buffer bytes.Buffer
	last   []byte // the newest event
}

// Header implements http.ResponseWriter. The headers of a response cannot be sent: those
// of the connection were.
func (w *socketWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *socketWriter) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (w *socketWriter) Write(p []byte) (int, error) { return w.buffer.Write(p) }

// FlushError sends the events that are complete. The error event of a stream is left out:
// response.failed says the same.
func (w *socketWriter) FlushError() error {
	for {
		end := bytes.IndexByte(w.buffer.Bytes(), '\n')
		if end < 0 {
			return nil
		}
		if !w.line(bytes.Clone(w.buffer.Next(end + 1))) {
			return context.Canceled
		}
	}
}

// line sends what one line of the stream tells, and reports whether the client is still
// connected.
func (w *socketWriter) line(text []byte) bool {
	if string(text) == comment {
		return w.socket.alive(w.ctx)
	}
	data, is := bytes.CutPrefix(text, []byte("data: "))
	if !is || bytes.HasPrefix(data, []byte(`{"type":"error"`)) {
		return true
	}
	w.last = bytes.TrimSuffix(data, []byte("\n"))
	return w.socket.send(w.ctx, w.last)
}

// ended is the response as the next one can continue it; nil if it is stored, or failed.
func (w *socketWriter) ended(event *openai.CreateEvent, before *chain) *chain {
	var last struct {
		Type     string
		Response struct {
			ID     string
			Store  bool
			Output []json.RawMessage
		}
	}
	if json.Unmarshal(w.last, &last) != nil || last.Response.Store {
		return nil
	}
	if last.Type != "response.completed" && last.Type != "response.incomplete" {
		return nil
	}
	input := append(before.items(), event.Input...)
	return &chain{id: last.Response.ID, input: append(input, last.Response.Output...)}
}
