package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestStoppedBeforeItBegan: a command that stops a turn at its very beginning takes nothing away
// that was said. The message waits for a file of the platform; the command comes meanwhile, and is
// done as soon as the turn has begun, and not when the answer is over.
func TestStoppedBeforeItBegan(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"/new", "/stop"} {
		for _, before := range []string{"", "My dog is called Rex."} {
			t.Run(command+" "+before, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { stopAtTheBeginning(t, command, before) })
			})
		}
	}
}

func stopAtTheBeginning(t *testing.T, command, before string) {
	h := setup(t, func(h *house) {
		h.wire.kept = map[string][]byte{"f1": []byte("a note")}
		h.wire.spoil = func(string) error { <-time.After(10 * time.Second); return nil }
	})
	defer h.end()
	kept := 0
	if before != "" {
		h.receive(h.dm(ada, before))
		h.settled()
		kept = 2
	}
	h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
		select {
		case <-time.After(time.Minute):
			say("Seen.")
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	e := h.dm(ada, "My boat is called Lara.")
	e.Files = []gateway.FileRef{{Kind: gateway.Document, Name: "note.txt", Ref: "f1"}}
	h.receive(e)
	pass(3 * time.Second)
	old := h.chat(ada).Session
	h.receive(h.dm(ada, command))
	pass(3 * time.Second)
	want(t, "the session before the turn has begun", h.chat(ada).Session, old)
	pass(10 * time.Second)
	if command == "/new" && h.chat(ada).Session == old {
		t.Error("/new waits for the end of the turn")
	}
	pass(2 * time.Minute)
	h.settled()
	want(t, "messages in the session", len(h.transcript(old)), kept+1)
	said := h.wire.said()
	want(t, "answers", len(said), kept/2+1)
	if command == "/stop" {
		want(t, "what is said last", said[len(said)-1], "Stopped, before there was an answer. What you said is kept.")
	}
}

// TestPeopleWithAnOwnerOfTheirOwn: a person whose private chats are an owner's of their own erases
// there. A person whose words are the operator's does not.
func TestPeopleWithAnOwnerOfTheirOwn(t *testing.T) {
	t.Parallel()
	for data, answer := range map[string]string{"bob": "nothing is left", "": "Only an admin"} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, nil)
			defer h.end()
			h.letIn("49", data)
			h.receive(h.dm("49", "My cat is called Minka."))
			h.settled()
			h.receive(h.dm("49", "/forget Minka --yes"))
			h.settled()
			if said := h.wire.said(); !strings.Contains(said[len(said)-1], answer) {
				t.Errorf("with the owner %q: got %q, want %q in it", data, said[len(said)-1], answer)
			}
		})
	}
}
