package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestForgetWordsOfKeys: the words that the program itself writes into the keys of chats are no mention of a
// thing. The message that names the thing is erased, and no conversation goes. What a platform gave still counts.
func TestForgetWordsOfKeys(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		platform gateway.Platform
		words    []string // that the keys of the platform have by themselves
		names    string   // what names one conversation
	}{
		{gateway.Telegram, []string{"Gent", "agent", "main", "telegram", "gram", "ram", "group", "channel", "dm", "Han"}, "77001"},
		{gateway.Discord, []string{"Gent", "discord", "Cord", "disc", "agent main discord", "chan"}, "77001"},
		{gateway.Slack, []string{"agent:main", "slack", "lack", "main slack", "Roup"}, "77001"},
		{gateway.WhatsApp, []string{"Ain", "whatsapp", "hat", "app", "what", "nel"}, "77001"},
	} {
		t.Run(string(at.platform), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					h.wire.name, h.bot.Users, h.bot.Admins, h.bot.Open = at.platform, []string{ada, "1002"}, []string{ada}, true
				})
				defer h.end()
				talked := func() {
					for _, chat := range []struct {
						id   string
						kind gateway.ChatType
					}{{ada, gateway.DM}, {"1002", gateway.DM}, {"-42", gateway.Group}, {"-43", gateway.Channel}, {"77001", gateway.Group}} {
						e := h.dm(ada, "Tell me of the weather.")
						e.Place.Chat, e.Type = chat.id, chat.kind
						if chat.id == "1002" {
							e.From.ID = "1002"
						}
						h.receive(e)
					}
					h.settled()
				}
				talked()
				before := len(h.conversations())
				want(t, "conversations", before, 5)
				for _, word := range append(at.words, "run", "forget", "answer") {
					traces, err := h.db.Mentions(context.Background(), h.bot.Owner, mention.Of(word))
					if err != nil {
						t.Fatal(err)
					}
					for _, trace := range traces {
						if trace.Hits > 0 && trace.File != "rows of texts" { // the prompts say where the chat is
							t.Errorf("%s, which nobody said: %d mentions in the %s", word, trace.Hits, trace.File)
						}
					}
				}
				for _, word := range at.words {
					h.receive(h.dm(ada, "I was in "+word+" last week."))
					h.settled()
					would, err := h.curator.Forget(context.Background(), h.bot.Owner, word, true)
					if err != nil || would.Sessions > 0 {
						t.Errorf("%s: %d conversations would go (%v)", word, would.Sessions, err)
					}
					h.receive(h.dm(ada, "/forget "+word))
					h.settled()
					if got := h.wire.said()[len(h.wire.said())-1]; strings.Contains(got, "conversation") {
						t.Errorf("%s: asked with %q", word, got)
					}
					done, err := h.curator.Forget(context.Background(), h.bot.Owner, word, false)
					if err != nil || done.Sessions > 0 || done.Messages == 0 || done.Left > 0 {
						t.Errorf("%s: erased from %d messages and %d conversations, left %d in %v, %v", word, done.Messages, done.Sessions, done.Left, done.Searched, err)
					}
					want(t, word+": conversations", len(h.conversations()), before)
				}
				would, err := h.curator.Forget(context.Background(), h.bot.Owner, at.names, true)
				if err != nil || would.Sessions != 1 {
					t.Errorf("%s: %d conversations would go (%v)", at.names, would.Sessions, err)
				}
				h.receive(h.dm(ada, "/forget "+at.names))
				h.settled()
				if got := h.wire.said()[len(h.wire.said())-1]; !strings.Contains(got, "and in the name of 1 conversation, which goes whole.") {
					t.Errorf("asked with %q", got)
				}
			})
		})
	}
}

// conversations are all sessions of the owner of the bot.
func (h *house) conversations() []session.Session {
	h.t.Helper()
	all, err := h.db.Sessions(context.Background(), h.bot.Owner, session.Filter{Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}
