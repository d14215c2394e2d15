package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// TestTelegram: a stranger is let in with a code, is answered from memory, and is answered
// once by the server that follows one that was killed.
func TestTelegram(t *testing.T) {
	t.Parallel()
	fake := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	home := t.TempDir()
	settings := "platforms:\n  telegram:\n    api_url: " + fake.URL + "\n"
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"TELEGRAM_BOT_TOKEN=" + fake.Token}
	said := func(text string) {
		fake.Emit(t, gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: "Ada", Name: "Ada", Text: text})
	}
	told := func(part string) func() bool {
		return func() bool { return strings.Contains(texts(fake), part) }
	}
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	said("Hello?")
	eventually(t, "a code", told("hermes pairing approve telegram"))
	code := regexp.MustCompile(`approve telegram ([A-Z2-9]{8})`).FindStringSubmatch(texts(fake))[1]
	if out := ran(t, home, env, "pairing", "approve", "telegram", code); !strings.Contains(out, "may write to the bot") {
		t.Fatalf("got %q, want her to be let in", out)
	}
	said("My dog is called Rex.")
	eventually(t, "an answer", func() bool { return len(fake.Sent()) == 2 })
	said("What is my dog called?")
	eventually(t, "an answer from memory", func() bool { return len(fake.Sent()) == 3 && strings.Count(texts(fake), "Rex") == 2 })
	if out := ran(t, home, env, "platforms"); !strings.Contains(out, "connected") || !strings.Contains(out, "telegram") {
		t.Errorf("got %q, want the bot connected", out)
	}
	s.kill()
	said("My cat is called Tom.")
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	eventually(t, "an answer after the kill", func() bool { return len(fake.Sent()) == 4 })
	said("What is my cat called?")
	eventually(t, "an answer from memory", func() bool { return len(fake.Sent()) == 5 && strings.Count(texts(fake), "Tom") == 2 })
	if n := len(fake.Sent()); n != 5 {
		t.Errorf("got %d messages, want a code and four answers: %s", n, texts(fake))
	}
	if out := ran(t, home, env, "platforms", "events"); strings.Count(out, "answered") != 4 {
		t.Errorf("got %q, want four answered", out)
	}
	s.stop()
	if broken := fake.Broken(); len(broken) > 0 {
		t.Errorf("the adapter did what the platform forbids: %v", broken)
	}
}

// texts are the texts of all messages that the bot has sent.
func texts(fake *gatewaytest.Telegram) string {
	var all []string
	for _, m := range fake.Sent() {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// ran runs a command, which must succeed, and returns what it printed.
func ran(t *testing.T, home string, env []string, args ...string) string {
	t.Helper()
	out, err := command(t, home, env, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("hermes %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
