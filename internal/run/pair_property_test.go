package run_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestStrictUpstreamAcceptsEveryPrompt: calls and results in random orders, retries,
// resent histories, undo, fork, compression, appended and imported transcripts; what
// is sent upstream passes the checks of both wires, every time.
func TestStrictUpstreamAcceptsEveryPrompt(t *testing.T) {
	t.Parallel()
	server := upstreamtest.New(t, upstreamtest.Options{})
	pool := &http.Transport{}
	t.Cleanup(pool.CloseIdleConnections)
	wires := []run.Model{
		upstream.New(upstream.Options{BaseURL: server.URL + "/v1", Model: "m", Transport: pool}),
		upstream.NewAnthropic(upstream.Options{BaseURL: server.URL, Model: "m", Transport: pool}),
	}
	h := setup(t, 3000)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := &disorder{house: h, rt: rt, server: server, id: session.ID(fmt.Sprintf("d%d", n))}
		h.runOn(wires[rapid.IntRange(0, 1).Draw(rt, "wire")])
		for range rapid.IntRange(2, 12).Draw(rt, "steps") {
			d.step()
		}
	})
}

// runOn gives the house another model.
func (h *house) runOn(m run.Model) {
	h.runner, h.curator = runtest.New(h.db, &runtest.Parts{
		Store: h.store, Views: h.views, Models: run.Models{Upstream: m},
		Config: run.Config{Budgets: compression.Budgets{Model: "m", Default: 3000}, Now: h.time},
	})
}

// disorder is a session in which calls and results come in any order.
type disorder struct {
	*house
	rt     *rapid.T
	server *upstreamtest.Server
	id     session.ID
	sent   []session.Message // by the last request
	calls  int
}

func (d *disorder) step() {
	switch rapid.IntRange(0, 11).Draw(d.rt, "step") {
	case 0:
		d.may(second(d.curator.Undo(context.Background(), owner.Local(), d.id)))
	case 1:
		made, err := d.curator.Fork(context.Background(), &curate.Branch{Owner: owner.Local(), Session: d.id, MessageID: d.somewhere()})
		if d.may(err); err == nil {
			d.id = made.ID
		}
	case 2:
		d.may(second(d.curator.Compress(context.Background(), owner.Local(), d.id)))
	case 3:
		d.append(d.id, d.shuffled(d.made("appended"))...)
	case 4:
		if len(d.sent) > 0 { // a retry
			d.turn(d.sent)
		}
	case 5: // the history again, perhaps from its middle, perhaps in disorder, and something new
		d.turn(append(d.history(), d.said()))
	case 6:
		d.bring()
	case 7, 8:
		d.turn([]session.Message{d.said()})
	default:
		d.turn(d.answers())
	}
}

func second[T any](_ T, err error) error { return err }

// may lets an error pass that a client is told.
func (d *disorder) may(err error) {
	d.rt.Helper()
	if err == nil || fault.KindOf(err) == fault.NotFound {
		return
	}
	switch fault.CodeOf(err) {
	case "tool_call_not_found", "context_length_exceeded", "no_user_message":
		return
	}
	d.rt.Fatalf("got %v", err)
}

func (d *disorder) turn(ms []session.Message) {
	d.rt.Helper()
	answer := upstreamtest.Step{Text: rapid.SampledFrom([]string{"", "Yes.", "No, and a little more than that."}).Draw(d.rt, "answer")}
	ids := []string{"call_0", "call_1", "", fmt.Sprintf("c%d", d.calls)}
	for range rapid.IntRange(0, 3).Draw(d.rt, "calls") {
		id := rapid.SampledFrom(ids).Draw(d.rt, "id")
		if id == ids[3] {
			d.calls++
			ids[3] = fmt.Sprintf("c%d", d.calls)
		}
		answer.ToolCalls = append(answer.ToolCalls, upstreamtest.ToolCall{ID: id, Name: "look", Arguments: "{}"})
	}
	answer.Cut = rapid.IntRange(0, 7).Draw(d.rt, "cut") == 0
	d.server.Queue(answer)
	d.sent = ms
	got := d.house.turn(&run.Request{Session: d.id, Messages: slices.Clone(ms), Streaming: rapid.Bool().Draw(d.rt, "streaming")})
	d.server.Drop()
	if err := d.server.Refused(); err != nil {
		d.rt.Fatalf("%v\nsent %s\nstored %q", err, d.server.Last().Body, words(d.transcript(d.id)))
	}
	if !answer.Cut {
		d.may(got.err)
	}
}

func (d *disorder) said() session.Message {
	return user(rapid.SampledFrom([]string{"Look.", "And?", strings.Repeat("word ", 300)}).Draw(d.rt, "said"))[0]
}

// stored is the session as it stands.
func (d *disorder) stored() []session.Message {
	if _, err := d.db.Tip(context.Background(), owner.Local(), d.id); err != nil {
		return nil
	}
	return slices.DeleteFunc(d.transcript(d.id), func(m session.Message) bool { return !m.Stands() })
}

// somewhere is the id of a message, or 0.
func (d *disorder) somewhere() int64 {
	ms := d.stored()
	n := rapid.IntRange(0, len(ms)).Draw(d.rt, "place")
	if n == len(ms) {
		return 0
	}
	return ms[n].ID
}

// answers are some results, of calls that were made or of none, in any order.
func (d *disorder) answers() []session.Message {
	var out []session.Message
	ms := d.stored()
	for i := max(0, len(ms)-6); i < len(ms); i++ {
		for _, c := range openai.UnmarshalCalls(ms[i].ToolCalls) {
			for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(d.rt, "results") {
				out = append(out, result(c.ID, rapid.SampledFrom([]string{"one", "two"}).Draw(d.rt, "result"))...)
			}
		}
	}
	if rapid.IntRange(0, 5).Draw(d.rt, "and a word") == 0 || len(out) == 0 {
		out = append(out, d.said())
	}
	return d.shuffled(out)
}

func (d *disorder) shuffled(ms []session.Message) []session.Message {
	if len(ms) > 1 && rapid.Bool().Draw(d.rt, "shuffled") {
		return rapid.Permutation(ms).Draw(d.rt, "order")
	}
	return ms
}

// history is what a client may have of the session.
func (d *disorder) history() []session.Message {
	ms := d.stored()
	for i := range ms {
		ms[i] = session.Message{Role: ms[i].Role, Content: ms[i].Content, ToolCalls: ms[i].ToolCalls, ToolCallID: ms[i].ToolCallID}
	}
	if rapid.IntRange(0, 2).Draw(d.rt, "disorder") == 0 {
		return d.shuffled(ms)
	}
	return ms[rapid.IntRange(0, len(ms)).Draw(d.rt, "from"):]
}

// made is a stretch of a transcript from elsewhere.
func (d *disorder) made(text string) []session.Message {
	ms := append(user(text), session.Message{
		Role: session.Assistant, Content: rapid.SampledFrom([]string{"", "Let me see."}).Draw(d.rt, "beside"),
		ToolCalls: []byte(`[{"id":"call_0","type":"function","function":{"name":"look","arguments":"{}"}},{"id":"i1","type":"function","function":{"name":"look","arguments":"{}"}}]`),
	})
	ms = append(append(ms, result("call_0", "x")...), result("i1", "y")...)
	return append(ms, session.Message{Role: session.Assistant, Content: "Seen."})[:rapid.IntRange(1, 5).Draw(d.rt, "some")]
}

// bring goes on in a session that was imported.
func (d *disorder) bring() {
	d.calls++
	id := session.ID(fmt.Sprintf("%s-%d", d.id, d.calls))
	ms := d.shuffled(append(d.made("imported"), d.made("once more")...))
	_, err := d.curator.Import(context.Background(), &curate.Archived{
		Owner: owner.Local(), Sessions: []session.Session{{ID: id, RootID: id, Source: session.SourceImport, StartedAt: d.now, LastActive: d.now}},
		Messages: func(yield func(session.Message, error) bool) {
			for i := range ms {
				ms[i].SessionID, ms[i].SaidAt, ms[i].RecordedAt = id, d.now, d.now
				if !yield(ms[i], nil) {
					return
				}
			}
		},
	})
	if d.may(err); err == nil {
		d.id = id
	}
}
