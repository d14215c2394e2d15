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

// ask puts a question to the model. The error is a [later] if the model may not be
// called now or did not answer.
func (s *Study) ask(ctx context.Context, system, text string) (string, error) {
	taken, err := s.afford(&s.chat, (len(system)+len(text))/bytesPerToken+maxReply)
	if err != nil {
		return "", err
	}
	reply, cost, err := s.call(ctx, system, text, s.isBare())
	if err != nil && !s.isBare() && fault.KindOf(err) == fault.Invalid {
		s.mu.Lock()
		s.bare = true // it may reject the parameters
		s.mu.Unlock()
		reply, cost, err = s.call(ctx, system, text, true)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	s.mu.Lock()
	s.settle(taken, cost)
	if err == nil {
		s.chat.succeed()
	}
	s.mu.Unlock()
	if err != nil {
		return "", s.fail(&s.chat, err)
	}
	return reply, nil
}

func (s *Study) isBare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bare
}

// afford reserves tokens for a call of one of the models. The error is a [later] if the
// call may not be made now.
func (s *Study) afford(p *patience, tokens int) (taken float64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Now().Before(p.until) {
		return 0, &later{until: p.until}
	}
	taken, until, enough := s.pace.take(tokens)
	if !enough {
		s.paced = until // nothing is claimed until then; a call that costs less than expected ends the wait
		return 0, &later{until: s.Now()}
	}
	return taken, nil
}

// settle replaces a call's reserved cost with its actual cost. The caller holds the
// lock.
func (s *Study) settle(taken float64, cost int) {
	s.pace.settle(taken, cost)
	if float64(cost) < taken {
		s.paced = time.Time{}
	}
}

// fail records a failure of one of the models, and says when it is tried again.
func (s *Study) fail(p *patience, err error) error {
	s.stats.failures.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.fail(err, s.Now())
	s.Log.Debug("a model failed in the background", "failures", p.failures, "until", p.until, "err", err)
	return &later{until: p.until, cause: err}
}

// call makes one call of the model.
func (s *Study) call(ctx context.Context, system, text string, bare bool) (reply string, cost int, err error) {
	s.stats.calls.Add(1)
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	p := &run.Prompt{
		Model: s.Model, Body: []byte(`{"temperature":0,"max_tokens":1500}`),
		Messages: []session.Message{{Role: session.System, Content: system}, {Role: session.User, Content: text}},
	}
	if bare {
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
