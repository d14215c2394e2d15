package study

import (
	"context"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// callTime bounds a call of the model.
	callTime = 2 * time.Minute
	// maxReply bounds an answer, in tokens as asked for and in bytes as read.
	maxReply      = 1500
	maxReplyBytes = 64 << 10
	// bytesPerToken is a careful guess.
	bytesPerToken = 3
)

// ask puts a question to the model. ok is false when it may not be asked now or
// did not answer; that is settled here.
func (s *Study) ask(ctx context.Context, system, text string) (reply string, ok bool) {
	if now := s.Now(); now.Before(s.chat.until) {
		s.hold(s.chat.until)
		return "", false
	}
	taken, until, enough := s.pace.take((len(system)+len(text))/bytesPerToken + maxReply)
	if !enough {
		s.hold(until)
		return "", false
	}
	reply, cost, err := s.call(ctx, system, text)
	if err != nil && !s.bare && fault.KindOf(err) == fault.Invalid {
		s.bare = true // it may not know the parameters
		reply, cost, err = s.call(ctx, system, text)
	}
	if ctx.Err() != nil {
		return "", false
	}
	s.pace.settle(taken, cost)
	if err != nil {
		s.fail(&s.chat, err)
		return "", false
	}
	s.chat.succeed()
	return reply, true
}

// fail notes a failure of one of the models.
func (s *Study) fail(p *patience, err error) {
	s.stats.failures.Add(1)
	p.fail(err, s.Now())
	s.hold(p.until)
	s.Log.Debug("a model failed in the background", "failures", p.failures, "until", p.until, "err", err)
}

// call makes one call of the model.
func (s *Study) call(ctx context.Context, system, text string) (reply string, cost int, err error) {
	s.stats.calls.Add(1)
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	p := &run.Prompt{
		Model: s.Model, Body: []byte(`{"temperature":0,"max_tokens":1500}`),
		Messages: []session.Message{{Role: session.System, Content: system}, {Role: session.User, Content: text}},
	}
	if s.bare {
		p.Body = nil
	}
	cost = (len(system) + len(text)) / bytesPerToken
	deltas, err := s.Chat.Stream(ctx, p)
	if err != nil {
		return "", cost, err
	}
	var b strings.Builder
	known := false
	for d, err := range deltas {
		if err != nil {
			return "", cost + b.Len()/bytesPerToken, err
		}
		if d.Usage != nil {
			cost, known = d.Usage.Input+d.Usage.Output, true
		}
		if b.Len() < maxReplyBytes {
			b.WriteString(d.Content)
		}
	}
	if !known {
		cost += b.Len() / bytesPerToken
	}
	return b.String(), cost, nil
}
