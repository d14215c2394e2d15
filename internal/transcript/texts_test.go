package transcript_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// TestForgetWordsOfTheFormat: words of the format, numbers and times are no traces of what
// was said.
func TestForgetWordsOfTheFormat(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.say(me, "one", "the-key", "I like tea.")
	h.say(me, "one", "the-key", "I like coffee.")
	h.hear(me, gateway.Place{Platform: gateway.Telegram, Account: "bot", Chat: "9"}, "Team", "one")
	if _, err := h.curator.Reset(context.Background(), me, "one"); err != nil {
		t.Fatal(err)
	}
	for _, about := range []string{"user", "assistant", "message", "content", "mirror", "2026-03-01", "T12:00", "derived", "telegram", "stop"} {
		out, err := h.curator.Forget(context.Background(), me, about, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range out.Searched {
			if s.Hits > 0 && strings.HasPrefix(s.File, "sessions") {
				t.Errorf("%s: %d are left in %s", about, s.Hits, s.File)
			}
		}
	}
	h.check(me)
}

// TestTexts: whatever a line has beside what this package writes is searched.
func TestTexts(t *testing.T) {
	t.Parallel()
	const message = `{"type":"message","seq":41,"id":4711,"role":"user","content":"I like tea","said_at":"2026-03-01T12:00:01Z"}` + "\n"
	for _, c := range []struct {
		name, line string
		has, lacks string
	}{
		{"sessions/a.jsonl", message, "I like tea", "4711"},
		{"sessions/owner.00/a.jsonl", message, "I like tea", "2026"},
		{"sessions/a.jsonl", strings.Replace(message, `"role"`, `"pin":"4712","role"`, 1), "4712", ""},
		{"sessions/a.jsonl", strings.Replace(message, `4711`, `4711.0`, 1), "4711", ""},
		{"sessions/a.jsonl", strings.TrimSuffix(message, "\n"), "4711", ""},
		{"sessions/a.jsonl", "secret 4711\n", "secret 4711", ""},
		{"sessions/a.txt", message, "4711", ""},
		{"skills/a.jsonl", message, "4711", ""},
		{"sessions/.position", "4711\n", "", "4711"},
		{"sessions/.position", "4711 00112233445566778899aabbccddeeff\n", "", "4711"},
		{"sessions/.position", "4711 and more\n", "4711", ""},
		{"sessions/sessions.json", "{\n", "", "{"},
		{"sessions/sessions.json", `"k": {"secret":4711}` + "\n", "4711", ""},
	} {
		got, err := io.ReadAll(transcript.Texts(c.name, strings.NewReader(c.line)))
		if err != nil || !strings.Contains(string(got), c.has) || c.lacks != "" && strings.Contains(string(got), c.lacks) {
			t.Errorf("%s: %q becomes %q, %v", c.name, c.line, got, err)
		}
	}
}

// FuzzTexts: no line is lost that is not exactly as it is written.
func FuzzTexts(f *testing.F) {
	for _, line := range []string{
		`{"type":"message","seq":1,"id":2,"role":"user","content":"I like tea","said_at":"2026-03-01T12:00:01Z"}`, `{"type":"end","reason":"reset","ended_at":"2026-03-01T12:00:02Z"}`,
		`{"type":"undone","from":2,"to":4,"undone_at":"2026-03-01T12:00:02Z"}`, `{"type":"session","mirror":1,"id":"s","root_id":"s","source":"cli","started_at":"2026-03-01T12:00:01Z"}`,
		`"k": {"session_key":"k","session_id":"s","created_at":"2026-03-01T12:00:01Z","updated_at":"2026-03-01T12:00:01Z","origin":{"platform":"cli"},"display_name":null,"platform":"cli","chat_type":null}`,
		"{", "null", "7", "",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, name := range []string{"sessions/a.jsonl", "sessions/sessions.json", "sessions/.position"} {
			if _, err := io.ReadAll(transcript.Texts(name, strings.NewReader(line))); err != nil {
				t.Fatal(err)
			}
			strange := "zzz" + line // is no line of this package
			first, _, _ := strings.Cut(strange, "\n")
			if got, err := io.ReadAll(transcript.Texts(name, strings.NewReader(strange))); err != nil || !strings.HasPrefix(string(got), first) {
				t.Errorf("%s: %q became %q, %v", name, strange, got, err)
			}
		}
	})
}
