package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// echo answers with the newest message, in pieces that are d apart.
func echo(d time.Duration) func(*upstreamtest.Request) upstreamtest.Step {
	return func(req *upstreamtest.Request) upstreamtest.Step {
		text, ok := newest(req.Body)
		if !ok {
			return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
		}
		return upstreamtest.Step{Chunks: pieces(answerTo(text)), Between: d, Usage: &upstreamtest.Usage{Input: 10, Output: 5}}
	}
}

// newest is the last message of a request.
func newest(body []byte) (string, bool) {
	var in struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&in); err != nil || len(in.Messages) == 0 {
		return "", false
	}
	return in.Messages[len(in.Messages)-1].Content, true
}

// pieces cuts a text for a stream.
func pieces(text string) []string {
	var out []string
	for len(text) > 12 {
		out, text = append(out, text[:12]), text[12:]
	}
	return append(out, text)
}
