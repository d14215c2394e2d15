package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// moods are what the model that sums up may be in.
var moods = []string{"honest", "failing", "lying", "inflating", "hanging", "raving"}

// scribe is that model; turns have a better one.
type scribe struct {
	mode  atomic.Int64
	calls [6]atomic.Int64
}

// lie marks text that no client has sent.
const lie = "zzlie"

var (
	shownLine = regexp.MustCompile(`(?m)^\[(\d+)\] user[^:]*: (.*)$`)
	markOf    = regexp.MustCompile(`mark\d+x\d+`)
)

// answer is what the model says.
func (s *scribe) answer(req *upstreamtest.Request) upstreamtest.Step {
	text, ok := newest(req.Body)
	if !ok {
		return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
	}
	if req.Model != "scribe" {
		return upstreamtest.Step{Chunks: []string{"Noted ", markOf.FindString(text), "."}, Usage: &upstreamtest.Usage{Input: 10, Output: 5}}
	}
	mode := s.mode.Load()
	s.calls[mode].Add(1)
	switch moods[mode] {
	case "failing":
		return upstreamtest.Refuse(http.StatusInternalServerError, "failed", "It did not work out.")
	case "hanging":
		return upstreamtest.Step{Hang: true}
	case "raving":
		return upstreamtest.Reply(`{"statements": [{"message": "none", `)
	}
	type statement struct {
		Message   json.RawMessage `json:"message"`
		Quote     string          `json:"quote"`
		Statement string          `json:"statement"`
	}
	statements := []statement{}
	for _, line := range shownLine.FindAllStringSubmatch(text, -1) {
		st := statement{Message: json.RawMessage(line[1]), Quote: line[2], Statement: line[2]}
		switch moods[mode] {
		case "lying":
			st.Statement = "I never noted anything, for " + lie + " the lamp was red."
		case "inflating":
			st.Statement = strings.Repeat(line[2]+" and "+lie+" ", 200)
		}
		statements = append(statements, st)
	}
	out, _ := json.Marshal(map[string]any{"statements": statements}) // strings: cannot fail
	return upstreamtest.Reply(string(out))
}

// counts tells how often the model was asked, in which mood.
func (s *scribe) counts() string {
	var out []string
	for i, mood := range moods {
		out = append(out, fmt.Sprintf("%d %s", s.calls[i].Load(), mood))
	}
	return "calls of the summariser: " + strings.Join(out, ", ")
}

// send sends a turn under a key of its own, and reads all of the answer.
func (g *grower) send(ctx context.Context, addr string, turn *growth, key string) (status int, body []byte, header http.Header, err error) {
	res, err := begin(ctx, addr, "POST", "/v1/chat/completions",
		map[string]string{"X-Hermes-Session-Id": turn.session, "Idempotency-Key": key}, chatBody(turn.text, turn.stream))
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, res.Header, err
}
