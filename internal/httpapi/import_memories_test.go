package httpapi_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// noted is a memory of another program.
type noted struct {
	id, text string
	at       int64
}

// memoryLine is a line of memories that stand alone, with the marks of their ids.
func memoryLine(list ...noted) string {
	slices.SortStableFunc(list, func(a, b noted) int { return cmp.Compare(a.at, b.at) })
	var ms []string
	var marks, ids []byte
	changed := int64(0)
	for _, n := range list {
		ms = append(ms, fmt.Sprintf(`{"role":"assistant","name":"mem","content":%q,"said_at":%d}`, n.text, 1700000000+n.at))
		mark, id := sha256.Sum256([]byte(n.id+"\x00"+n.text)), sha256.Sum256([]byte(n.id))
		marks, ids = append(marks, mark[:lineage.MarkSize]...), append(ids, id[:lineage.MarkSize]...)
		changed = max(changed, 1700000000+n.at)
	}
	return fmt.Sprintf(`{"id":"mem:m","session_key":"me","source":"import","started_at":1700000000,`+
		`"origin":{"system":"mem","id":"m","adds":true,"changed_at":%d,"marks":%q,"texts":%q},"messages":[%s]}`+"\n",
		changed, base64.StdEncoding.EncodeToString(marks), base64.StdEncoding.EncodeToString(ids), strings.Join(ms, ","))
}

// forward checks that the times of a session's messages do not go backward.
func (w *world) forward(id string) {
	w.t.Helper()
	ms, err := w.db.Messages(w.t.Context(), owner.Local(), session.ID(id), session.Range{Standing: true})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 1; i < len(ms); i++ {
		if ms[i].SaidAt.Before(ms[i-1].SaidAt) {
			w.t.Errorf("%s: %q of %v is behind %q of %v", id, ms[i].Content, ms[i].SaidAt, ms[i-1].Content, ms[i-1].SaidAt)
		}
	}
}

const rome, paris, green, fish = "Lives in Rome.", "Lives in Paris.", "Likes green tea.", "Has a fish."

// TestImportEditedMemory: a memory that was edited there takes the place of the old one.
func TestImportEditedMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	first := []noted{{"1", rome, 1}, {"2", green, 2}, {"3", fish, 3}}
	w.imports(t, "", memoryLine(first...), "imported:1 messages:3")
	w.imports(t, "", memoryLine(first...), "unchanged:1")
	edited := memoryLine(noted{"1", paris, 9}, noted{"4", "Owns a boat.", 2}) // a page without the other memories
	w.imports(t, "?dry_run=true", edited, "changed:1 messages:4")
	w.imports(t, "", edited, "changed:1 messages:4")
	w.stands("mem:m", green, "Owns a boat.", fish, paris)
	w.forward("mem:m")
	w.imports(t, "", edited, "unchanged:1")

	w.imports(t, "?dry_run=true", memoryLine(first...), "unchanged:1") // an older export
	w.imports(t, "", memoryLine(first...), "unchanged:1")
	w.stands("mem:m", green, "Owns a boat.", fish, paris)
	w.imports(t, "", memoryLine(noted{"1", rome, 11}, first[1]), "changed:1 messages:1") // and back to the first text
	w.stands("mem:m", green, "Owns a boat.", fish, rome)
	w.imports(t, "", memoryLine(first[1]), "unchanged:1") // an input may lack any memory
	w.states()
}

// TestImportEditedMemoryHere: where the session went on here, memories that were edited there are a session apart.
func TestImportEditedMemoryHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	first := []noted{{"1", rome, 1}, {"2", green, 2}}
	w.imports(t, "", memoryLine(noted{"1", paris, 5}, first[1]), "imported:1 messages:2")
	w.chat("mem:m", "I have a dog, too.")
	w.imports(t, "?dry_run=true", memoryLine(first...), "unchanged:1") // an older export
	w.imports(t, "", memoryLine(first...), "unchanged:1")
	edited := memoryLine(noted{"1", rome, 9}, first[1])
	w.becomes(t, edited, "apart:1 messages:2", "mem:m~2")
	w.stands("mem:m~2", green, rome)
	if got := w.standing("mem:m"); len(got) != 4 || got[1] != paris {
		t.Errorf("ours: got %q", got)
	}
	w.imports(t, "", edited, "unchanged:1")
	w.states()
}

// TestImportMemoriesWithoutIDs: what an earlier version imported gets its ids at the next import, and is not
// added again.
func TestImportMemoriesWithoutIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	first := []noted{{"1", rome, 1}, {"2", green, 2}, {"3", fish, 3}}
	w.imports(t, "", withoutTexts(memoryLine(first...)), "imported:1 messages:3")
	w.imports(t, "", memoryLine(first[0]), "unchanged:1") // in pages
	w.imports(t, "", withoutTexts(memoryLine(first...)), "unchanged:1")
	w.imports(t, "", memoryLine(first[1:]...), "unchanged:1")
	w.imports(t, "", memoryLine(noted{"1", paris, 9}), "changed:1 messages:3")
	w.imports(t, "", memoryLine(noted{"3", "Has a bird.", 10}), "changed:1 messages:2")
	w.stands("mem:m", green, paris, "Has a bird.")
	w.imports(t, "", withoutTexts(memoryLine(noted{"5", "Runs.", 12})), "grown:1 messages:1")
	w.states()
}
