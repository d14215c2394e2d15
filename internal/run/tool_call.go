package run

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// execute runs the calls of one round and returns their results in order. Calls of
// tools that change nothing run concurrently, the others one by one in the model's
// order. room is the approximate size of each result, in bytes.
func (t *turn) execute(ctx context.Context, calls []openai.Call, room int) []ToolResult {
	results := make([]ToolResult, len(calls))
	uses := make([]lineage.ToolUse, len(calls))
	grant := t.box.grant
	grant.Outside = t.outside()
	asking := t.asking(calls)
	ask := func(i int) func() string {
		if i >= t.box.limits.Calls {
			return nil
		}
		return t.askFor(&calls[i], room, asking)
	}
	one := func(i int, decided func() string) {
		c := &calls[i]
		began := t.runner.config.Now()
		if decided != nil {
			results[i] = t.attended(ctx, &grant, c, room, decided)
		} else {
			results[i] = failed("not run: more than %d calls at once", t.box.limits.Calls)
		}
		uses[i] = lineage.ToolUse{
			Name: c.Function.Name, CallID: c.ID, OK: !results[i].Failed,
			MS: t.runner.config.Now().Sub(began).Milliseconds(),
		}
	}
	var parallel sync.WaitGroup
	for i := range calls {
		if t.box.offered[calls[i].Function.Name].Parallel {
			decided := ask(i) // here, so that people are asked in the model's order
			parallel.Go(recovery.Func(func() { one(i, decided) }, func(err error) {
				recovery.Log(ctx, t.runner.log, "a tool's call", err, "tool", calls[i].Function.Name)
				results[i] = failed("the tool broke down")
				uses[i] = lineage.ToolUse{Name: calls[i].Function.Name, CallID: calls[i].ID}
			}))
			continue
		}
		parallel.Wait()
		one(i, ask(i))
	}
	parallel.Wait()
	t.box.used = append(t.box.used, uses...)
	return results
}

// failed is the result of a call that failed in this package. Nothing is learnt from it.
func failed(format string, args ...any) ToolResult {
	return ToolResult{Text: "Error: " + fmt.Sprintf(format, args...), Failed: true, Note: memory.EchoNote}
}

// callTool runs one call. A tool that panics has failed. A tool that hangs has failed
// too, and the turn does not wait for it.
func (t *turn) callTool(ctx context.Context, g *Grant, c *openai.Call, room int) ToolResult {
	request := requestOf(c, room)
	var object map[string]json.RawMessage
	if json.Unmarshal(request.Arguments, &object) != nil {
		return failed("the arguments are not a JSON object")
	}
	if ctx.Err() != nil {
		return failed("not run: the time for tools in this turn is over")
	}
	limit := t.box.limits.Each
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan ToolResult, 1)
	go recovery.Func(func() { done <- t.box.tools.Call(ctx, g, request) }, func(err error) {
		recovery.Log(ctx, t.runner.log, "a tool", err, "tool", c.Function.Name)
		done <- failed("the tool broke down")
	})()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	select {
	case r := <-done: // the result may arrive at the same moment
		return r
	case <-time.After(toolGrace): // a tool that ends with its context can say why
	case r := <-done:
		return r
	}
	if ctx.Err() == context.Canceled {
		return failed("the call was cancelled")
	}
	return failed("the tool did not answer within %s", limit)
}

// toolGrace is how long a tool may take to return after its context has ended.
const toolGrace = 50 * time.Millisecond

// shorten cuts a text to a number of tokens, with a note at the cut.
func shorten(text string, tokens, bytes int, count func(string) int) string {
	whole := len(text)
	// No token is longer than this, so text beyond the product need not be counted.
	const longest = 16
	if n := min(bytes, max(tokens, 1)*longest); len(text) > n {
		text = head(text, n)
	}
	if len(text) == whole && count(text) <= tokens {
		return text
	}
	note := fmt.Sprintf("\n[cut to fit the context: the result had %d bytes]", whole)
	for len(text) > 0 {
		size := count(text) + count(note)
		if size <= tokens {
			return text + note
		}
		text = head(text, min(len(text)*tokens/size, len(text)*9/10))
	}
	return ""
}

// head is the beginning of a text: at most n bytes, without splitting a character.
func head(text string, n int) string {
	n = max(0, n)
	if n >= len(text) {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
