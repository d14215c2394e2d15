package httpapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/lineage"
)

// namedLine is a conversation c of a program whose messages have ids: an edit leaves the ids as they are.
func namedLine(texts ...string) string {
	var ms []string
	var marks, said, sum []byte
	for i, text := range texts {
		role := [...]string{"user", "assistant"}[i%2]
		ms = append(ms, fmt.Sprintf(`{"role":%q,"content":%q,"said_at":%d}`, role, text, 1700000000+i))
		ids, is := sha256.Sum256(fmt.Append(sum, i)), sha256.Sum256([]byte(text))
		sum = ids[:]
		marks, said = append(marks, ids[:lineage.MarkSize]...), append(said, is[:lineage.MarkSize]...)
	}
	return fmt.Sprintf(`{"id":"chat:c","session_key":"me","source":"import","started_at":1700000000,`+
		`"origin":{"system":"chat","id":"c","marks":%q,"texts":%q},"messages":[%s]}`+"\n",
		base64.StdEncoding.EncodeToString(marks), base64.StdEncoding.EncodeToString(said), strings.Join(ms, ","))
}

// withoutTexts is a line as earlier versions of this program wrote it.
func withoutTexts(line string) string {
	before, rest, _ := strings.Cut(line, `,"texts":"`)
	_, after, _ := strings.Cut(rest, `"`)
	return before + after
}

// stands checks the texts of a session that still stand.
func (w *world) stands(id string, want ...string) {
	w.t.Helper()
	if got := w.standing(id); !slices.Equal(got, want) {
		w.t.Errorf("%s: got %q, want %q", id, got, want)
	}
}

const (
	cat, fine, tea, good = "My cat is called Ada. I like it.", "Fine.", "I like tea.", "Good."
	coffee               = "I like coffee."
	forgotten            = "[erased]            \n I like it." // what is left of the first
)

// TestImportEdited: a message that was edited in the other program is seen, although its id is as before.
func TestImportEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", namedLine(cat, fine, tea, good), "imported:1 messages:4")
	w.imports(t, "", namedLine(cat, fine, tea, good), "unchanged:1")
	w.imports(t, "?dry_run=true", namedLine(cat, fine, coffee, good), "changed:1 messages:2")
	w.imports(t, "", namedLine(cat, fine, coffee, good), "changed:1 messages:2")
	w.stands("chat:c", cat, fine, coffee, good)
	w.imports(t, "", namedLine(cat, fine, coffee, good), "unchanged:1")
	w.imports(t, "", namedLine(cat, fine, coffee, "So.", tea), "changed:1 messages:2")
	w.stands("chat:c", cat, fine, coffee, "So.", tea)
	w.chat("chat:c", "I have a dog, too.")
	w.imports(t, "", namedLine(cat, fine, coffee, "So.", tea), "unchanged:1")
	w.imports(t, "", namedLine(cat, fine, tea, "So.", tea), "apart:1 messages:5")
	w.stands("chat:c~2", cat, fine, tea, "So.", tea)
	w.states()
}

// TestImportEditedOlder: an export that is older than the last import takes no edit back.
func TestImportEditedOlder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	older := changedAt(namedLine(cat, fine, tea), 1700000010)
	w.imports(t, "", older, "imported:1 messages:3")
	w.imports(t, "", changedAt(namedLine(cat, fine, coffee), 1700000020), "changed:1 messages:1")
	w.imports(t, "", older, "unchanged:1")
	w.imports(t, "", changedAt(namedLine("Another beginning."), 1700000015), "unchanged:1")
	w.stands("chat:c", cat, fine, coffee)
}

// TestImportWithoutTexts: what an earlier version imported is compared with the messages themselves, once.
func TestImportWithoutTexts(t *testing.T) {
	t.Parallel()
	line := namedLine(cat, fine, tea, good)
	for name, c := range map[string]struct {
		next, want string
		then       []string
	}{
		"unchanged": {line, "unchanged:1", []string{cat, fine, tea, good}},
		"edited":    {namedLine(cat, fine, coffee, good), "changed:1 messages:2", []string{cat, fine, coffee, good}},
		"grown":     {namedLine(cat, fine, tea, good, coffee), "grown:1 messages:1", []string{cat, fine, tea, good, coffee}},
		"both":      {namedLine(cat, "So.", tea, good, coffee), "changed:1 messages:4", []string{cat, "So.", tea, good, coffee}},
		"shorter":   {namedLine(cat, coffee), "unchanged:1", []string{cat, fine, tea, good}}, // an older export
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			w.imports(t, "", withoutTexts(line), "imported:1 messages:4")
			w.imports(t, "", withoutTexts(line), "unchanged:1")
			w.imports(t, "?dry_run=true", c.next, c.want)
			w.imports(t, "", c.next, c.want)
			w.stands("chat:c", c.then...)
			w.imports(t, "", namedLine(slices.Concat(c.then, []string{"End."})...), "grown:1 messages:1")
			w.imports(t, "", namedLine(slices.Concat(c.then, []string{"Other end."})...), "changed:1 messages:1")
			w.states()
		})
	}
}

// TestImportWithoutTextsHere: what was forgotten here, and what was said here, is no edit of the other program.
func TestImportWithoutTextsHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	line := namedLine(cat, fine, tea, good)
	w.imports(t, "", withoutTexts(line), "imported:1 messages:4")
	w.chat("chat:c", "I have a dog, too.")
	w.call("POST", "/api/memory/forget", `{"about":"Ada"}`)
	w.imports(t, "", line, "unchanged:1")
	w.imports(t, "", namedLine(cat, fine, coffee, good), "apart:1 messages:4") // edited since
	w.stands("chat:c~2", forgotten, fine, coffee, good)
}

// TestImportRestore: restore brings back what was forgotten in a session that is there.
func TestImportRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	line := namedLine(coffee, fine, cat, good)
	w.imports(t, "", line, "imported:1 messages:4")
	w.call("POST", "/api/memory/forget", `{"about":"Ada"}`)
	w.stands("chat:c", coffee, fine, forgotten, good)
	w.imports(t, "", line, "unchanged:1")
	w.imports(t, "?restore=true", namedLine(coffee, fine), "unchanged:1") // an older export would take away the rest
	w.imports(t, "?restore=true&dry_run=true", line, "changed:1 messages:2")
	w.imports(t, "?restore=true", line, "changed:1 messages:2")
	w.stands("chat:c", coffee, fine, cat, good)
	w.imports(t, "?restore=true", line, "unchanged:1")
	w.imports(t, "", line, "unchanged:1")

	w.chat("chat:c", "I have a dog, too.")
	w.imports(t, "?restore=true", line, "unchanged:1")
	w.call("POST", "/api/memory/forget", `{"about":"Ada"}`)
	w.imports(t, "?restore=true&dry_run=true", line, "apart:1 messages:4")
	w.imports(t, "?restore=true", line, "apart:1 messages:4")
	w.stands("chat:c~2", coffee, fine, cat, good)
	w.states()
}

// TestImportRestoreAdds: of messages that stand alone, restore adds those of which a part was forgotten.
func TestImportRestoreAdds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	line := addedLine(cat, tea)
	w.imports(t, "", line, "imported:1 messages:2")
	w.call("POST", "/api/memory/forget", `{"about":"Ada"}`)
	w.imports(t, "", line, "unchanged:1")
	w.imports(t, "?restore=true&dry_run=true", addedLine(tea, coffee, cat), "grown:1 messages:2")
	w.imports(t, "?restore=true", addedLine(tea, coffee, cat), "grown:1 messages:2")
	w.stands("mem:m", forgotten, tea, coffee, cat)
	w.imports(t, "?restore=true", line, "unchanged:1")
	w.imports(t, "", addedLine(coffee), "unchanged:1")
}

// reread is a line whose reader has learnt to read the program better: earlier is the line as it was read before.
func reread(line, earlier string) string {
	_, marks, _ := strings.Cut(earlier, `"marks":`)
	marks, _, _ = strings.Cut(marks, "}")
	return strings.Replace(line, `"origin":{`, `"origin":{"earlier":{"marks":`+marks+`},`, 1)
}

// TestImportReread: what an earlier version read with other texts and more messages is read again. Where it was
// continued or undone here, it stays as it is, and becomes no second session.
func TestImportReread(t *testing.T) {
	t.Parallel()
	before := namedLine("[x] "+cat, fine, tea, "[y]", coffee)
	now := reread(namedLine(cat, fine, tea, coffee), before)
	grown := reread(namedLine(cat, fine, tea, coffee, good), namedLine("[x] "+cat, fine, tea, "[y]", coffee, good))
	for name, c := range map[string]struct {
		here       func(w *world)
		next, want string
		then       []string
	}{
		"untouched": {func(*world) {}, now, "changed:1 messages:4", []string{cat, fine, tea, coffee}},
		"grown":     {func(*world) {}, grown, "changed:1 messages:5", []string{cat, fine, tea, coffee, good}},
		"continued": {func(w *world) { w.chat("chat:c", "I ski.") }, now, "unchanged:1", nil},
		"undone":    {func(w *world) { w.call("POST", "/api/sessions/chat:c/undo", "{}") }, now, "unchanged:1", nil},
		"both":      {func(w *world) { w.chat("chat:c", "I ski.") }, grown, "apart:1 messages:5", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			w.imports(t, "", before, "imported:1 messages:5")
			c.here(w)
			if c.then == nil {
				c.then = w.standing("chat:c")
			}
			w.imports(t, "?dry_run=true", c.next, c.want)
			w.imports(t, "", c.next, c.want)
			w.stands("chat:c", c.then...)
			w.imports(t, "", c.next, "unchanged:1")
			w.stands("chat:c", c.then...)
			w.states()
		})
	}
	w := newWorld(t, options{})
	w.imports(t, "", strings.Replace(now, `"earlier":{"marks":"`, `"earlier":{"marks":"AA`, 1), "failed:1")
}
