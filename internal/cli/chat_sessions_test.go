//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// id waits for a session's id behind what was expected last.
func (p *person) id() string {
	p.t.Helper()
	var id string
	eventually(p.t, "the terminal to show a session's id", func() bool {
		at := generatedID.FindStringIndex(p.out.String()[p.seen:])
		if at == nil {
			return false
		}
		id = p.out.String()[p.seen+at[0] : p.seen+at[1]]
		p.seen += at[1]
		return true
	})
	return id
}

// TestChatSessions changes the session in every way a chat can.
func TestChatSessions(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := sit(t, home, nil)
	p.expect("Ctrl-D leaves")
	first := p.id() // in the status
	p.types("My name is Alex.\r")
	p.expect("Noted")
	p.says("/new")
	p.expect("A new session, ")
	second := p.id()
	p.says("What is my name?") // the memory is one
	p.expect("your name is Alex")
	p.says("/fork")
	p.expect("it goes on as ")
	third := p.id()
	if second == third {
		t.Error("the copy has the id of the original")
	}
	p.says("I live in Lisbon.")
	p.expect("Noted")
	p.says("/undo")
	p.expect("Taken back: I live in Lisbon.")
	p.says("/undo")
	p.expect("Taken back: What is my name?")
	p.says("/undo")
	p.expect("nothing")
	p.says("/compress")
	p.expect("nothing to fold")
	p.says("/resume " + second)
	p.expect("Resumed " + second)
	p.says("/reset")
	p.expect("A new session, ")
	last := p.id()
	p.says("/new")
	p.expect("Nothing was said in this session yet")
	p.says("/exit")
	p.leaves(0)
	db := database(t, home)
	for id, want := range map[string]string{first: "reset", second: "user_exit", third: "user_exit"} {
		if got := ask[string](t, db, `SELECT end_reason FROM sessions WHERE id = '`+id+`'`); got != want {
			t.Errorf("session %s: got %q, want %q", id, got, want)
		}
	}
	if n := ask[int](t, db, `SELECT count(*) FROM sessions WHERE id = '`+last+`'`); n != 0 {
		t.Error("a session in which nothing was said is kept")
	}
}

// TestChatRetry asks again, and writes the session to a file.
func TestChatRetry(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{})
	model.Queue(upstreamtest.Reply("Heads."), upstreamtest.Reply("Tails."))
	home := t.TempDir()
	p := sit(t, home, withModel(model))
	p.says("Toss a coin.")
	p.expect("Heads.")
	p.says("/retry")
	p.expect("Again: Toss a coin.")
	p.expect("Tails.")
	if got := lastSaid(t, model); got != "Toss a coin." {
		t.Errorf("the model was asked %q", got)
	}
	file := filepath.Join(home, "out.jsonl")
	p.says("/export " + file)
	p.expect("Wrote ")
	p.says("/export " + file)
	p.expect("Cannot make the file")
	p.says("/exit")
	p.leaves(0)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(bytes.TrimSpace(text), &line); err != nil || len(line.Messages) == 0 {
		t.Errorf("the export: got %q, %v, want one object with the messages", text, err)
	}
}
