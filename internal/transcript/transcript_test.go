package transcript_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// check settles and compares.
func (h *house) check(owners ...owner.Owner) {
	h.t.Helper()
	h.mustSettle()
	if got := h.problems(owners...); got != "" {
		h.t.Error(got)
	}
}

func TestFilesOfAConversation(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.say(me, "s1", "the-key", "We use Redis for the cache.")
	h.check(me)
	files := h.kept()
	for _, want := range []string{`{"type":"session","mirror":1,"id":"s1"`, `"role":"user","content":"We use Redis for the cache."`, `"role":"assistant"`} {
		if !strings.Contains(files["s1.jsonl"], want) {
			t.Errorf("the file lacks %s:\n%s", want, files["s1.jsonl"])
		}
	}
	if !strings.Contains(files["sessions.json"], `"the-key": {"session_key":"the-key","session_id":"s1",`) {
		t.Errorf("sessions.json: %s", files["sessions.json"])
	}
	h.say(me, "s1", "the-key", "And Postgres for the rest.")
	h.check(me)
	if got := h.kept()["s1.jsonl"]; !strings.HasPrefix(got, files["s1.jsonl"]) {
		t.Errorf("a turn did not add to the file:\n%s\nwas\n%s", got, files["s1.jsonl"])
	}
	if _, err := h.curator.Undo(context.Background(), me, "s1"); err != nil {
		t.Fatal(err)
	}
	h.check(me)
	if got := h.kept()["s1.jsonl"]; !strings.Contains(got, `{"type":"undone","from":2,"to":4,`) {
		t.Errorf("the undo is missing:\n%s", got)
	}
	next, err := h.curator.Reset(context.Background(), me, "s1")
	if err != nil {
		t.Fatal(err)
	}
	h.check(me)
	files = h.kept()
	if !strings.Contains(files["s1.jsonl"], `{"type":"end","reason":"reset",`) || !strings.Contains(files["sessions.json"], `"session_id":"`+string(next.ID)+`"`) {
		t.Errorf("after a reset: %s\n%s", files["s1.jsonl"], files["sessions.json"])
	}
	if _, err := h.curator.Delete(context.Background(), me, "s1", nil); err != nil {
		t.Fatal(err)
	}
	h.check(me)
	if _, there := h.kept()["s1.jsonl"]; there {
		t.Error("the file of a deleted session is still there")
	}
}

func TestRoutesOfChats(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	group := gateway.Place{Platform: gateway.Telegram, Account: "bot", Chat: "-100"}
	thread := group
	thread.Thread = "7"
	key := session.Key("agent:main:telegram:group:-100")
	h.say(me, "main", key, "Hello.")
	h.say(me, "topic", key, "Hello there.")
	h.hear(me, group, "The team", "main")
	h.hear(me, thread, "The team", "topic")
	h.check(me)
	got := h.kept()["sessions.json"]
	for _, want := range []string{
		`"agent:main:telegram:group:-100": {"session_key":"agent:main:telegram:group:-100","session_id":"main",`,
		`"agent:main:telegram:group:-100:7": {"session_key":"agent:main:telegram:group:-100","session_id":"topic",`,
		`"origin":{"platform":"telegram","account":"bot","chat_id":"-100","chat_name":"The team","chat_type":"group","thread_id":"7"},"display_name":"The team","platform":"telegram","chat_type":"group"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("sessions.json lacks %s:\n%s", want, got)
		}
	}
	if err := h.db.LeadChat(context.Background(), me, group, "main", "topic", ""); err != nil {
		t.Fatal(err)
	}
	h.check(me)
}

// TestRoutesOfOneName: an id of a chat at a bridge can look like that of another chat with a thread behind it, a key of a
// client can look like a route, and two bots can share a key. Each has its entry, and the names stay as they are when another one is
// active.
func TestRoutesOfOneName(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	at := func(account, chat, thread string) gateway.Place {
		return gateway.Place{Platform: "matrix", Account: account, Chat: chat, Thread: thread}
	}
	places := []struct {
		at gateway.Place
		to session.ID
	}{
		{at("bridge", "room", "1"), "s1"}, {at("bridge", "room:1", ""), "s2"}, {at("bridge", "room", ""), "s3"}, {at("bridge", "a:b", "c"), "s4"},
		{at("bridge", "a", "b:c"), "s5"}, {at("one", "42", ""), "s6"}, {at("two", "42", ""), "s7"}, {at("bridge", "x", "y"), "s8"}, {at("bridge", "plain", "z"), "s9"},
	}
	for _, p := range places {
		h.say(me, p.to, session.Key("agent:main:telegram:group:"+p.at.Chat), "Hello.")
		h.hear(me, p.at, "The team", p.to)
	}
	h.say(me, "s10", "agent:main:telegram:group:x:y", "Hello.") // of a client
	names := make(map[string]string)
	for round := range 2 {
		h.check(me)
		var all map[string]transcript.Entry
		if err := json.Unmarshal([]byte(h.kept()["sessions.json"]), &all); err != nil {
			t.Fatal(err)
		}
		leads := make(map[string]string)
		for name, e := range all {
			leads[string(e.Session)] = strings.TrimPrefix(name, "agent:main:telegram:group:")
		}
		for _, plain := range []string{"s2", "s3", "s9", "s10"} {
			if want := map[string]string{"s2": "room:1", "s3": "room", "s9": "plain:z", "s10": "x:y"}[plain]; leads[plain] != want {
				t.Errorf("the route to %s is called %q, want %q", plain, leads[plain], want)
			}
		}
		if round > 0 {
			delete(leads, "s6") // the two bots of one key: the one that was active last has the key as its name
			delete(leads, "s7")
			delete(names, "s6")
			delete(names, "s7")
			if diff := cmp.Diff(names, leads); diff != "" {
				t.Errorf("the names have changed (-before +after):\n%s", diff)
			}
		}
		if names = leads; len(leads) != len(places)+1-2*round {
			t.Errorf("got %d routes: %v", len(leads), leads)
		}
		h.clock.Advance(time.Minute)
		h.hear(me, places[0].at, "The team", "s1")
		h.hear(me, places[4].at, "The team", "s5")
	}
}

// TestStrangeIDs: what no safe name is gets a hash, and nothing is written elsewhere.
func TestStrangeIDs(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me, other := owner.Local(), owner.Stored("other/../owner")
	for _, id := range []session.ID{"../../outside", "/etc/passwd", "a/b", ".position", "..", "sessions.json", "CON", "com1", "user:42", "ÄÖ", "S1", "s1", "-rf", session.ID(strings.Repeat("x", 65))} {
		h.say(me, id, "", "I like tea.")
		h.say(other, id, "", "I like coffee.")
	}
	h.check(me, other)
	entries, err := os.ReadDir(h.home)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "sessions" && !strings.HasPrefix(e.Name(), "state.db") {
			t.Errorf("the home has %s", e.Name())
		}
	}
}

// TestForeignFiles: files of other programs stay as they are, whatever they are named.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	dir := filepath.Join(h.home, "sessions")
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	for path, text := range map[string]string{
		outside: "precious", filepath.Join(dir, "mine.jsonl"): `{"role":"session_meta"}` + "\n", filepath.Join(dir, "notes.txt"): "notes",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "linked.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, ".writing")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []session.ID{"mine", "linked", "dir"} {
		h.say(me, id, "", "I like tea.")
	}
	h.mustSettle()
	if _, err := h.mirror.Rebuild(context.Background(), me); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "linked.jsonl")); err != nil {
		t.Fatal(err)
	}
	files := h.kept()
	if files["mine.jsonl"] != `{"role":"session_meta"}`+"\n" || files["notes.txt"] != "notes" {
		t.Errorf("files of other programs were changed: %q", files)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "precious" {
		t.Errorf("outside the home: %q, %v", text, err)
	}
	for _, id := range []session.ID{"mine", "linked", "dir"} {
		if !strings.Contains(files[transcript.HashedName(id)], "I like tea.") {
			t.Errorf("session %s has no file", id)
		}
	}
}

// TestLinkedDirectory: a link in place of the directory leads nowhere.
func TestLinkedDirectory(t *testing.T) {
	t.Parallel()
	h := setup(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(h.home, "sessions")); err != nil {
		t.Fatal(err)
	}
	h.say(owner.Local(), "s", "", "I like tea.")
	if err := h.settle(); err == nil {
		t.Error("the mirror wrote through a link")
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Errorf("outside the home: %v, %v", list, err)
	}
}

// TestForgetLeavesNothing: after a forgetting no file has a byte of the thing, and the store's list
// names no session.
func TestForgetLeavesNothing(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.say(me, "work", "the-key", "We moved from Acme to Postgres. The sky is blue.")
	h.say(me, "acme-notes", "", "Nothing of note.")
	h.hear(me, gateway.Place{Platform: gateway.Telegram, Account: "bot", Chat: "9"}, "Acme Corp", "work")
	h.mustSettle()
	h.say(me, "work", "the-key", "Acme is gone.") // not written yet
	out, err := h.curator.Forget(context.Background(), me, "Acme", false)
	if err != nil {
		t.Fatal(err)
	}
	if out.Left != 0 {
		t.Errorf("the certificate counts %d: %+v", out.Left, out.Searched)
	}
	searched := false
	for _, s := range out.Searched {
		searched = searched || s.File == filepath.Join("sessions", "work.jsonl")
	}
	if !searched {
		t.Errorf("the transcripts were not searched: %+v", out.Searched)
	}
	for name, text := range h.kept() {
		if strings.Contains(strings.ToLower(name+text), "acme") {
			t.Errorf("%s still has it: %s", name, text)
		}
	}
	if got := h.kept()["work.jsonl"]; !strings.Contains(got, "The sky is blue.") {
		t.Errorf("the rest is gone: %s", got)
	}
	h.check(me)
}

// TestWrittenBehindTheCommit: the running mirror writes what was said, and at its end what
// was said last.
func TestWrittenBehindTheCommit(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.mirror.Start(t.Context())
	began := time.Now()
	h.say(me, "s", "k", "I like tea.")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for h.problems(me) != "" {
		if time.Since(began) > 30*time.Second {
			t.Fatal(h.problems(me))
		}
		<-tick.C
	}
	t.Logf("written after %v", time.Since(began))
	h.say(me, "s", "k", "I like coffee, too.")
	if err := h.mirror.Close(); err != nil {
		t.Fatal(err)
	}
	if got := h.problems(me); got != "" {
		t.Error(got)
	}
	if list, err := h.db.TranscriptChanges(t.Context(), 10); err != nil || len(list) != 0 {
		t.Errorf("an orderly end leaves %v, %v on the list", list, err)
	}
}

// TestMissingFiles: deleted files come back with the directory's position, or by a rebuild.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me, other := owner.Local(), owner.Stored("other")
	h.say(me, "a", "k", "I like tea.")
	h.say(other, "b", "", "I like coffee.")
	if err := h.mirror.Flush(t.Context(), me); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(h.home, "sessions")
	if err := os.RemoveAll(dir); err != nil { // the program runs on
		t.Fatal(err)
	}
	h.check(me, other)
	if err := os.RemoveAll(dir); err != nil { // between two starts
		t.Fatal(err)
	}
	h.renew()
	h.check(me, other)
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(`{"type":"session","mirror":1,"id":"a",}`), 0o600); err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(dir, "gone.jsonl")
	if err := os.WriteFile(stray, []byte(`{"type":"session","mirror":1,"id":"gone"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := h.mirror.Rebuild(t.Context(), me)
	if err != nil || got.Sessions != 1 || got.Messages != 2 {
		t.Errorf("rebuild: got %+v, %v, want the owner's session with 2 messages", got, err)
	}
	h.check(me, other)
}

// TestOlderDatabase: a database from a backup is not what the files show.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	path := filepath.Join(h.home, "state.db")
	h.say(me, "a", "", "I like tea.")
	if err := h.mirror.Flush(t.Context(), me); err != nil {
		t.Fatal(err)
	}
	h.closeDB()
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.open()
	for _, id := range []session.ID{"b", "c"} {
		h.say(me, id, "", "I like coffee.")
		if err := h.mirror.Flush(t.Context(), me); err != nil {
			t.Fatal(err)
		}
	}
	h.closeDB()
	if err := os.WriteFile(path, backup, 0o600); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.check(me)
}

// TestRemove: switched off, the files go, and those of others stay.
func TestRemove(t *testing.T) {
	t.Parallel()
	h := setup(t)
	if err := transcript.Remove(h.home); err != nil { // nothing to remove
		t.Fatal(err)
	}
	h.say(owner.Local(), "a", "k", "I like tea.")
	h.say(owner.Stored("other"), "b", "k", "I like tea.")
	h.mustSettle()
	notes := filepath.Join(h.home, "sessions", "notes.jsonl")
	if err := os.WriteFile(notes, []byte("notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := transcript.Remove(h.home); err != nil {
		t.Fatal(err)
	}
	if got := h.kept(); len(got) != 1 || got["notes.jsonl"] != "notes\n" {
		t.Errorf("left: %q", got)
	}
}
