package prove

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// model is the scripted model of a scenario.
type model struct {
	server *upstreamtest.Server // nil while it is down
	addr   string
	before []*upstreamtest.Request // what earlier servers at this address were sent
}

func startModel(addr string) (*model, error) {
	s, err := upstreamtest.Start(upstreamtest.Options{
		Addr: addr, Models: []string{modelScripted},
		Default: func(*upstreamtest.Request) upstreamtest.Step { return upstreamtest.Reply("Noted.") },
	})
	if err != nil {
		return nil, fmt.Errorf("start the scripted model: %w", err)
	}
	return &model{server: s, addr: strings.TrimPrefix(s.URL, "http://")}, nil
}

func (m *model) url() string { return "http://" + m.addr }

// answer queues the model's next answer.
func (m *model) answer(text string) {
	if m.server != nil {
		m.server.Queue(upstreamtest.Reply(text))
	}
}

func (m *model) close() {
	if m.server != nil {
		m.before = append(m.before, m.server.Requests()...)
		m.server.Close()
		m.server = nil
	}
}

// turn stops the model server, or starts it again at the same address.
func (m *model) turn(up bool) error {
	if !up {
		m.close()
		return nil
	}
	if m.server != nil {
		return nil
	}
	again, err := startModel(m.addr)
	if err != nil {
		return err
	}
	m.server = again.server
	return nil
}

// calls are the requests to the model, oldest first.
func (m *model) calls() []*upstreamtest.Request {
	all := m.before
	if m.server != nil {
		all = append(all[:len(all):len(all)], m.server.Requests()...)
	}
	var calls []*upstreamtest.Request
	for _, r := range all {
		if strings.HasSuffix(r.Path, "/chat/completions") {
			calls = append(calls, r)
		}
	}
	return calls
}

// check checks the last request to the model.
func (m *model) check(want *Text, at *scope) error {
	calls := m.calls()
	if want.Calls != nil && *want.Calls != len(calls) {
		return fmt.Errorf("the model was called %d times, want %d", len(calls), *want.Calls)
	}
	if len(calls) == 0 {
		return inText("", want.Contains, want.Lacks, at)
	}
	text, tokens, err := prompt(calls[len(calls)-1].Body)
	if err != nil {
		return err
	}
	if want.AtMost > 0 && tokens > want.AtMost {
		return fmt.Errorf("the model was sent %d tokens, want at most %d", tokens, want.AtMost)
	}
	return inText(text, want.Contains, want.Lacks, at)
}

// prompt is the text of all messages of a request, and its size.
func prompt(body []byte) (text string, tokens int, err error) {
	var in struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return "", 0, fmt.Errorf("read what the model was sent: %w", err)
	}
	var b strings.Builder
	for _, m := range in.Messages {
		b.WriteString(m.Content)
		b.WriteByte('\n')
		tokens += compression.Estimate(m.Content) + compression.MessageOverhead
	}
	return b.String(), tokens, nil
}
