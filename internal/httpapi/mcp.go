package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
)

const mcpPath = "/mcp"

// mcp answers POST /mcp with the handler for MCP clients, after the same checks of key,
// host and origin as every other route.
func (s *server) mcp(w http.ResponseWriter, r *http.Request) error {
	if s.MCP == nil {
		return fault.New(fault.Unavailable, "mcp_off", "This server has no MCP endpoint.")
	}
	if _, err := parseSessionHeaders(r); err != nil {
		return err
	}
	// The answer is always one JSON object, so clients need not send an Accept header.
	r.Header.Set("Accept", "application/json, text/event-stream")
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	body, err := readBody(r)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	out := &answerBuffer{header: make(http.Header), status: http.StatusOK}
	s.MCP.ServeHTTP(out, r)
	if out.status >= http.StatusBadRequest && !json.Valid(out.body.Bytes()) {
		return fault.New(fault.Invalid, "invalid_mcp_request",
			"Not a request of the Model Context Protocol. POST one JSON-RPC message as application/json.")
	}
	out.header.Del("Cache-Control") // guard has set it
	for name, values := range out.header {
		w.Header()[name] = values
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body.Bytes()) // an error means that the client is gone
	return nil
}

// answerBuffer keeps a response until it is known to be JSON: all errors of this server
// are JSON objects, and those of the MCP library are not.
type answerBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (b *answerBuffer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *answerBuffer) WriteHeader(status int) { b.status = status }

// Write implements http.ResponseWriter.
func (b *answerBuffer) Write(p []byte) (int, error) { return b.body.Write(p) }
