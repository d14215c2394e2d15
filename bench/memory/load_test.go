package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a conversation in the benchmark's form, of our own making.
const sample = `[{"sample_id": "c", "conversation": {
  "speaker_a": "Anna", "session_2_date_time": "9:05 am on 12 June, 2023", "session_1_date_time": "1:56 pm on 5 June, 2023",
  "session_2": [{"speaker": "Bert", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a kayak", "query": "never said"}],
  "session_1": [{"speaker": "Anna", "dia_id": "D1:1", "text": "I paddle."}, {"speaker": "Bert", "dia_id": "D1:2", "text": "Where?"}]},
  "qa": [{"question": "Who paddles?", "evidence": ["D1:1; D2:1", "D", "D1:1"], "category": 4}]}]`

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sample.json")
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range got[0].documents {
		lines = append(lines, d.SaidAt.Format("01-02 15:04 ")+string(d.SessionID)+" "+d.Speaker+": "+d.Text)
	}
	want := []string{
		"06-05 13:56 session_1 Anna: I paddle.", "06-05 13:56 session_1 Bert: Where?",
		"06-12 09:05 session_2 Bert: Look! [shares a photo: a kayak]",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2}, got[0].questions[0].evidence); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

func TestLoadFails(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"no JSON": "{", "no date": strings.Replace(sample, "session_1_date_time", "elsewhen", 1),
		"no category":     strings.Replace(sample, `"category": 4`, `"category": 6`, 1),
		"no conversation": "user: Hello.", "no answer": "== a\n? Who is it?", "no role": "== a\nsomebody: Hello.",
	} {
		path := filepath.Join(t.TempDir(), "sample.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := load(path); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLoadRounds(t *testing.T) {
	t.Parallel()
	got, err := readRounds("# why\n== a\nuser: One.\\nTwo.\nuser: ~Three.\nassistant: Four.\n? What? = one & two\nnever: Who?\n\n== b\n")
	if err != nil || len(got) != 2 {
		t.Fatalf("got %d conversations, %v", len(got), err)
	}
	if diff := cmp.Diff([]bool{true, false, false}, got[0].apart); diff != "" || got[0].documents[0].Text != "One.\nTwo." {
		t.Errorf("got %+v, small talk (-want +got):\n%s", got[0].documents, diff)
	}
	if q := got[0].questions; len(q) != 2 || q[0].kind != told || len(q[0].answer) != 2 || q[1].kind != never {
		t.Errorf("got questions %+v", q)
	}
}

// FuzzLoad: whatever a file holds, it is read or refused.
func FuzzLoad(f *testing.F) {
	f.Add(sample)
	f.Add("== a\nuser: One.\n? What? = one & two\nnever: Who?")
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := parse([]byte(text)) // what was read before an error must be sound as well
		for i := range list {
			for _, q := range list[i].questions {
				if len(q.evidence) > len(list[i].documents) {
					t.Errorf("evidence %v in %d documents", q.evidence, len(list[i].documents))
				}
			}
		}
	})
}
