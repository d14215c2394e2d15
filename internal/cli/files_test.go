package cli_test

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestFiles: a photo, a voice message and a text are answered once by the server that follows
// one that was killed during the downloads. What is forgotten is in no file.
func TestFiles(t *testing.T) {
	t.Parallel()
	fake := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	model := upstreamtest.New(t, upstreamtest.Options{
		Heard:   func(recording []byte) string { return "My cat is called " + string(recording) + "." },
		Default: func(*upstreamtest.Request) upstreamtest.Step { return upstreamtest.Reply("I see.") },
	})
	home := t.TempDir()
	settings := "platforms:\n  telegram:\n    api_url: " + fake.URL + "\ngateway: {vision: true, transcribe_model: whisper-1}\nsession_reset: {mode: none}\n"
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"TELEGRAM_BOT_TOKEN=" + fake.Token, "HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m"}
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	fake.Emit(t, gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: "Ada", Name: "Ada", Text: "Hello?"})
	eventually(t, "a code", func() bool { return strings.Contains(texts(fake), "approve telegram") })
	ran(t, home, env, "pairing", "approve", "telegram", regexp.MustCompile(`approve telegram ([A-Z2-9]{8})`).FindStringSubmatch(texts(fake))[1])

	photo := "\x89PNG\r\n\x1a\nRex"
	hold := make(chan struct{})
	fake.Script("file", gatewaytest.TelegramStep{}, gatewaytest.TelegramStep{Hold: hold})
	send := func(kind gateway.FileKind, name, text, content string) {
		fake.Emit(t, gatewaytest.Act{
			Kind: gateway.Said, Type: gateway.DM, Chat: "Ada", Name: "Ada", Text: text, File: &gateway.File{Name: name, Data: []byte(content)}, FileKind: kind,
		})
	}
	send(gateway.Photo, "", "This is my dog Rex.", photo)
	send(gateway.Voice, "", "", "Tom")
	send(gateway.Document, "list.txt", "", "milk\nbread\n")
	eventually(t, "the second download", func() bool { return len(fake.Requests("file")) == 2 })
	s.kill()
	close(hold)
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	eventually(t, "an answer", func() bool { return len(fake.Sent()) == 2 })
	if kept := kept(t, home); len(kept) != 3 || len(fake.Requests("file")) != 4 {
		t.Errorf("got the files %q after %d downloads, want 3 after 4: the photo once, the one that was cut off twice", kept, len(fake.Requests("file")))
	}
	checkShown(t, model, photo)

	asked := len(model.Requests())
	fake.Emit(t, gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: "Ada", Name: "Ada", Text: "What is my cat called?"})
	eventually(t, "a second answer", func() bool { return len(fake.Sent()) == 3 })
	for _, r := range model.Requests()[asked:] {
		if body := string(r.Body); strings.HasSuffix(r.Path, "/chat/completions") && (strings.Contains(body, "base64") || !strings.Contains(body, "[photo, 11 B, file_")) {
			t.Errorf("got %s, want the line of the photo without the photo", body)
		}
	}
	if out := ran(t, home, env, "forget", "--about", "Rex", "--yes"); !strings.Contains(out, "files") {
		t.Errorf("got %q, want the directory of files among what was searched", out)
	}
	if got := kept(t, home); len(got) != 2 || slices.Contains(got, photo) {
		t.Errorf("got the files %q, want them without the photo", got)
	}
	id := regexp.MustCompile(`\d{8}_\d{6}_[0-9a-f]{8}`).FindString(ran(t, home, env, "sessions", "list"))
	ran(t, home, env, "sessions", "delete", id, "--yes")
	if got := kept(t, home); len(got) > 0 {
		t.Errorf("got the files %q after the session was deleted, want none", got)
	}
	s.stop()
	if broken := fake.Broken(); len(broken) > 0 {
		t.Errorf("the adapter did what the platform forbids: %v", broken)
	}
}

// checkShown checks that the model was sent the photo, the words of the voice message and the
// quoted text, in one turn.
func checkShown(t *testing.T, model *upstreamtest.Server, photo string) {
	t.Helper()
	turns := 0
	for _, r := range model.Requests() {
		if !strings.HasSuffix(r.Path, "/chat/completions") {
			continue
		}
		turns++
		for _, part := range []string{
			"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(photo)), "This is my dog Rex.", "My cat is called Tom.",
			`[document list.txt, 11 B, file_`, `\n> milk\n> bread`,
		} {
			if !strings.Contains(string(r.Body), part) {
				t.Errorf("got the request %s, want it to contain %s", r.Body, part)
			}
		}
	}
	if turns != 1 {
		t.Errorf("the model was asked %d times, want once", turns)
	}
}

// kept are the contents of the files that are kept in a home.
func kept(t *testing.T, home string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(home, "files"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out = append(out, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
