package httpapi_test

import (
	"encoding/json"
	"testing"
)

// TestImportCounts: the reply counts the messages that were undone, the memories that were edited, and those that the
// line lacks; a dry run counts the same.
func TestImportCounts(t *testing.T) {
	t.Parallel()
	type counts struct{ Undone, Edited, Absent int }
	first := []noted{{"1", rome, 1}, {"2", green, 2}, {"3", fish, 3}}
	older := memoryLine(first...)
	for name, c := range map[string]struct {
		before, line, fate string
		want               counts
	}{
		"memories, the same":         {older, older, "unchanged:1", counts{}},
		"memories, a page":           {older, memoryLine(first[1]), "unchanged:1", counts{Absent: 2}},
		"memories, grown":            {older, memoryLine(noted{"4", "Runs.", 9}), "grown:1 messages:1", counts{Absent: 3}},
		"memories, edited":           {older, memoryLine(noted{"1", paris, 9}, first[1], first[2]), "changed:1 messages:3", counts{Undone: 3, Edited: 1}},
		"memories, the last edited":  {older, memoryLine(first[0], first[1], noted{"3", "Has a bird.", 9}), "changed:1 messages:1", counts{Undone: 1, Edited: 1}},
		"memories, edited in a page": {older, memoryLine(noted{"2", paris, 9}, noted{"4", "Runs.", 2}), "changed:1 messages:3", counts{Undone: 2, Edited: 1, Absent: 2}},
		"memories, two edited": {
			older, memoryLine(noted{"1", paris, 9}, noted{"3", "Has a bird.", 10}, noted{"5", "Runs.", 11}), "changed:1 messages:4",
			counts{Undone: 3, Edited: 2, Absent: 1},
		},
		"memories, an older text":      {memoryLine(noted{"1", paris, 9}, first[1]), memoryLine(first[0]), "unchanged:1", counts{Absent: 1}},
		"memories whose ids are noted": {withoutTexts(older), memoryLine(first[0]), "unchanged:1", counts{Absent: 2}},
		"memories without ids":         {withoutTexts(older), withoutTexts(memoryLine(first[0], noted{"4", "Runs.", 9})), "grown:1 messages:1", counts{Absent: 2}},
		"new memories":                 {"", older, "imported:1 messages:3", counts{}},
		"a conversation, grown":        {namedLine(cat, fine), namedLine(cat, fine, tea), "grown:1 messages:1", counts{}},
		"a conversation, edited":       {namedLine(cat, fine, tea), namedLine(cat, good, tea), "changed:1 messages:2", counts{Undone: 2}},
		"a conversation, cut there": {
			changedAt(namedLine(cat, fine, tea, good), 1700000010), changedAt(namedLine(cat, fine), 1700000020), "changed:1", counts{Undone: 2},
		},
		"a conversation, an older export": {namedLine(cat, fine, tea), namedLine(cat), "unchanged:1", counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			if c.before != "" {
				w.call("POST", "/api/sessions/import", c.before)
			}
			for _, query := range []string{"?dry_run=true", ""} {
				var got counts
				if err := json.Unmarshal([]byte(w.imports(t, query, c.line, c.fate)), &got); err != nil {
					t.Fatal(err)
				}
				if got != c.want {
					t.Errorf("%q: got %+v, want %+v", query, got, c.want)
				}
			}
			w.states()
		})
	}
}

// TestImportCountsHere: of memories that went on here, the edited ones are counted as the session apart is: what is here
// stays.
func TestImportCountsHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", memoryLine(noted{"1", rome, 1}, noted{"2", green, 2}), "imported:1 messages:2")
	w.chat("mem:m", "I have a dog, too.")
	for _, query := range []string{"?dry_run=true", ""} {
		var got struct{ Undone, Edited, Absent int }
		if err := json.Unmarshal([]byte(w.imports(t, query, memoryLine(noted{"1", paris, 9}), "apart:1 messages:1")), &got); err != nil {
			t.Fatal(err)
		}
		if got.Undone != 0 || got.Edited != 0 || got.Absent != 1 {
			t.Errorf("%q: got %+v, want one absent memory", query, got)
		}
	}
}
