package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// chatApprovalRig has people decide about tools, as they should and otherwise.
var chatApprovalRig = rig{
	name: "chatapproval", fault: "a tool's approval in a chat: right, by another person, late, twice, over `kill -9`, on four platforms", rounds: 4, run: approveTools,
	want: "run 1, 0, 0, 1, 1 times",
	off:  "who decides is not looked at", bareRounds: 1,
	bare: []change{{
		"internal/gateway/approval.go",
		"asker != o.event.From.ID && !o.bot.admin(&o.event.From)", "asker != o.event.From.ID && asker == \"nobody\"",
	}},
}

// approvalWait is how long a decision is waited for.
const approvalWait = 12 * time.Second

// counter is an MCP server with a tool that counts its calls by a name.
type counter struct {
	*httptest.Server

	mu    sync.Mutex
	calls map[string]int
}

// counted are the arguments of the tool.
type counted struct {
	Name string `json:"name"`
}

func newCounter() *counter {
	c := &counter{calls: make(map[string]int)}
	server := mcp.NewServer(&mcp.Implementation{Name: "counter", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "Count a call."},
		func(_ context.Context, _ *mcp.CallToolRequest, in counted) (*mcp.CallToolResult, any, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.calls[in.Name]++
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted"}}}, nil, nil
		})
	c.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	return c
}

// of is how often the tool was called with a name.
func (c *counter) of(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[name]
}

// caller is a model that calls the tool, and answers in lines behind the result. Every second
// message is called for under the same id each time, as some models do.
func caller() func(*upstreamtest.Request) upstreamtest.Step {
	var mu sync.Mutex
	n := 0
	answer := liner(0, 0)
	return func(req *upstreamtest.Request) upstreamtest.Step {
		var in struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(req.Body, &in); err != nil || len(in.Messages) == 0 {
			return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
		}
		if in.Messages[len(in.Messages)-1].Role != "tool" {
			name, _, ok := askedOf(in.Messages[len(in.Messages)-1].Content)
			if !ok {
				return answer(req)
			}
			mu.Lock()
			defer mu.Unlock()
			n++
			id := "call_" + name
			if strings.HasSuffix(name, "1") || strings.HasSuffix(name, "3") {
				id = fmt.Sprintf("call_%d", n)
			}
			arguments, _ := json.Marshal(counted{name}) // a string: cannot fail
			return upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: id, Name: "mcp_counter_count", Arguments: string(arguments)}}}
		}
		for i := len(in.Messages) - 1; i >= 0; i-- {
			if name, lines, ok := askedOf(in.Messages[i].Content); ok && in.Messages[i].Role == "user" {
				return upstreamtest.Step{Chunks: linesOf(name, lines)}
			}
		}
		return upstreamtest.Refuse(http.StatusBadRequest, "bad", "there is no question")
	}
}

// approving is the rig at work.
type approving struct {
	s     *subject
	f     *fakes
	t     *tally
	tools *counter

	mu          sync.Mutex
	names, runs map[string]int // by case
	made        int
}

// request is a request for an approval in a chat.
type request struct {
	f    *fake
	act  gatewaytest.Act // of the question
	name string
	sent gatewaytest.Sent
}

// approvalCase is one way to decide.
type approvalCase struct {
	name string
	kind gateway.ChatType
	want int // calls
	run  func(*approving, context.Context, *request) error
}

// approvalCases are all but the one over a restart, which stops the others.
func approvalCases() []approvalCase {
	return []approvalCase{
		{"right", gateway.DM, 1, (*approving).right},
		{"by another", gateway.Group, 0, (*approving).byAnother},
		{"late", gateway.DM, 0, (*approving).late},
		{"twice", gateway.DM, 1, (*approving).twice},
	}
}

// approveTools is the whole rig.
func approveTools(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: caller()})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	a := &approving{t: &tally{}, tools: newCounter(), names: make(map[string]int), runs: make(map[string]int)}
	defer a.tools.Close()
	a.f = newFakes(ctx, company{people: 8, groups: 1, plain: true})
	defer a.f.close()
	a.s, err = a.f.subject(b, model.URL+"/v1", "mcp_servers:\n  counter:\n    url: "+a.tools.URL+"\n",
		"HERMES_TOOLS_APPROVE=mcp_*", "HERMES_APPROVAL_TIMEOUT="+approvalWait.String())
	if err != nil {
		return nil, err
	}
	if err := a.f.start(ctx, a.s); err != nil {
		return nil, err
	}
	defer func() { a.s.kill() }()
	for n := range rounds {
		if err := a.round(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if err := a.overRestart(ctx); err != nil {
			return nil, fmt.Errorf("round %d, over a restart: %w", n+1, err)
		}
		b.say("chatapproval: %d rounds, %v calls", n+1, a.runs)
	}
	if code := a.s.stop(); code != 0 {
		a.t.miss("the stop ended with %d: %s", code, a.s.log.String())
	}
	a.f.broken(a.t)
	if err := model.Refused(); err != nil {
		a.t.miss("the model was sent what a real one refuses: %v", err)
	}
	asked := rounds * len(a.f.all)
	a.t.done = fmt.Sprintf("%d approvals of each kind", asked)
	a.t.figure = fmt.Sprintf("run for %d each: right %d, by another %d, late %d, twice %d, over a restart %d", asked,
		a.runs["right"], a.runs["by another"], a.runs["late"], a.runs["twice"], a.runs["over a restart"])
	return a.t, nil
}

// round tries all cases on all platforms at once, each in a chat of its own.
func (a *approving) round(ctx context.Context) error {
	var all sync.WaitGroup
	errs := make(chan error, len(a.f.all)*len(approvalCases()))
	for _, f := range a.f.all {
		for i, c := range approvalCases() {
			act := gatewaytest.Act{Kind: gateway.Said, Type: c.kind, Name: person(i), Chat: person(i)}
			if c.kind == gateway.Group {
				act.Chat = group(0)
			}
			all.Go(func() { errs <- a.try(ctx, &request{f: f, act: act}, c) })
		}
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// try tries one case, and counts the calls.
func (a *approving) try(ctx context.Context, r *request, c approvalCase) error {
	if err := a.ask(ctx, r); err != nil {
		return err
	}
	if err := c.run(a, ctx, r); err != nil {
		return fmt.Errorf("%s on %s: %w", c.name, r.f.platform, err)
	}
	return a.finish(ctx, r, c.name, c.want)
}

// ask writes a message whose answer needs a tool, and waits until the chat is asked.
func (a *approving) ask(ctx context.Context, r *request) error {
	a.mu.Lock()
	a.made++
	r.name = messageName(a.made)
	a.mu.Unlock()
	r.act.Text = asks(r.name, 1)
	r.f.emit(r.act)
	return a.await(ctx, r, "")
}

// await waits for a request that is not the one before.
func (a *approving) await(ctx context.Context, r *request, before gateway.MessageID) error {
	return until(ctx, fmt.Sprintf("the request for an approval of %s on %s", r.name, r.f.platform), func() (bool, error) {
		for _, m := range r.f.rig.Sent() {
			if m.Message != before && strings.Contains(m.Text, "May I run") && strings.Contains(m.Text, r.name) {
				r.sent = m
				return true, nil
			}
		}
		return false, nil
	})
}

// finish waits for the answer, and compares how often the tool was called.
func (a *approving) finish(ctx context.Context, r *request, kind string, want int) error {
	if err := until(ctx, "the answer to "+r.name, func() (bool, error) { return r.f.heard()[r.name].whole(), nil }); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	got := a.tools.of(r.name)
	a.runs[kind] += got
	if got != want {
		a.t.miss("%s on %s: run %d times, not %d", kind, r.f.platform, got, want)
	}
	return nil
}

func (a *approving) miss(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.t.miss(format, args...)
}

// press presses a button of a request, or says the command where the message has none.
func (r *request) press(who string, yes bool) {
	label, command := "Run it", "/approve"
	if !yes {
		label, command = "Do not", "/deny"
	}
	act := r.act
	act.Name, act.Text = who, command
	for _, b := range r.sent.Buttons {
		if b.Label == label {
			act.Kind, act.Text, act.Message, act.Button = gateway.Pressed, "", r.sent.Message, b.ID
		}
	}
	r.f.emit(act)
}

// told waits until the chat has a message that begins so.
func (r *request) told(ctx context.Context, begins string, n int) error {
	return until(ctx, fmt.Sprintf("%q on %s", begins, r.f.platform), func() (bool, error) {
		found := 0
		for _, m := range r.f.rig.Sent() {
			if m.Place.Chat == r.sent.Place.Chat && strings.HasPrefix(m.Text, begins) {
				found++
			}
		}
		return found >= n, nil
	})
}

// count is the number of messages in the chat that begin so.
func (r *request) count(begins string) int {
	n := 0
	for _, m := range r.f.rig.Sent() {
		if m.Place.Chat == r.sent.Place.Chat && strings.HasPrefix(m.Text, begins) {
			n++
		}
	}
	return n
}

func (a *approving) right(_ context.Context, r *request) error {
	r.press(r.act.Name, true)
	return nil
}

// byAnother has another person say yes, and who asked no.
func (a *approving) byAnother(ctx context.Context, r *request) error {
	before := r.count("Only the person who asked")
	r.press(person(7), true)
	err := until(ctx, "a refusal on "+string(r.f.platform), func() (bool, error) {
		return r.count("Only the person who asked") > before || a.tools.of(r.name) > 0, nil // the latter without the protection
	})
	r.press(r.act.Name, false)
	return err
}

// late decides when the time is over.
func (a *approving) late(ctx context.Context, r *request) error {
	if err := until(ctx, "the end of the time", func() (bool, error) { return r.f.heard()[r.name].whole(), nil }); err != nil {
		return err
	}
	before := r.count(voidReply)
	r.press(r.act.Name, true)
	return r.told(ctx, voidReply, before+1)
}

// voidReply is how replies begin to a decision about what is decided; without buttons there is
// another one.
const voidReply = "That was decided before"

func (a *approving) twice(_ context.Context, r *request) error {
	r.press(r.act.Name, true)
	r.press(r.act.Name, true)
	return nil
}

// overRestart kills the server while all platforms wait for a decision, presses the old
// buttons where a new request has come, and then decides.
func (a *approving) overRestart(ctx context.Context) error {
	list := make([]*request, len(a.f.all))
	for i, f := range a.f.all {
		list[i] = &request{f: f, act: gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Name: person(5), Chat: person(5)}}
	}
	if err := together(list, func(r *request) error { return a.ask(ctx, r) }); err != nil {
		return err
	}
	a.s.kill()
	if err := a.f.start(ctx, a.s); err != nil {
		return err
	}
	return together(list, func(r *request) error { return a.decideAgain(ctx, r) })
}

// decideAgain decides about a call that is asked for anew, under another id or the same one. The
// buttons of the old request are void.
func (a *approving) decideAgain(ctx context.Context, r *request) error {
	old := *r
	if err := a.await(ctx, r, old.sent.Message); err != nil {
		return err
	}
	before := r.count(voidReply)
	old.press(r.act.Name, true)
	if err := r.told(ctx, voidReply, before+1); err != nil {
		return err
	}
	if n := a.tools.of(r.name); n != 0 {
		a.miss("an old button on %s: run %d times", r.f.platform, n)
	}
	r.press(r.act.Name, true)
	return a.finish(ctx, r, "over a restart", 1)
}
