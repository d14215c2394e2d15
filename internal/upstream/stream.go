package upstream

import (
	"bytes"
	"errors"
	"iter"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// afterEnd is the timeout for silence once the answer has ended: the usage and [DONE]
// may still follow.
const afterEnd = 5 * time.Second

// pieces is the sequence of a streamed answer's chunks.
func (m *OpenAI) pieces(a *answer) iter.Seq2[run.Delta, error] {
	used := false
	return func(yield func(run.Delta, error) bool) {
		if used {
			return
		}
		used = true
		defer a.close()
		m.read(a, yield)
	}
}

// read yields the chunks of an answer.
func (m *OpenAI) read(a *answer, yield func(run.Delta, error) bool) {
	s := chunks{m: m}
	for ev, err := range openai.Events(a.in, m.c.opt.MaxEvent) {
		if err != nil {
			if err = m.broken(a, err, s.ended()); err != nil {
				yield(run.Delta{}, err)
			}
			return
		}
		if bytes.Equal(ev.Data, openai.Done) {
			a.finish()
			yieldEnd(&s, yield)
			return
		}
		if len(ev.Data) == 0 {
			continue
		}
		d, err := s.read(ev)
		if !yield(d, err) || err != nil {
			return
		}
		if s.ended() {
			a.between = min(a.between, afterEnd)
		}
	}
	if !s.ended() {
		yield(run.Delta{}, incomplete())
	}
}

// broken is the error of a stream that broke off; nil if the answer had ended.
func (m *OpenAI) broken(a *answer, cause error, ended bool) error {
	if !ended || a.parent.Err() != nil {
		return cut(a, cause)
	}
	m.c.opt.Log.DebugContext(a.parent, "the upstream's stream broke off after the end of the answer", "err", m.c.scrub.cause(cause))
	return nil
}

// yieldEnd ends a stream after its [DONE]. Old servers give no finish reason. A stream
// without any choice has not answered.
func yieldEnd(s *chunks, yield func(run.Delta, error) bool) {
	switch {
	case s.begun == 0:
		yield(run.Delta{}, incomplete())
	case s.done == 0:
		yield(run.Delta{FinishReason: "stop", Finishes: true}, nil)
	}
}

func incomplete() error {
	return fault.New(fault.Upstream, codeBroken, "The upstream's answer ended before it was complete.")
}

// cut is the fault for a stream that could not be read further.
func cut(a *answer, err error) error {
	if errors.Is(err, openai.ErrEventTooLong) {
		return fault.Wrap(fault.Upstream, codeTooLarge, "A piece of the upstream's answer is too large.", err)
	}
	return a.broken(err)
}

// chunks reads the chunks of one answer.
type chunks struct {
	m     *OpenAI
	chunk openai.Chunk // reused for every chunk
	slab  []byte
	// begun and done hold one bit for each choice, of the first 64.
	begun, done uint64
}

// ended reports whether every choice that began was given a finish reason.
func (s *chunks) ended() bool { return s.done != 0 && s.begun&^s.done == 0 }

// read makes the delta of one chunk.
func (s *chunks) read(ev openai.Event) (run.Delta, error) {
	raw := s.keep(ev.Data)
	if err := s.chunk.Read(raw); err != nil {
		return run.Delta{}, fault.Wrap(fault.Upstream, codeGarbled, "The upstream sent a piece that is not JSON.", err)
	}
	if s.chunk.Error == nil && ev.Name == "error" {
		s.chunk.Error = readRefusal(raw)
	}
	if s.chunk.Error != nil {
		f := s.m.reported(s.chunk.Error)
		f.Kind = fault.Upstream // the status 200 is sent already, so this is no refusal
		return run.Delta{}, f
	}
	for i := range s.chunk.Choices {
		c := &s.chunk.Choices[i]
		bit := uint64(1) << (uint(c.Index) % 64)
		s.begun |= bit
		if c.FinishReason != "" {
			s.done |= bit
		}
	}
	d := delta(&s.chunk)
	d.Raw = mended(raw, &s.chunk, &d)
	return d, nil
}

// mended is a chunk or completion without the members that cannot be meant: a time that
// is none is replaced by the present, and a usage that is not believed is removed, so
// that the count of this server takes its place. nil if JSON parsers may disagree about
// the members.
func mended(raw []byte, c *openai.Chunk, d *run.Delta) []byte {
	var sets []openai.Set
	if c.Undated {
		sets = append(sets, openai.Set{Name: "created", Value: strconv.AppendInt(nil, time.Now().Unix(), 10)})
	}
	if c.Usage != nil && d.Usage == nil {
		sets = append(sets, openai.Set{Name: "usage"})
	}
	if sets == nil {
		return raw
	}
	out, err := openai.Splice(raw, sets...)
	if err != nil {
		return nil
	}
	return out
}

// keep copies data, because the reader's buffer is reused and a delta may outlive it.
// Copies share slabs, so an answer costs few allocations.
func (s *chunks) keep(data []byte) []byte {
	const slab = 4 << 10
	if len(data) > slab/4 {
		return bytes.Clone(data)
	}
	if len(data) > cap(s.slab)-len(s.slab) {
		s.slab = make([]byte, 0, slab)
	}
	start := len(s.slab)
	s.slab = append(s.slab, data...)
	return s.slab[start:len(s.slab):len(s.slab)]
}

// delta is the content of a chunk or completion, without its bytes. It holds the first
// choice; other choices are in the bytes only.
func delta(c *openai.Chunk) run.Delta {
	d := run.Delta{Model: c.Model, NoChoices: len(c.Choices) == 0}
	for i := range c.Choices {
		choice := &c.Choices[i]
		d.Finishes = d.Finishes || choice.FinishReason != ""
		if choice.Index != 0 {
			continue
		}
		d.FinishReason = choice.FinishReason
		for _, p := range []*openai.Piece{&choice.Delta, &choice.Message} {
			d.Content += p.Content
			if p.Content == "" {
				d.Content += p.Refusal
			}
			d.Reasoning += p.Reasoning
			for _, call := range p.ToolCalls {
				d.ToolCalls = append(d.ToolCalls, run.ToolCall{
					Index: call.Index, ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments,
				})
			}
		}
	}
	if u, believed := openai.ParseUsage(c.Usage); believed {
		d.Usage = &run.Usage{Input: u.PromptTokens, Output: u.CompletionTokens, Raw: c.Usage}
	}
	return d
}
