package gateway_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// shouting is a wire on which people give commands in a form of its own.
type shouting struct{ *wire }

func (shouting) CommandName(name string, at gateway.Place, t gateway.ChatType) string {
	return "!!" + name + "@" + at.Chat + ":" + string(t)
}

// TestTextsNameCommands: a text that names a command names it as it is given in the chat that shows the text.
func TestTextsNameCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.adapter = shouting{h.wire}
			h.bot.Chats, h.bot.Admins = []string{"-42"}, []string{ada}
			h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetIdle, Idle: time.Hour}, Notify: true}
		})
		defer h.end()
		fails := true
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
			if fails {
				return errors.New("out of order")
			}
			say("All is well.")
			return nil
		}
		h.receive(h.group(ada, "Ada", "My cat is called Minka.", true))
		h.settled()
		fails = false
		for _, c := range []struct{ text, names string }{
			{"", "help"}, {"/help", "status"}, {"/help sessions", "sessions"}, {"/nonsense", "help"}, {"/stauts", "status"}, {"/retry now", "retry"},
			{"/title", "title"}, {"/sessions 99", "sessions"}, {"/sessions", "resume"}, {"/memory", "memory"}, {"/approve x", "approve"},
			{"/resume Nothing", "sessions"}, {"/resume 44", "sessions"}, {"/forget", "forget"}, {"/new", "resume"},
		} {
			before := len(h.wire.said())
			h.receive(h.group(ada, "Ada", c.text, true))
			h.settled()
			said := strings.Join(h.wire.said()[before:], "\n")
			if !strings.Contains(said, "!!"+c.names+"@-42:group") {
				t.Errorf("%s: got %q, want %s in the form of the chat", c.text, said, c.names)
			}
		}
		h.receive(h.group(ada, "Ada", "Hello.", true))
		pass(2 * time.Hour)
		h.receive(h.group(ada, "Ada", "Hello again.", true))
		h.settled()
		all := strings.Join(h.wire.said(), "\n")
		for _, text := range []string{"!!retry@-42:group asks again", "!!resume@-42:group brings the old one back"} {
			if !strings.Contains(all, text) {
				t.Errorf("got %q, want %q in it", all, text)
			}
		}
		if other := regexp.MustCompile(`(^|[^\w/])/[a-z]{3,}`).FindString(all); other != "" {
			t.Errorf("got %q, with the command %q in another form", all, other)
		}
	})
}

// addressee is a wire whose bot has a name.
type addressee struct{ *wire }

func (addressee) IsName(name string) bool { return strings.EqualFold(name, "hermes_bot") }

// TestCommandsOfOtherBots: a command that names another bot is not done, and one that names this bot is.
func TestCommandsOfOtherBots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.adapter = addressee{h.wire} })
		defer h.end()
		h.receive(h.dm(ada, "My cat is called Minka."))
		h.settled()
		for _, c := range []struct{ text, want string }{
			{"/new@otherbot", "names another bot"}, {"/undo@otherbot now", "names another bot"}, {"!new@otherbot", "names another bot"},
			{"/frob@otherbot", "names another bot"}, {"/status@hermes_bot", "Messages: 2"}, {"!status@Hermes_Bot", "Messages: 2"},
			{"/title Minka@otherbot", "Minka@otherbot"}, {"/new@hermes_bot", "A new session has begun"},
		} {
			h.receive(h.dm(ada, c.text))
			h.settled()
			if got := h.wire.said()[len(h.wire.said())-1]; !strings.Contains(got, c.want) {
				t.Errorf("%s: got %q, want %q in it", c.text, got, c.want)
			}
		}
	})
}

// TestCommandsOfOtherBotsInAGroup: a group may have several bots. Nothing is said to a command that names another one,
// whatever else would address this bot.
func TestCommandsOfOtherBotsInAGroup(t *testing.T) {
	t.Parallel()
	for _, mention := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) { h.adapter, h.bot.Mention = addressee{h.wire}, mention })
			defer h.end()
			in := func(text string, addressed bool) gateway.Event {
				e := h.group(ada, "Ada", text, addressed)
				e.Place.Thread = "t"
				return e
			}
			h.receive(in("Hello.", true))
			h.settled()
			for _, text := range []string{"/translate@otherbot hola", "/gpt4@otherbot hello", "/2048@otherbot", "/new@otherbot", "!new@otherbot", " /new@otherbot"} {
				for _, addressed := range []bool{true, false} {
					before := len(h.wire.said())
					h.receive(in(text, addressed))
					h.settled()
					if got := h.wire.said()[before:]; len(got) != 0 {
						t.Errorf("%s, addressed %t, mention %t: got %q, want silence", text, addressed, mention, got)
					}
				}
			}
			want(t, "turns", h.model.count(), 1)
			h.receive(in("/status@hermes_bot", true))
			h.settled()
			want(t, "messages", len(h.wire.said()), 2)
			waits, edit := in("Wait for it.", true), in("/new@otherbot", true)
			waits.Message, edit.Kind, edit.Message = "w", gateway.Edited, "w"
			before := len(h.wire.said())
			h.receive(waits, edit)
			h.settled()
			if got := strings.Join(h.wire.said()[before:], "\n"); strings.Contains(got, "another bot") {
				t.Errorf("an edit: got %q, want silence", got)
			}
		})
	}
}

// TestCommandWithDigits: an unknown command is none for the model, also with digits in it. What begins with a digit is no
// command.
func TestCommandWithDigits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for _, c := range []struct{ text, want string }{
			{"/weather2 paris", "There is no such command."}, {"/gpt4", "There is no such command."}, {"/24 is a small network", "You said: /24"},
			{"/v1/models is empty", "You said: /v1"}, {"!weather2 paris", "You said: !weather2"},
		} {
			h.receive(h.dm(ada, c.text))
			h.settled()
			if got := h.wire.said()[len(h.wire.said())-1]; !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: got %q, want %q first", c.text, got, c.want)
			}
		}
	})
}

// TestHelpOfNoCommand: /help with a word says whether there is such a command. What stands behind /start is no command.
func TestHelpOfNoCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for _, c := range []struct{ text, want string }{
			{"/help frob", "There is no such command. /help shows them."}, {"/help stauts", "Did you mean /status"},
			{"/help /frob", "There is no such command"}, {"/help forget", "/forget thing"}, {"/help /new", "end this session"},
			{"/help", "Just write."}, {"/start", "Just write."}, {"/start a1b2c3", "Just write."},
		} {
			h.receive(h.dm(ada, c.text))
			h.settled()
			if got := strings.Join(h.wire.said(), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("%s: got %q, want %q in it", c.text, got, c.want)
			}
			h.wire.mu.Lock()
			h.wire.shown = nil
			h.wire.mu.Unlock()
		}
	})
}
