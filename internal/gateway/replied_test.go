package gateway_test

import (
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestReplied: a platform may name the message that a person answers by its id alone. The model reads the words of that message if
// the chat has them, and otherwise that there is such a message. The words of another chat are never shown.
func TestReplied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
		defer h.end()
		h.receive(h.dm(ada, "I like wombats."))
		h.settled()
		h.receive(h.group("1", "Zoe", "I like zebras.", true))
		h.settled()
		first, second := h.dm(ada, "I like emus."), h.dm(ada, "I like owls.")
		first.Message, second.Message = "first", "second"
		h.receive(first, second)
		h.settled()
		const unknown = "an earlier message that is not shown here"
		for name, tt := range map[string]struct {
			event gateway.Event
			to    gateway.Quoted
			want  string
		}{
			"an answer":              {h.dm(ada, "why?"), gateway.Quoted{Message: "m1", Mine: true}, `(in answer to you: "You said: I like wombats.") why?`},
			"own words":              {h.dm(ada, "why?"), gateway.Quoted{Message: "in1"}, `(in answer to Ada: "I like wombats.") why?`},
			"words of a longer turn": {h.dm(ada, "why?"), gateway.Quoted{Message: "first"}, `(in answer to Ada: "I like emus. I like owls.") why?`},
			"no such message":        {h.dm(ada, "why?"), gateway.Quoted{Message: "m77"}, "(in answer to " + unknown + ") why?"},
			"no such answer":         {h.dm(ada, "why?"), gateway.Quoted{Message: "m77", Mine: true}, "(in answer to " + unknown + ", of yours) why?"},
			"a name":                 {h.dm(ada, "why?"), gateway.Quoted{Message: "m77", Name: "Bob"}, "(in answer to " + unknown + ", of Bob) why?"},
			"a conversation's own":   {h.dm(ada, "why?"), gateway.Quoted{Message: "m1", Held: true}, "why?"},
			"the platform's words":   {h.dm(ada, "why?"), gateway.Quoted{Message: "m1", Text: "so be it"}, `(in answer to "so be it") why?`},
			"another chat's answer":  {h.group("1", "Zoe", "why?", true), gateway.Quoted{Message: "m1", Mine: true}, "[Zoe] (in answer to " + unknown + ", of yours) why?"},
			"another chat's words":   {h.group("1", "Zoe", "why?", true), gateway.Quoted{Message: "in1"}, "[Zoe] (in answer to " + unknown + ") why?"},
			"another person's":       {h.group("2", "Bob", "why?", true), gateway.Quoted{Message: "in2"}, `[Bob] (in answer to Zoe: "I like zebras.") why?`},
			"only a mention":         {h.group("2", "Bob", "", true), gateway.Quoted{Message: "in2"}, `[Bob] (in answer to Zoe: "I like zebras.") [mentions you, without words]`},
		} {
			tt.event.Replied = &tt.to
			h.receive(tt.event)
			h.settled()
			if h.model.last() == nil {
				t.Fatalf("%s: no turn", name)
			}
			want(t, name, newest(t, h.model.last()), tt.want)
		}
	})
}

// TestRepliedWaiting: the words of a message are there before its turn has begun.
func TestRepliedWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		photo := h.dm(ada, "")
		photo.Files = []gateway.FileRef{{Ref: "r", Kind: gateway.Photo, Name: "emu.png"}}
		h.receive(photo)
		e := h.dm(ada, "what is this?")
		e.Replied = &gateway.Quoted{Message: photo.Message}
		h.receive(e)
		h.settled()
		want(t, "the model reads", newest(t, h.model.last()), `(in answer to Ada: "[photo emu.png]") what is this?`)
	})
}
