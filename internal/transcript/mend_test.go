package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestDamagedByACrash: what a loss of power leaves of a file that was not durable yet is
// mended at the next start, also in its middle.
func TestDamagedByACrash(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.mustSettle() // the first time, all files are compared
	h.say(me, "s", "", "I like tea.")
	h.say(me, "s", "", "I like coffee.")
	h.mustSettle() // written, and still on the list
	path := filepath.Join(h.home, "sessions", "s.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lost := bytes.Replace(text, []byte(`"content":"I like tea`), []byte("\"content\":\"I like \x00\x00\x00"), 1)
	if err := os.WriteFile(path, lost, 0o600); err != nil {
		t.Fatal(err)
	}
	h.closeDB()
	h.open()
	h.check(me)
}

// TestTornLine: a file that does not end with a line is written anew.
func TestTornLine(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	path := filepath.Join(h.home, "sessions", "s.jsonl")
	for _, cut := range []int64{1, 2, 20} {
		h.say(me, "s", "", "I like tea.")
		h.mustSettle()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, info.Size()-cut); err != nil {
			t.Fatal(err)
		}
		h.say(me, "s", "", "I like coffee.")
		h.check(me)
	}
}

// TestLongLines: the last line is found whatever its length is.
func TestLongLines(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.say(me, "s", "", "I like tea.") // the title comes with the first answer
	for _, n := range []int{1 << 10, 16<<10 - 200, 16 << 10, 40 << 10, 1 << 20} {
		_, _, err := h.curator.Append(t.Context(), &curate.Addition{Owner: me, Session: "s", Messages: []session.Message{
			{Role: session.User, Content: strings.Repeat("x", n), SaidAt: h.clock.Now()},
		}})
		if err != nil {
			t.Fatal(err)
		}
		h.mustSettle()
		before := h.kept()["s.jsonl"]
		h.say(me, "s", "", "I like tea.")
		rewritten := false
		h.mirror.SetStep(func(change string) error {
			rewritten = rewritten || change == "rename s.jsonl"
			return nil
		})
		h.check(me)
		if rewritten || !strings.HasPrefix(h.kept()["s.jsonl"], before) {
			t.Errorf("behind a line of %d bytes, the file was written anew", n)
		}
	}
}

// TestLedWithoutKey: a chat may lead to a session without a key.
func TestLedWithoutKey(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.say(me, "s", "", "I like tea.")
	h.hear(me, gateway.Place{Platform: gateway.Telegram, Account: "bot", Chat: "1"}, "Team", "s")
	h.check(me)
	h.say(me, "s", "", "I like coffee.")
	h.check(me)
}

// TestRoutesBeforeTheList: sessions leave the list only once sessions.json is written, too.
func TestRoutesBeforeTheList(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	for n := range 1100 {
		id := session.ID(fmt.Sprintf("s%d", n))
		at := h.clock.Now()
		err := h.db.CreateSession(t.Context(), me, session.Session{ID: id, RootID: id, Key: session.Key("k" + id), Source: session.SourceAPI, StartedAt: at, LastActive: at})
		if err != nil {
			t.Fatal(err)
		}
	}
	var steps []string
	h.mirror.SetStep(func(change string) error {
		steps = append(steps, change)
		return nil
	})
	if err := h.mirror.Flush(t.Context(), me); err != nil {
		t.Fatal(err)
	}
	h.check(me)
	written, settled := slices.Index(steps, "rename sessions.json"), slices.Index(steps, "sync .")
	if written < 0 || settled < written {
		t.Errorf("sessions.json was written at step %d, the list was shortened at %d", written, settled)
	}
}
