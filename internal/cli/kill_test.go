package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// How the kill test runs.
const (
	killRounds  = 12
	killClients = 8
	// killAlone of the clients have sessions of their own; the others share, so
	// that their turns queue, and one speaks before the other asks again.
	killAlone = 4
)

// talker is a client that numbers what it says, and asks again, under the same
// idempotency key, what a crash cut off.
type talker struct {
	id      int
	session string
	stream  bool
	said    int
	pending *chat            // asked again in the next round
	answers map[string]reply // by text, what was acknowledged
	broken  int              // requests that a crash cut off
}

// answerTo is what the scripted model says to a text.
func answerTo(text string) string { return "Noted, " + text + " it is." }

// echo answers with the newest message. Streams are slow enough to be cut.
func echo(req *upstreamtest.Request) upstreamtest.Step {
	var body struct {
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(req.Body, &body); err != nil || len(body.Messages) == 0 {
		return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
	}
	answer := answerTo(body.Messages[len(body.Messages)-1].Content)
	step := upstreamtest.Step{Between: 2 * time.Millisecond, Usage: &upstreamtest.Usage{Input: 10, Output: 5}}
	for len(answer) > 12 {
		step.Chunks, answer = append(step.Chunks, answer[:12]), answer[12:]
	}
	step.Chunks = append(step.Chunks, answer)
	if bytes.Contains(req.Body, []byte(`"stream":false`)) {
		step.Before = 2 * time.Millisecond
	}
	return step
}

// TestKill kills the server twelve times under load, and on a slow machine as often as it takes
// until a session was compressed. What a client was told is
// stored must be there once, and nothing may be there twice.
func TestKill(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{Quiet: true, Default: echo})
	home, port := t.TempDir(), freePort(t)
	env := []string{"HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m", "HERMES_CONTEXT_BUDGET=1500"}
	talkers := make([]*talker, killClients)
	for i := range talkers {
		c := &talker{id: i, session: fmt.Sprintf("own/%d", i), stream: i%2 == 0, answers: make(map[string]reply)}
		if i >= killAlone {
			c.session = fmt.Sprintf("shared/%d", i/2)
		}
		talkers[i] = c
	}
	for round := 0; round < killRounds || compressions(t, home) == 0; round++ {
		s := serve(t, home, env, "--addr", "127.0.0.1:"+port)
		ctx, cancel := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		for _, c := range talkers {
			clients.Go(func() { c.talk(ctx, t, s.addr) })
		}
		fuse := time.NewTimer(200*time.Millisecond + rand.N(600*time.Millisecond))
		<-fuse.C
		s.kill()
		cancel()
		clients.Wait()
	}
	s := serve(t, home, env, "--addr", "127.0.0.1:"+port)
	for _, c := range talkers {
		c.settle(t, s.addr)
	}
	db := database(t, home)
	eventually(t, "the text index to catch up", func() bool {
		return ask[bool](t, db, `SELECT (SELECT count(*) FROM messages_fts_docsize) = (SELECT count(*) FROM messages)`)
	})
	checkRebuild(t, s.addr)
	s.stop()
	checkFile(t, db)
	checkIndex(t, db)
	checkTalk(t, rows(t, db), talkers)
}

// compressions counts the sessions of a stopped server that were compressed.
func compressions(t *testing.T, home string) int {
	t.Helper()
	db := database(t, home)
	defer func() { _ = db.Close() }() // before the next server opens the file
	return ask[int](t, db, `SELECT count(*) FROM sessions WHERE end_reason = 'compression'`)
}

// checkRebuild distils all messages again and compares the facts with the stored ones.
func checkRebuild(t *testing.T, addr string) {
	t.Helper()
	var got struct {
		Identical bool              `json:"identical"`
		Data      []json.RawMessage `json:"data"`
	}
	callAPI(t, addr, http.MethodPost, "/api/memory/rebuild", `{"verify":true}`, http.StatusOK, &got)
	if !got.Identical || len(got.Data) == 0 {
		t.Errorf("rebuild: got identical %v for %d scopes, want true for some", got.Identical, len(got.Data))
	}
}

// talk sends messages until the server is gone.
func (c *talker) talk(ctx context.Context, t *testing.T, addr string) {
	client := newClient(t)
	for ctx.Err() == nil {
		next := c.pending
		if next == nil {
			c.said++
			next = &chat{session: c.session, stream: c.stream, text: fmt.Sprintf("client %d, message %d", c.id, c.said)}
			next.idempotency = fmt.Sprintf("key-%d-%d", c.id, c.said)
		}
		c.pending = nil
		r, err := next.send(ctx, client, addr)
		switch {
		case err == nil && r.whole:
			c.answers[next.text] = r
		case err == nil && r.status == http.StatusOK || err != nil:
			c.broken++
			c.pending = next
			return
		default:
			t.Errorf("%s: got status %d: %s", next.text, r.status, r.body)
			return
		}
	}
}

// settle asks for the last time what a crash left open.
func (c *talker) settle(t *testing.T, addr string) {
	t.Helper()
	if c.pending == nil {
		return
	}
	r, err := c.pending.send(t.Context(), newClient(t), addr)
	if err != nil || !r.whole {
		t.Errorf("%s, asked again: got %d, %v: %s", c.pending.text, r.status, err, r.body)
		return
	}
	c.answers[c.pending.text] = r
}

// checkTalk compares the stored messages with what the clients know.
func checkTalk(t *testing.T, stored []row, talkers []*talker) {
	t.Helper()
	at := make(map[string][]int) // places of a user's text
	answered := make(map[string]int)
	for i, m := range stored {
		if m.role == "user" {
			at[m.text] = append(at[m.text], i)
		} else if m.finish == "stop" {
			answered[m.text]++
		}
	}
	for text, places := range at {
		if len(places) > 1 {
			t.Errorf("%q is stored %d times", text, len(places))
		}
	}
	for text, n := range answered {
		if n > 1 {
			t.Errorf("the answer %q is stored %d times", text, n)
		}
	}
	acknowledged, broken := 0, 0
	for _, c := range talkers {
		acknowledged, broken = acknowledged+len(c.answers), broken+c.broken
		for text, r := range c.answers {
			if want := answerTo(text); r.text != want {
				t.Errorf("%q was answered with %q, want %q", text, r.text, want)
			}
			places := at[text]
			if len(places) == 0 {
				t.Errorf("%q was acknowledged and is lost", text)
				continue
			}
			if !isAnswered(stored, places[0], r.text) {
				t.Errorf("%q was acknowledged, and its answer is lost", text)
			}
			if got := stored[places[0]].root; got != c.session {
				t.Errorf("%q is in session %q, want %q", text, got, c.session)
			}
		}
	}
	t.Logf("%d turns acknowledged, %d requests cut off, %d messages stored", acknowledged, broken, len(stored))
	if acknowledged < 100 || broken < killRounds {
		t.Errorf("the test itself: got %d turns acknowledged and %d cut off, want more", acknowledged, broken)
	}
}

// isAnswered reports whether an answer follows a message: at once, or, when a
// crash came between and the question was asked again, behind a broken answer.
func isAnswered(stored []row, i int, answer string) bool {
	for _, m := range stored[i+1:] {
		if m.root != stored[i].root {
			return false
		}
		if m.role == "assistant" && m.text == answer && m.finish == "stop" {
			return true
		}
		if m.role == "assistant" && m.finish == "stop" && !strings.HasPrefix(m.text, "Noted") {
			return false
		}
	}
	return false
}

// freePort is a port on which no process listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
