package upstream

import (
	"encoding/json"
	"iter"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// anthropicEvent is any event of a stream; its type says which fields it has.
type anthropicEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message anthropicAnswer `json:"message"`       // message_start
	Block   answerBlock     `json:"content_block"` // content_block_start
	Delta   struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
		// StopSequence is the text of the client that ended the answer.
		StopSequence string `json:"stop_sequence"`
	} `json:"delta"` // content_block_delta, message_delta
	Usage anthropicUsage  `json:"usage"` // message_delta
	Error *anthropicError `json:"error"` // error
}

// pieces is the sequence of a streamed answer's pieces.
func (m *Anthropic) pieces(a *answer) iter.Seq2[run.Delta, error] {
	used := false
	return func(yield func(run.Delta, error) bool) {
		if used {
			return
		}
		used = true
		defer a.close()
		s := anthropicStream{m: m, calls: map[int]*partial{}}
		for ev, err := range openai.Events(a.in, m.c.opt.MaxEvent) {
			if err != nil {
				if !s.ended || a.parent.Err() != nil {
					yield(run.Delta{}, cut(a, err))
				}
				return
			}
			d, err := s.read(ev.Data)
			switch {
			case err != nil:
				yield(run.Delta{}, err)
				return
			case s.stopped:
				a.finish()
				return
			case d != nil && !yield(*d, nil):
				return
			}
		}
		if !s.ended {
			yield(run.Delta{}, incomplete())
		}
	}
}

// anthropicStream is the state kept between events.
type anthropicStream struct {
	m       *Anthropic
	model   string // not yet told
	usage   anthropicUsage
	calls   map[int]*partial // by the index of their block
	ended   bool             // the reason was told
	stopped bool             // nothing follows
}

// partial is a tool call that is being streamed.
type partial struct {
	place int
	begun bool // some of its arguments were passed on
}

// read processes an event. It returns nil for an event without content, such as a ping.
func (s *anthropicStream) read(data []byte) (*run.Delta, error) {
	var ev anthropicEvent
	if err := json.Unmarshal(data, &ev); err != nil {
		return nil, fault.Wrap(fault.Upstream, codeGarbled, "The upstream sent a piece that is not JSON.", err)
	}
	switch ev.Type {
	case "message_start":
		s.model, s.usage = ev.Message.Model, ev.Message.Usage
	case "content_block_start":
		return s.start(&ev), nil
	case "content_block_delta":
		return s.delta(&ev), nil
	case "content_block_stop":
		if call := s.calls[ev.Index]; call != nil && !call.begun {
			return s.say(run.Delta{ToolCalls: []run.ToolCall{{Index: call.place, Arguments: "{}"}}}), nil
		}
	case "message_delta":
		s.usage.merge(ev.Usage)
		if ev.Delta.StopReason != "" {
			s.ended = true
			return s.say(run.Delta{
				FinishReason: anthropic.FinishReason(ev.Delta.StopReason), StopSequence: ev.Delta.StopSequence, Finishes: true, Usage: s.usage.usage(),
			}), nil
		}
	case "message_stop":
		if !s.ended {
			return nil, incomplete()
		}
		s.stopped = true
	case "error":
		e := ev.Error
		if e == nil {
			e = &anthropicError{}
		}
		f := s.m.reported(e)
		f.Kind = fault.Upstream
		return nil, f
	}
	return nil, nil
}

// start opens a block. Some servers put its first text in here.
func (s *anthropicStream) start(ev *anthropicEvent) *run.Delta {
	switch ev.Block.Type {
	case "text":
		if ev.Block.Text != "" {
			return s.say(run.Delta{Content: ev.Block.Text})
		}
	case "tool_use":
		call := &partial{place: len(s.calls)}
		s.calls[ev.Index] = call
		tc := run.ToolCall{Index: call.place, ID: ev.Block.ID, Name: ev.Block.Name}
		if args := arguments(ev.Block.Input); args != "{}" {
			call.begun, tc.Arguments = true, args
		}
		return s.say(run.Delta{ToolCalls: []run.ToolCall{tc}})
	}
	return nil
}

// delta goes on with a block.
func (s *anthropicStream) delta(ev *anthropicEvent) *run.Delta {
	switch ev.Delta.Type {
	case "text_delta":
		return s.say(run.Delta{Content: ev.Delta.Text})
	case "thinking_delta":
		return s.say(run.Delta{Reasoning: ev.Delta.Thinking})
	case "input_json_delta":
		if call := s.calls[ev.Index]; call != nil && ev.Delta.PartialJSON != "" {
			call.begun = true
			return s.say(run.Delta{ToolCalls: []run.ToolCall{{Index: call.place, Arguments: ev.Delta.PartialJSON}}})
		}
	}
	return nil // signatures and future kinds
}

// say adds the model's name to the first delta.
func (s *anthropicStream) say(d run.Delta) *run.Delta {
	d.Model, s.model = s.model, ""
	return &d
}
