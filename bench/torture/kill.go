package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// killRig kills a server under a thousand writers.
var killRig = rig{
	name: "kill", fault: "F1 kill -9 under 1,000 appenders and chat turns", rounds: 200, run: killWriters,
	want: "0 acknowledged lost, 0 doubled, places gapless, file and index sound, ready again ≤ 2 s",
	off:  "told before the commit", bareRounds: 3,
	bare: []change{{
		"internal/sqlite/writer.go", "case w.queue <- op:\n", "case w.queue <- op:\n\t\tif ctx.Err() == nil {\n\t\t\treturn nil\n\t\t}\n",
	}},
}

// writers is how many write at once, perAppend how many messages an append has.
const (
	writers   = 1000
	perAppend = 3
)

// writer is a client that numbers what it says, and keeps what it was told is stored.
type writer struct {
	id, said int
	acked    []string // texts
	cut      int      // requests without an answer
	refused  []string // what it was told instead
}

// killWriters is the whole rig.
func killWriters(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: echo(0)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	s, err := b.subject(model.URL + "/v1")
	if err != nil {
		return nil, err
	}
	ws := make([]*writer, writers)
	for i := range ws {
		ws[i] = &writer{id: i}
	}
	var ready []time.Duration
	for n := range rounds {
		if err := s.start(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		ready = append(ready, s.took)
		round, stop := context.WithCancel(ctx)
		var working sync.WaitGroup
		for _, w := range ws {
			working.Go(func() { w.write(round, s.addr) })
		}
		pause(ctx, 200*time.Millisecond+rand.N(3800*time.Millisecond))
		s.kill()
		stop()
		working.Wait()
		idle.CloseIdleConnections()
		if n%20 == 19 {
			b.say("kill: %d rounds", n+1)
		}
	}
	t := &tally{}
	if err := s.settle(ctx, t); err != nil {
		return nil, err
	}
	return t, countWritten(ctx, s.file(), ws, ready, t)
}

// countWritten compares the file with what the writers know.
func countWritten(ctx context.Context, path string, ws []*writer, ready []time.Duration, t *tally) error {
	all, err := checkFile(ctx, path, t)
	if err != nil {
		return err
	}
	there := make(map[string]int, len(all))
	for _, m := range all {
		there[m.text]++
	}
	acked, lost, doubled, cut := 0, 0, 0, 0
	for _, w := range ws {
		cut += w.cut
		for _, text := range w.acked {
			acked++
			if there[text] == 0 {
				lost++
			}
		}
		if len(w.refused) > 0 {
			t.miss("refused: %s", w.refused[0])
		}
	}
	for _, n := range there {
		if n > 1 {
			doubled++
		}
	}
	slices.Sort(ready)
	slowest, usual := ready[len(ready)-1], ready[len(ready)/2]
	t.done = fmt.Sprintf("%d rounds, %d messages acknowledged, %d requests cut off", len(ready), acked, cut)
	t.figure = fmt.Sprintf("%d lost, %d doubled; ready after %d ms, at most %d ms", lost, doubled, usual.Milliseconds(),
		slowest.Milliseconds())
	if lost > 0 || doubled > 0 {
		t.miss("%d messages lost, %d doubled", lost, doubled)
	}
	if slowest > 2*time.Second {
		t.miss("a restart took %s", slowest)
	}
	return nil
}

// write says things until the server is gone. Every tenth writer streams a chat,
// every tenth asks for a whole answer, the others append.
func (w *writer) write(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		w.said++
		text := fmt.Sprintf("Writer %d has message %d.", w.id, w.said)
		session := fmt.Sprintf("writer/%d", w.id)
		var texts []string
		var status int
		var answer string
		var err error
		switch w.id % 10 {
		case 0, 1:
			var whole bool
			status, answer, whole, err = chat(ctx, addr, session, text, w.id%10 == 0, nil)
			texts = []string{text, answerTo(text)}
			if err == nil && status == http.StatusOK && !whole {
				err = errCut
			}
		default:
			texts, status, answer, err = appendTo(ctx, addr, session, text)
		}
		switch {
		case err != nil:
			w.cut++
			return
		case status == http.StatusOK:
			w.acked = append(w.acked, texts...)
		default:
			w.refused = append(w.refused, fmt.Sprintf("%d %s", status, answer))
			return
		}
	}
}

// appendTo posts messages into a session's transcript.
func appendTo(ctx context.Context, addr, session, text string) (texts []string, status int, answer string, err error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var in struct {
		Messages []message `json:"messages"`
	}
	for k := range perAppend {
		texts = append(texts, fmt.Sprintf("%s Part %d.", text, k))
		in.Messages = append(in.Messages, message{"user", texts[k]})
	}
	body, _ := json.Marshal(in) // strings: cannot fail
	status, out, err := send(ctx, addr, "POST", "/api/sessions/"+strings.ReplaceAll(session, "/", "%2F")+"/messages", nil, body)
	return texts, status, string(out), err
}
