package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// headOf is the head of the only line of an input.
func headOf(t *testing.T, files ...*File) lineHead {
	t.Helper()
	var heads []lineHead
	for line := range strings.Lines(spooledText(t, &Input{Files: files}, NewReport(false))) {
		var head lineHead
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head)
	}
	if len(heads) != 1 {
		t.Fatalf("got %d lines", len(heads))
	}
	return heads[0]
}

// webuiTexts and libreTexts are conversations of which the second message says a text, edited at a second.
func webuiTexts(text string, at int) string {
	return fmt.Sprintf(`[{"id":"c","title":"t","updated_at":%d,"chat":{"history":{"currentId":"b","messages":{`+
		`"a":{"id":"a","parentId":null,"role":"user","content":"Hello.","timestamp":1717232400},`+
		`"b":{"id":"b","parentId":"a","role":"assistant","content":%q,"timestamp":1717232401}}}}}]`, at, text)
}

func libreTexts(text string, at int) string {
	edited := time.Unix(int64(at), 0).UTC().Format("2006-01-02T15:04:05.000Z")
	return fmt.Sprintf(`{"conversationId":"c","title":"t","messages":[`+
		`{"messageId":"a","parentMessageId":"00000000-0000-0000-0000-000000000000","isCreatedByUser":true,"text":"Hello.","createdAt":"2024-06-01T09:00:00.000Z"},`+
		`{"messageId":"b","parentMessageId":"a","isCreatedByUser":false,"text":%q,"createdAt":"2024-06-01T09:00:01.000Z","updatedAt":%q}]}`, text, edited)
}

// TestTextMarks: of a message that was edited in place, the mark of the text changes, and no other one.
func TestTextMarks(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(string, int) string{"openwebui": webuiTexts, "librechat": libreTexts} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := headOf(t, memoryFile("c.json", []byte(of("Hi.", 1717232401))))
			after := headOf(t, memoryFile("c.json", []byte(of("Good morning.", 1717232500))))
			a, b := before.Origin, after.Origin
			if len(a.Texts) != 2*markSize || !bytes.Equal(a.Marks, b.Marks) {
				t.Errorf("got the marks %x, %x and the texts %x", a.Marks, b.Marks, a.Texts)
			}
			if !bytes.Equal(a.Texts[:markSize], b.Texts[:markSize]) || bytes.Equal(a.Texts[markSize:], b.Texts[markSize:]) {
				t.Errorf("got the texts %x, then %x", a.Texts, b.Texts)
			}
			if b.ChangedAt.Sub(a.ChangedAt) != 99*time.Second {
				t.Errorf("changed at %s, then at %s", a.ChangedAt, b.ChangedAt)
			}
		})
	}
}

// TestCopiesEdited: of two copies with the same messages, the one that was edited later counts, in whichever
// order they are read. If the program does not say when, the newer file does.
func TestCopiesEdited(t *testing.T) {
	t.Parallel()
	old, edited := memoryFile("old.json", []byte(webuiTexts("Hi.", 1717232401))), memoryFile("new.json", []byte(webuiTexts("Good morning.", 1717232500)))
	plain := memoryFile("old.json", []byte(strings.ReplaceAll(tiny, "tea", "ink")))
	newer := memoryFile("new.json", []byte(tiny))
	newer.Modified = plain.Modified.Add(time.Hour)
	for name, c := range map[string]struct{ old, edited *File }{"dated": {old, edited}, "by file": {plain, newer}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := headOf(t, c.edited).Origin.Texts
			for _, files := range [][]*File{{c.old, c.edited}, {c.edited, c.old}} {
				if got := headOf(t, files...).Origin.Texts; !bytes.Equal(got, want) {
					t.Errorf("%s first: got the older copy", files[0].Name)
				}
			}
		})
	}
}
