package httpapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// foreignLine is a conversation c of another program, in which these texts were said, users
// and assistants in turn.
func foreignLine(key string, texts ...string) string {
	var ms []string
	var marks, sum []byte
	for i, text := range texts {
		role := [...]string{"user", "assistant"}[i%2]
		ms = append(ms, fmt.Sprintf(`{"role":%q,"content":%q,"said_at":%d}`, role, text, 1700000000+i))
		h := sha256.Sum256(append(sum, text...))
		sum = h[:]
		marks = append(marks, sum[:lineage.MarkSize]...)
	}
	return fmt.Sprintf(`{"id":"chat:c","session_key":%q,"source":"import","started_at":1700000000,"origin":{"system":"chat","id":"c","marks":%q},"messages":[%s]}`+"\n",
		key, base64.StdEncoding.EncodeToString(marks), strings.Join(ms, ","))
}

// changedAt is a line of a conversation that the other program changed at a time.
func changedAt(line string, at int64) string {
	return strings.Replace(line, `"origin":{`, fmt.Sprintf(`"origin":{"changed_at":%d,`, at), 1)
}

// standing are the texts of a session that still stand.
func (w *world) standing(id string) []string {
	w.t.Helper()
	tip, err := w.db.Tip(context.Background(), owner.Local(), session.ID(id))
	if err != nil {
		w.t.Fatalf("find %s: %v", id, err)
	}
	ms, err := w.db.Messages(context.Background(), owner.Local(), tip.RootID, session.Range{Standing: true})
	if err != nil {
		w.t.Fatalf("read %s: %v", id, err)
	}
	var texts []string
	for i := range ms {
		texts = append(texts, ms[i].Content)
	}
	return texts
}

// imports sends a line and checks the counts of the reply, such as `grown:1 messages:2`. It returns the reply.
func (w *world) imports(t *testing.T, query, line, want string) string {
	t.Helper()
	got := w.call("POST", "/api/sessions/import"+query, line)
	var counts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(got.body), &counts); err != nil {
		t.Fatalf("got %s", got.body)
	}
	var said []string
	for _, name := range []string{"imported", "unchanged", "grown", "changed", "apart", "deleted", "failed", "messages"} {
		if n := string(counts[name]); n != "" && n != "0" {
			said = append(said, name+":"+n)
		}
	}
	if text := strings.Join(said, " "); text != want {
		t.Fatalf("got %s, want %s: %s", text, want, got.body)
	}
	return got.body
}

func TestImportAgain(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "me"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			stands := func(id string, want ...string) {
				t.Helper()
				if got := w.standing(id); !slices.Equal(got, want) {
					t.Errorf("%s: got %q, want %q", id, got, want)
				}
			}
			w.imports(t, "", foreignLine(key, "My cat is called Ada.", "Fine."), "imported:1 messages:2")
			w.imports(t, "", foreignLine(key, "My cat is called Ada.", "Fine."), "unchanged:1")
			w.imports(t, "", foreignLine(key, "My cat is called Ada.", "Fine.", "I like tea.", "Good."), "grown:1 messages:2")
			stands("chat:c", "My cat is called Ada.", "Fine.", "I like tea.", "Good.")
			w.imports(t, "", foreignLine(key, "My cat is called Ada.", "Fine.", "I like coffee.", "So."), "changed:1 messages:2")
			stands("chat:c", "My cat is called Ada.", "Fine.", "I like coffee.", "So.")
			older := foreignLine(key, "My cat is called Ada.", "Fine.")
			w.imports(t, "", older, "unchanged:1") // what an older export lacks stays
			w.imports(t, "", changedAt(older, 1700000003), "unchanged:1")
			stands("chat:c", "My cat is called Ada.", "Fine.", "I like coffee.", "So.")
			w.imports(t, "?dry_run=true", changedAt(older, 1700000004), "changed:1")
			w.imports(t, "", changedAt(older, 1700000004), "changed:1") // its end was deleted there
			stands("chat:c", "My cat is called Ada.", "Fine.")
			w.imports(t, "", foreignLine(key, "My cat is called Ada.", "Fine."), "unchanged:1")
			w.imports(t, "", foreignLine(key, "My cat is called Ada.", "Fine.", "I like milk.", "Yes."), "grown:1 messages:2")
			stands("chat:c", "My cat is called Ada.", "Fine.", "I like milk.", "Yes.")
			w.states()
		})
	}
}

// becomes imports a line that becomes a session apart, and checks that a dry run names that session before.
func (w *world) becomes(t *testing.T, line, want, id string) {
	t.Helper()
	note := fmt.Sprintf(`"fate":"apart","session_id":%q`, id)
	for _, query := range []string{"?dry_run=true", ""} {
		if got := w.imports(t, query, line, want); !strings.Contains(got, note) {
			t.Errorf("%q: got %s, want %s", query, got, note)
		}
	}
}

func TestImportContinuedHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", foreignLine("", "My cat is called Ada.", "Fine."), "imported:1 messages:2")
	w.chat("chat:c", "I have a dog, too.")
	w.imports(t, "", foreignLine("", "My cat is called Ada.", "Fine."), "unchanged:1")
	longer := []string{"My cat is called Ada.", "Fine.", "I like tea.", "Good."}
	w.becomes(t, foreignLine("", longer...), "apart:1 messages:4", "chat:c~2")
	if got := w.standing("chat:c"); len(got) != 4 || got[2] != "I have a dog, too." {
		t.Errorf("ours: got %q", got)
	}
	if got := w.standing("chat:c~2"); !slices.Equal(got, longer) {
		t.Errorf("theirs: got %q", got)
	}
	w.imports(t, "", foreignLine("", longer...), "unchanged:1")
	w.imports(t, "", foreignLine("", append(longer, "And milk.", "So.")...), "grown:1 messages:2")
	if got := w.standing("chat:c~2"); len(got) != 6 {
		t.Errorf("theirs, grown: got %q", got)
	}
	w.call("POST", "/api/sessions/chat:c~2/undo", "") // undone here, grown there
	w.call("POST", "/api/sessions/chat:c~2/undo", "")
	w.becomes(t, foreignLine("", append(longer, "And milk.", "So.", "Ink.", "Ok.")...), "apart:1 messages:8", "chat:c~3")
	w.states()
}

func TestImportDeletedHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	line := foreignLine("", "My cat is called Ada.", "Fine.")
	w.imports(t, "", line, "imported:1 messages:2")
	w.call("DELETE", "/api/sessions/chat:c", "")
	w.imports(t, "", line, "deleted:1")
	w.imports(t, "?restore=true", line, "imported:1 messages:2")
	w.imports(t, "", line, "unchanged:1")
}

// TestImportDeletedApart: a session apart that was deleted here is left out while the session that went on here stays.
// The note names that session, and restore brings the deleted one back beside it.
func TestImportDeletedApart(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]func(texts ...string) string{
		"conversation": func(texts ...string) string { return foreignLine("", texts...) },
		"memories": func(texts ...string) string {
			return strings.NewReplacer(`"mem:m"`, `"chat:c"`, `"system":"mem","id":"m"`, `"system":"chat","id":"c"`).Replace(addedLine(texts...))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			longer := []string{"My cat is called Ada.", "Fine.", "I like tea.", "Good."}
			w.imports(t, "", foreignLine("", longer[:2]...), "imported:1 messages:2")
			w.chat("chat:c", "I have a dog, too.")
			w.becomes(t, foreignLine("", longer...), "apart:1 messages:4", "chat:c~2")
			ours := w.standing("chat:c")
			w.call("DELETE", "/api/sessions/chat:c~2", "")
			longer = append(longer, "And milk.", "So.")
			for _, query := range []string{"?dry_run=true", ""} {
				if got := w.imports(t, query, line(longer...), "deleted:1"); !strings.Contains(got, `"fate":"deleted","session_id":"chat:c"`) {
					t.Errorf("%q: got %s, want the session that stays", query, got)
				}
			}
			for _, query := range []string{"?dry_run=true&restore=true", "?restore=true"} {
				if got := w.imports(t, query, line(longer...), "apart:1 messages:6"); !strings.Contains(got, `"session_id":"chat:c~2"`) {
					t.Errorf("%q: got %s, want chat:c~2", query, got)
				}
			}
			if got := w.standing("chat:c~2"); !slices.Equal(got, longer) {
				t.Errorf("theirs: got %q, want %q", got, longer)
			}
			if got := w.standing("chat:c"); !slices.Equal(got, ours) {
				t.Errorf("ours: got %q, want %q", got, ours)
			}
			w.imports(t, "", line(longer...), "unchanged:1")
			w.call("DELETE", "/api/sessions/chat:c~2", "")
			w.call("DELETE", "/api/sessions/chat:c", "")
			if got := w.imports(t, "", line(longer...), "deleted:1"); strings.Contains(got, `"session_id"`) {
				t.Errorf("both deleted: got %s, want no session that stays", got)
			}
			w.imports(t, "?restore=true", line(longer...), "imported:1 messages:6")
			w.states()
		})
	}
}

func TestImportMarks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	good := foreignLine("", "one", "two")
	for name, line := range map[string]string{
		"too few":  strings.Replace(good, `"marks":"`, `"marks":"","x":"`, 1),
		"too many": strings.Replace(good, `,{"role":"assistant","content":"two","said_at":1700000001}`, "", 1),
		"odd":      strings.Replace(good, `"marks":"`, `"marks":"AAAA","x":"`, 1),
		"no name":  strings.Replace(good, `"system":"chat"`, `"system":""`, 1),
	} {
		if got := w.call("POST", "/api/sessions/import", line); !strings.Contains(got.body, "invalid_export") {
			t.Errorf("%s: got %s", name, got.body)
		}
	}
	w.imports(t, "", good, "imported:1 messages:2")
}

// addedLine is a line of memories that stand alone.
func addedLine(texts ...string) string {
	var ms []string
	var marks []byte
	for i, text := range texts {
		ms = append(ms, fmt.Sprintf(`{"role":"user","content":%q,"said_at":%d}`, text, 1700000000+i))
		sum := sha256.Sum256([]byte(text))
		marks = append(marks, sum[:lineage.MarkSize]...)
	}
	return fmt.Sprintf(`{"id":"mem:m","source":"import","started_at":1700000000,"origin":{"system":"mem","id":"m","adds":true,"marks":%q},"messages":[%s]}`+"\n",
		base64.StdEncoding.EncodeToString(marks), strings.Join(ms, ","))
}

// TestImportAdds: of messages that stand alone, each page adds what is not stored, in any order.
func TestImportAdds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	const ada, tea, oslo, ink = "My cat is called Ada.", "I like tea.", "I live in Oslo.", "I need ink."
	w.imports(t, "", addedLine(ada, tea), "imported:1 messages:2")
	w.imports(t, "?dry_run=true", addedLine(oslo, tea), "grown:1 messages:1")
	w.imports(t, "", addedLine(oslo, tea), "grown:1 messages:1")
	w.imports(t, "", addedLine(tea), "unchanged:1")
	w.chat("mem:m", "I have a dog, too.")
	w.imports(t, "", addedLine(ink, ada), "grown:1 messages:1")
	w.imports(t, "", addedLine(oslo, ada, ink), "unchanged:1")
	got := w.standing("mem:m")
	if want := []string{ada, tea, oslo, "I have a dog, too."}; len(got) != 6 || !slices.Equal(got[:4], want) || got[5] != ink {
		t.Errorf("got %q", got)
	}
	w.states()
}

// TestImportTwiceAtOnce: of two imports of one conversation at the same time, one stores the conversation and the
// other one finds it.
func TestImportTwiceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for n := range 40 {
		line := strings.NewReplacer(`"chat:c"`, fmt.Sprintf(`"chat:c%d"`, n), `"id":"c"`, fmt.Sprintf(`"id":"c%d"`, n)).
			Replace(foreignLine("me", "I live in Lima.", "Noted.", "I like tea.", "Noted."))
		var said [2]string
		var both sync.WaitGroup
		for i := range said {
			both.Go(func() { said[i] = w.call("POST", "/api/sessions/import", line).body })
		}
		both.Wait()
		all := strings.Join(said[:], "")
		if strings.Count(all, `"imported":1`) != 1 || strings.Count(all, `"unchanged":1`) != 1 || strings.Contains(all, `"failed":1`) {
			t.Fatalf("conversation %d: got %q, want one imported and one unchanged", n, said)
		}
	}
}

// TestImportFormerly: a conversation that an earlier version has stored under another id is the same one, also if it
// was deleted here.
func TestImportFormerly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	texts := []string{"My cat is called Ada.", "Fine.", "I like tea."}
	old := strings.NewReplacer("chat:c", "chat:c.old", `"id":"c"`, `"id":"c.old"`)
	w.imports(t, "", old.Replace(foreignLine("", texts[:2]...)), "imported:1 messages:2")
	now := func(n int, ids string) string {
		return strings.Replace(foreignLine("", texts[:n]...), `"origin":{`, `"origin":{"formerly":`+ids+`,`, 1)
	}
	w.imports(t, "?dry_run=true", now(2, `["c.never","c.old"]`), "unchanged:1")
	w.imports(t, "", now(2, `["c.never","c.old"]`), "unchanged:1")
	w.imports(t, "", now(3, `["c.old"]`), "grown:1 messages:1")
	if got := w.standing("chat:c.old"); !slices.Equal(got, texts) {
		t.Errorf("got %q, want %q", got, texts)
	}
	w.call("DELETE", "/api/sessions/chat:c.old", "")
	w.imports(t, "", now(3, `["c.old"]`), "deleted:1")
	w.imports(t, "?restore=true", now(3, `["c.old"]`), "imported:1 messages:3")
	w.imports(t, "", now(3, `["c.never"]`), "failed:1") // a session has that id
	w.imports(t, "", now(3, `[""]`), "failed:1")
	w.imports(t, "", now(3, `["1","2","3","4","5","6","7","8","9"]`), "failed:1")
}

// TestImportOtherKey: the reply counts the conversations that are there with another session key than their lines.
func TestImportOtherKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	texts := []string{"My cat is called Ada.", "Fine.", "I like tea."}
	w.imports(t, "", foreignLine("me", texts[:2]...), "imported:1 messages:2")
	const told = `"other_keys":[{"session_key":"me","conversations":1}]`
	for _, query := range []string{"?dry_run=true", ""} {
		if got := w.imports(t, query, foreignLine("other", texts[:2]...), "unchanged:1"); !strings.Contains(got, told) {
			t.Errorf("%q: got %s, want %s", query, got, told)
		}
	}
	if got := w.imports(t, "", foreignLine("", texts...), "grown:1 messages:1"); !strings.Contains(got, told) {
		t.Errorf("grown: got %s, want %s", got, told)
	}
	if got := w.imports(t, "", foreignLine("me", texts...), "unchanged:1"); strings.Contains(got, "other_keys") {
		t.Errorf("the same key: got %s", got)
	}
}
