package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// soon is more than anything here may take, and less than a test run.
const soon = 20 * time.Second

// reading is a stream of which the lines are read as they come.
type reading struct {
	t      *testing.T
	res    *http.Response
	cancel context.CancelFunc
	lines  chan string
}

// open starts a streamed chat.
func (w *world) openStream(t *testing.T, session, text string, headers ...string) *reading {
	t.Helper()
	return w.openLines(t, w.request("POST", "/v1/chat/completions", chatBody(text, true), append([]string{"X-Hermes-Session-Id", session}, headers...)...))
}

// openLines sends a request whose answer is read line by line.
func (w *world) openLines(t *testing.T, r *http.Request) *reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	res, err := w.srv.Client().Do(r.WithContext(ctx))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	s := &reading{t: t, res: res, cancel: cancel, lines: make(chan string)}
	go func() {
		defer close(s.lines)
		in := bufio.NewReader(res.Body)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case s.lines <- strings.TrimSuffix(line, "\n"):
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(s.close)
	return s
}

// close goes away.
func (s *reading) close() {
	s.cancel()
	_ = s.res.Body.Close()
	for range s.lines { // until its goroutine has ended
	}
}

// line is the next line, "" and false at the end.
func (s *reading) line() (string, bool) {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		return line, ok
	case <-time.After(soon):
		s.t.Fatal("waited too long for a line of the stream")
		return "", false
	}
}

// content is the text of the next chunk that has some.
func (s *reading) content() string {
	s.t.Helper()
	for {
		line, ok := s.line()
		if !ok {
			s.t.Fatal("the stream ended, want a chunk")
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		data, isData := strings.CutPrefix(line, "data: ")
		if isData && json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			return chunk.Choices[0].Delta.Content
		}
	}
}

// rest reads to the end and returns the last data lines.
func (s *reading) rest() []string {
	s.t.Helper()
	var out []string
	for {
		line, ok := s.line()
		if !ok {
			return out
		}
		if line != "" {
			out = append(out, line)
		}
	}
}

// TestStreamOpensAtOnce: the role chunk comes while the upstream is silent, then
// a comment on a single line after each silence (T5, T6).
func TestStreamOpensAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{patience: 20 * time.Millisecond, keepAlive: 30 * time.Millisecond})
	hold := make(chan struct{})
	w.up.Queue(upstreamtest.Step{Text: "late", Hold: hold})
	started := time.Now()
	s := w.openStream(t, "s", "hi")
	first, _ := s.line()
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("the first line took %v", took)
	}
	if !strings.Contains(first, `"delta":{"role":"assistant","content":""}`) {
		t.Errorf("got the first line %q, want a role chunk", first)
	}
	if blank, _ := s.line(); blank != "" {
		t.Errorf("got %q behind the role chunk, want a blank line", blank)
	}
	for range 3 { // no blank line behind a comment: openai-go takes it for an event
		if line, _ := s.line(); line != ": keepalive" {
			t.Errorf("got %q in a silence, want a keep-alive", line)
		}
	}
	close(hold)
	if got := s.content(); got != "late" {
		t.Errorf("got %q, want the answer", got)
	}
	if rest := s.rest(); len(rest) < 2 || rest[len(rest)-1] != "data: [DONE]" {
		t.Errorf("got the end %q, want [DONE]", rest)
	}
}

// TestStreamRefusedLate: a refusal after the stream was opened is told inside it.
func TestStreamRefusedLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{patience: 10 * time.Millisecond})
	hold := make(chan struct{})
	refusal := upstreamtest.Refuse(429, "rate_limit_exceeded", "Slow down.")
	refusal.Hold = hold
	w.up.Queue(refusal)
	s := w.openStream(t, "s", "hi")
	if s.res.StatusCode != http.StatusOK {
		t.Fatalf("got status %d, want 200: the stream was open", s.res.StatusCode)
	}
	close(hold)
	rest := s.rest()
	if len(rest) < 2 || rest[len(rest)-1] != "data: [DONE]" || !strings.Contains(rest[len(rest)-2], `"code":"rate_limit_exceeded"`) {
		t.Errorf("got %q, want the error and [DONE]", rest)
	}
}

// TestStreamFallsBackLate: an upstream that turns out to be gone after the
// stream was opened is stood in for, and the finish chunk says so.
func TestStreamFallsBackLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{patience: 10 * time.Millisecond})
	hold := make(chan struct{})
	w.up.Queue(upstreamtest.Step{Hold: hold})
	s := w.openStream(t, "s", "hi")
	first, _ := s.line()
	if !strings.Contains(first, `"role":"assistant"`) {
		t.Errorf("got %q, want the role chunk", first)
	}
	w.up.Close() // before it has answered
	rest := strings.Join(s.rest(), "\n")
	if !strings.Contains(rest, `"responder":"recall"`) || !strings.HasSuffix(rest, "data: [DONE]") {
		t.Errorf("got %s, want an answer of the recall responder", rest)
	}
}

// TestStreamPieceByPiece: each chunk is passed on when it comes, not when the
// answer is complete (T7).
func TestStreamPieceByPiece(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	next := make(chan struct{})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"one", "two", "three"}, Next: next})
	s := w.openStream(t, "s", "count")
	for _, want := range []string{"one", "two", "three"} {
		next <- struct{}{} // the upstream has sent no more than this
		if got := s.content(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.rest()
}

// TestClientGone: the upstream's call ends within a second, and what arrived is
// kept as cancelled, streamed or not (T12).
func TestClientGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"half an", " answer"}, Hang: true})
	s := w.openStream(t, "s", "talk")
	if got := s.content() + s.content(); got != "half an answer" {
		t.Fatalf("got %q", got)
	}
	s.close()
	w.leftWithin(t, time.Second)
	got := w.messages(t, "s", 2)
	if diff := cmp.Diff([]message{{"user", "talk", ""}, {"assistant", "half an answer", "cancelled"}}, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// TestClientGoneBeforeTheAnswer: the same while nothing has come yet; the
// message is kept, an answer there is none.
func TestClientGoneBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, stream := range []bool{true, false} {
		w.up.Queue(upstreamtest.Step{Hold: make(chan struct{})})
		ctx, cancel := context.WithCancel(t.Context())
		name := map[bool]string{true: "streamed", false: "whole"}[stream]
		r := w.request("POST", "/v1/chat/completions", chatBody("talk", stream), "X-Hermes-Session-Id", name)
		done := make(chan struct{})
		go func() {
			defer close(done)
			if res, err := w.srv.Client().Do(r.WithContext(ctx)); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}()
		<-w.up.Arrivals()
		cancel()
		<-done
		w.leftWithin(t, time.Second)
		if diff := cmp.Diff([]message{{"user", "talk", ""}}, w.messages(t, name, 1)); diff != "" {
			t.Errorf("%s: messages (-want +got):\n%s", name, diff)
		}
	}
}

// leftWithin waits for the upstream's client to go.
func (w *world) leftWithin(t *testing.T, limit time.Duration) {
	t.Helper()
	started := time.Now()
	select {
	case <-w.up.Left():
		if took := time.Since(started); took > limit {
			t.Errorf("the upstream's call ended after %v, want %v at most", took, limit)
		}
	case <-time.After(soon):
		t.Fatal("the upstream's call never ended")
	}
}

// message is what a test compares of a message.
type message struct{ Role, Content, Finish string }

// messages waits until a transcript has n messages, then returns it.
func (w *world) messages(t *testing.T, session string, n int) []message {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late := time.After(soon)
	for {
		var list struct {
			Data []struct {
				Role, Content string
				Finish        string `json:"finish_reason"`
			}
		}
		got := w.call("GET", "/api/sessions/"+session+"/messages", "")
		if got.status == http.StatusOK {
			if err := json.Unmarshal([]byte(got.body), &list); err != nil {
				t.Fatal(err)
			}
		}
		if len(list.Data) >= n {
			out := make([]message, len(list.Data))
			for i, m := range list.Data {
				out[i] = message{m.Role, m.Content, m.Finish}
			}
			return out
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("session %s has %d messages, want %d: %s", session, len(list.Data), n, got.body)
		}
	}
}

// TestSlowReader: a client that reads nothing holds up its own turn only.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Chunks: manyChunks(200)})
	slow := w.openStream(t, "slow", "a long one")
	if _, ok := slow.line(); !ok {
		t.Fatal("the stream ended at once")
	}
	w.chat("other", "quick") // would hang if it waited for the slow one
	if got := slow.rest(); got[len(got)-1] != "data: [DONE]" {
		t.Errorf("got the end %q, want [DONE]", got[len(got)-1])
	}
}

func manyChunks(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Repeat("x", 4096)
	}
	return out
}
