package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/ranking"
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

func TestJudge(t *testing.T) {
	t.Parallel()
	c := &conversation{documents: make([]ranking.Document, 30)}
	var hits []ranking.Hit
	var tokens []int
	for i := range c.documents {
		c.documents[i].SessionID = "one"
		if i >= 3 {
			c.documents[i].SessionID = "two"
		}
		hits = append(hits, ranking.Hit{Seq: int64(i), SessionID: c.documents[i].SessionID, Score: float64(30 - i)})
		tokens = append(tokens, 100)
	}
	got := judge(c, &question{evidence: []int{3, 14}}, hits, tokens)
	want := [measures]float64{
		recallAt5: 0.5, recallAt10: 0.5, recallAt20: 1, within500: 0.5, within1000: 0.5, within2000: 1, session5: 1,
	}
	if diff := cmp.Diff(want, got.values); diff != "" || got.top != 30 {
		t.Errorf("top %v, (-want +got):\n%s", got.top, diff)
	}
}

func TestAUC(t *testing.T) {
	t.Parallel()
	if got := auc([]float64{3, 2}, []float64{1, 2}); math.Abs(got-0.875) > 1e-9 {
		t.Errorf("got %v, want 0.875", got)
	}
}

// TestLearn: the weights go to the feature that tells evidence from the rest,
// and training is repeatable.
func TestLearn(t *testing.T) {
	t.Parallel()
	tr := &training{names: []string{"tells", "noise"}}
	for range 2 {
		var set []list
		for i := range 8 {
			set = append(set, list{
				question: &question{category: 4},
				values:   [][]float64{{0.2, float64(i % 2)}, {0.8, 0.5}, {0.1, float64((i + 1) % 2)}}, wanted: []int{1},
			})
		}
		tr.sets = append(tr.sets, set)
	}
	w := tr.learn(0, nil)
	if w[0] < 1 || math.Abs(w[1]) > w[0]/4 {
		t.Errorf("got weights %v", w)
	}
	if diff := cmp.Diff(w, tr.learn(0, nil)); diff != "" {
		t.Errorf("learnt again (-first +second):\n%s", diff)
	}
}
