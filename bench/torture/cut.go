package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// cutRig has clients go away in the middle of a stream.
var cutRig = rig{
	name: "cut", fault: "F11 a client that goes away behind any event of a stream, plain, detached, or reading events", rounds: 1000, run: cutStreams,
	want: "the history whole, or marked as cancelled with all that was seen; a detached turn whole, and resumed with 0 events missing, 0 repeated",
	off:  "what was said before a cut is not kept", bareRounds: 100,
	bare: []change{{"internal/run/stream.go", "	res, err := s.turn.settle(", "	if cause != nil {\n		return\n	}\n	res, err := s.turn.settle("}},
}

// cutText is said in every turn; its echo makes some two dozen events.
const cutText = "The quick brown fox jumps over the lazy dog, and the dog takes no notice of it at all, for it has seen many foxes come and go, and not one of them has ever stayed for long; said "

// cutEvents is how many events an answer has, with its beginning and its end.
var cutEvents = len(pieces(answerTo(cutText+"0000."))) + 3

// cuts counts what became of turns that were cut.
type cuts struct {
	b *bench
	s *subject

	mu                     sync.Mutex
	t                      *tally
	seen                   map[string]string // session → what the client saw before the cut
	whole                  map[string]bool   // the client saw the end, or the turn was detached
	read, missing, doubled int               // events of runs
}

// cutStreams is the whole rig. Every second turn is detached.
func cutStreams(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: echo(2 * time.Millisecond)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	c := &cuts{b: b, t: &tally{}, seen: make(map[string]string), whole: make(map[string]bool)}
	if c.s, err = b.serve(ctx, model.URL+"/v1"); err != nil {
		return nil, err
	}
	defer c.s.kill()
	places := make(chan struct{}, 12)
	var turns sync.WaitGroup
	for n := range rounds {
		places <- struct{}{}
		turns.Go(func() {
			defer func() { <-places }()
			after := n / 2 % cutEvents
			if n%2 == 0 {
				c.plain(ctx, n, after)
			} else {
				c.detached(ctx, n, after)
			}
		})
	}
	turns.Wait()
	if code := c.s.stop(); code != 0 {
		c.t.miss("the stop ended with %d", code)
	}
	return c.t, c.count(ctx, rounds)
}

// turn begins a streamed turn and leaves it behind so many data lines. run is
// the id of a detached one.
func (c *cuts) turn(
	ctx context.Context, session, text string, after int, header map[string]string,
) (seen string, whole bool, run string, err error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	all := map[string]string{"X-Hermes-Session-Id": session}
	for name, value := range header {
		all[name] = value
	}
	res, err := begin(ctx, c.s.addr, "POST", "/v1/chat/completions", all, chatBody(text, true))
	if err != nil {
		return "", false, "", err
	}
	defer func() { _ = res.Body.Close() }()
	var body bytes.Buffer
	lines := bufio.NewScanner(res.Body)
	for n := 0; n < after && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			body.WriteString(lines.Text() + "\n")
			n++
		}
	}
	seen, whole = readAnswer(body.Bytes(), true)
	return seen, whole, res.Header.Get("X-Hermes-Run-Id"), nil
}

// plain cuts a turn that ends with its client.
func (c *cuts) plain(ctx context.Context, n, after int) {
	session := fmt.Sprintf("plain/%d", n)
	seen, whole, _, err := c.turn(ctx, session, fmt.Sprintf("%s%04d.", cutText, n), after, nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.t.miss("%s: %v", session, err)
	}
	c.seen[session], c.whole[session] = seen, whole
}

// detached cuts a turn that goes on, then a reader of its events, and takes the
// events up again.
func (c *cuts) detached(ctx context.Context, n, after int) {
	session, text := fmt.Sprintf("detached/%d", n), fmt.Sprintf("%s%04d.", cutText, n)
	seen, _, run, err := c.turn(ctx, session, text, after, map[string]string{"X-Hermes-Detach": "true"})
	c.mu.Lock()
	c.seen[session], c.whole[session] = seen, true
	c.mu.Unlock()
	if err != nil {
		c.miss("%s: %v", session, err)
		return
	}
	path := "/v1/runs/" + run + "/events"
	first, err := c.events(ctx, path, "0", after)
	if err != nil {
		c.miss("%s: %v", session, err)
		return
	}
	last := "0"
	if len(first) > 0 {
		last = first[len(first)-1].id
	}
	rest, err := c.events(ctx, path, last, -1)
	if err != nil {
		c.miss("%s: %v", session, err)
		return
	}
	c.compare(session, text, append(first, rest...))
}

// runEvent is an event of a run as a reader gets it.
type runEvent struct{ id, data string }

// events reads so many events behind one, or all that come; -1.
func (c *cuts) events(ctx context.Context, path, after string, most int) ([]runEvent, error) {
	ctx, leave := context.WithTimeout(ctx, time.Minute)
	defer leave()
	if most == 0 {
		return nil, nil
	}
	res, err := begin(ctx, c.s.addr, "GET", path, map[string]string{"Last-Event-ID": after}, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNoContent {
		return nil, nil
	}
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(res.Body) // the status says enough
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, body)
	}
	var out []runEvent
	for id, data := range eventsOf(res.Body) {
		if out = append(out, runEvent{id, data}); len(out) == most {
			return out, nil
		}
	}
	return out, nil
}

// compare looks for gaps and repeats in what a reader got in two pieces.
func (c *cuts) compare(session, text string, got []runEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var said strings.Builder
	next := 1
	for _, e := range got {
		var id int
		_, _ = fmt.Sscan(e.id, &id) // 0 is not the next one either
		switch {
		case id < next:
			c.doubled++
		case id > next:
			c.missing += id - next
		}
		next = max(next, id+1)
		var d struct{ Content string }
		if json.Unmarshal([]byte(e.data), &d) == nil {
			said.WriteString(d.Content)
		}
	}
	c.read += len(got)
	if said.String() != answerTo(text) {
		c.t.miss("%s: its events say %q", session, said.String())
	}
}

func (c *cuts) miss(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.miss(format, args...)
}

// count compares the file with what the clients saw.
func (c *cuts) count(ctx context.Context, rounds int) error {
	if err := c.s.settle(ctx, c.t); err != nil {
		return err
	}
	all, err := checkFile(ctx, c.s.file(), c.t)
	if err != nil {
		return err
	}
	asked, answers := make(map[string]int), make(map[string][]stored)
	for _, m := range all {
		if m.role == "user" {
			asked[m.root]++
		} else {
			answers[m.root] = append(answers[m.root], m)
		}
	}
	whole, marked, unanswered, bad := 0, 0, 0, 0
	for session, seen := range c.seen {
		var n int
		_, _ = fmt.Sscan(session[strings.IndexByte(session, '/')+1:], &n) // we made it
		full := answerTo(fmt.Sprintf("%s%04d.", cutText, n))
		got := answers[session]
		switch {
		case asked[session] == 1 && len(got) == 1 && got[0].whole(full):
			whole++
		case c.whole[session] || asked[session] != 1 || len(got) > 1:
			bad++
			c.t.miss("%s: %d inputs, %d answers stored, the client saw %q", session, asked[session], len(got), seen)
		case len(got) == 0 && seen == "":
			unanswered++
		case slices.ContainsFunc(got, func(s stored) bool { return s.marked(seen, full) }):
			marked++
		default:
			bad++
			c.t.miss("%s: the client saw %q, stored is %v", session, seen, got)
		}
	}
	c.t.done = fmt.Sprintf("%d cuts at %d places, %d events of runs read in two pieces", rounds, cutEvents, c.read)
	c.t.figure = fmt.Sprintf("%d histories whole, %d marked as cancelled with all that was seen, %d cut before the first word, %d wrong; %d events missing, %d repeated",
		whole, marked, unanswered, bad, c.missing, c.doubled)
	if c.missing+c.doubled > 0 {
		c.t.miss("events are missing or repeated")
	}
	return nil
}

// marked reports whether an answer is stored as cancelled, with all that was seen of it.
func (s stored) marked(seen, full string) bool {
	return s.finish == "cancelled" && strings.HasPrefix(s.text, seen) && strings.HasPrefix(full, s.text)
}
