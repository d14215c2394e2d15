package gatewaytest

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Rig is the fake in words that fit all platforms. adapter makes an adapter for the fake.
func (s *Slack) Rig(adapter func(t *testing.T, log *slog.Logger) gateway.Adapter) *Rig {
	return &Rig{
		Adapter: adapter,
		Emit:    s.Emit,
		Replay:  func(_ TB, ids ...string) { s.Again(ids...) },
		OnAck:   s.OnAck,
		Cut:     s.Cut,
		Fault:   s.Fault,
		Sent:    s.Sent,
		Broken:  s.Broken,
		Secrets: []string{SlackBotToken, SlackAppToken, SlackSecret, "ticket0"},
		Threads: true,
		Deletes: true,
	}
}

// Fault makes the fake fail in a way that all platforms know.
func (s *Slack) Fault(f Fault) {
	sending := map[Fault]SlackFault{
		Wait:      {Status: http.StatusTooManyRequests, RetryAfter: WaitTime},
		BadText:   {Error: "invalid_blocks"},
		GoneChat:  {Error: "is_archived"},
		Refusal:   {Error: "restricted_action"},
		CutBefore: {CutBefore: true},
		CutAfter:  {CutAfter: true},
	}
	switch f {
	case Healthy:
		s.Heal()
	case Page:
		s.Fail(SlackFault{Status: http.StatusBadGateway})
	case Unreachable:
		s.Unreachable()
	case BadToken:
		s.Fail(SlackFault{Error: "invalid_auth"})
	default:
		s.Fail(sending[f], "chat.postMessage", "chat.update")
	}
}

// Emit lets something happen. It returns the Event.ID and the message's id.
func (s *Slack) Emit(_ TB, a Act) (string, gateway.MessageID) {
	chat, user := s.Chat(a.Type, a.Chat), s.Person(a.Name)
	switch a.Kind {
	case gateway.Edited:
		return s.Change(chat, string(a.Message), SlackEscape(a.Text)), a.Message
	case gateway.Deleted:
		return s.Delete(chat, string(a.Message)), a.Message
	case gateway.Pressed:
		return s.Press(chat, user, a.Message, a.Button), a.Message
	default:
		return s.emitSaid(chat, user, a)
	}
}

// emitSaid writes a message.
func (s *Slack) emitSaid(chat, user string, a Act) (string, gateway.MessageID) {
	say := SlackSay{
		Chat: chat, User: user, Robot: a.Who == Robot, Text: SlackEscape(a.Text), Thread: string(a.ReplyTo), File: a.File, Mime: a.mime(),
	}
	if a.Who == Bot {
		say.User = SlackBotUser
	}
	if a.Thread != "" {
		say.Thread = s.Root(chat, a.Thread)
	}
	if a.Mention {
		say.Text = "<@" + SlackBotUser + "> " + say.Text
	}
	id, ts := s.Say(say)
	return id, gateway.MessageID(ts)
}

// Root is the first message of the thread with a name.
func (s *Slack) Root(chat, name string) string {
	key := chat + ":" + name
	s.mu.Lock()
	root := s.roots[key]
	s.mu.Unlock()
	if root != "" {
		return root
	}
	_, root = s.Say(SlackSay{Chat: chat, User: s.Person("the first"), Text: SlackEscape(name), Quiet: true})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots[key] = root
	return root
}

// SlackEscape is a text as Slack writes it.
func SlackEscape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
