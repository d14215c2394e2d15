package upstream

import (
	"iter"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pool is a transport whose connections end with the test.
func pool(t testing.TB) *http.Transport {
	t.Helper()
	p := newTransport()
	t.Cleanup(p.CloseIdleConnections)
	return p
}

const testKey = Secret("sk-very-secret-key-123456")

// scripted is a scripted server and a model that calls it.
func scripted(t testing.TB, steps ...upstreamtest.Step) (*upstreamtest.Server, *OpenAI) {
	t.Helper()
	s := upstreamtest.New(t, upstreamtest.Options{})
	s.Queue(steps...)
	return s, New(Options{BaseURL: s.URL + "/v1", Key: testKey, Model: "m1", Transport: pool(t)})
}

// streamed is a prompt that asks for a stream.
func streamed() *run.Prompt {
	return &run.Prompt{Streaming: true, Messages: []session.Message{{Role: session.User, Content: "hello"}}}
}

// unstreamed is a prompt that does not.
func unstreamed() *run.Prompt {
	return &run.Prompt{Messages: []session.Message{{Role: session.User, Content: "hello"}}}
}

// heard is an answer put together.
type heard struct {
	Content, Reasoning, Finish, Model string
	Calls                             []run.ToolCall
	Usage                             *run.Usage
	Deltas                            int
}

// listen reads an answer to its end or to its error.
func listen(deltas iter.Seq2[run.Delta, error], err error) (heard, error) {
	var h heard
	if err != nil {
		return h, err
	}
	var text, thoughts strings.Builder
	for d, err := range deltas {
		h.Content, h.Reasoning = text.String(), thoughts.String()
		if err != nil {
			return h, err
		}
		h.Deltas++
		text.WriteString(d.Content)
		thoughts.WriteString(d.Reasoning)
		h.Calls = joinCalls(h.Calls, d.ToolCalls)
		if d.FinishReason != "" {
			h.Finish = d.FinishReason
		}
		if d.Usage != nil {
			h.Usage = d.Usage
		}
		if d.Model != "" {
			h.Model = d.Model
		}
	}
	h.Content, h.Reasoning = text.String(), thoughts.String()
	return h, nil
}
