package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// script plays both models: one answers with what it was shown of the question's
// answer, the other accepts what holds the expected answer, and one that is
// easily fooled accepts everything.
func script(r *upstreamtest.Request) upstreamtest.Step {
	usage := &upstreamtest.Usage{Input: 100, Output: 7}
	switch r.Model {
	case "judge":
		var body struct {
			Messages []struct{ Content string }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			return upstreamtest.Refuse(400, "bad", err.Error())
		}
		text := body.Messages[len(body.Messages)-1].Content
		_, rest, _ := strings.Cut(text, "Expected answer: ")
		wanted, given, _ := strings.Cut(rest, "\nAnswer to rate: ")
		right := strings.Contains(given, wanted) || wanted == unsaid && strings.Contains(given, "does not say")
		verdict, _ := json.Marshal(map[string]bool{"correct": right})
		return upstreamtest.Step{Text: "```json\n" + string(verdict) + "\n```", Usage: usage}
	case "yes":
		return upstreamtest.Step{Text: `{"correct": true}`, Usage: usage}
	case "mumble":
		return upstreamtest.Step{Text: "Well.", Usage: usage}
	}
	body := string(r.Body)
	for _, fact := range []string{"Lisbon", "a grey parrot", "7 May"} {
		question := map[string]string{"Lisbon": "Where does Ana live", "a grey parrot": "What pet", "7 May": "When did Ben"}[fact]
		if strings.Contains(body, question) && strings.Contains(body, fact) {
			return upstreamtest.Step{Text: "It is " + fact + ".", Usage: usage}
		}
	}
	return upstreamtest.Step{Text: "The conversation does not say.", Usage: usage}
}

// TestJudge runs the whole on a small conversation, against a real server.
func TestJudge(t *testing.T) {
	t.Parallel()
	up := upstreamtest.New(t, upstreamtest.Options{Default: script})
	binary := filepath.Join(t.TempDir(), "hermes")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/hermes").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for name, c := range map[string]struct {
		judge string
		want  []string
	}{
		"an honest judge":  {"judge", []string{"multi-hop 1 100.0 % – 0", "temporal 1 100.0 % –", "single-hop 2 50.0 % 0.0 % 0", "adversarial 1 100.0 % 0.0 %", "all 5 80.0 % 0.0 %"}},
		"a fooled judge":   {"yes", []string{"all 5 100.0 % 100.0 % 0"}},
		"a mumbling judge": {"mumble", []string{"all 5 0.0 % 0.0 % 8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			o := &options{
				upstream: up.URL + "/v1", model: "answerer", judge: c.judge, data: "testdata/small.json", hermesKey: "hermes",
				hermesBinary: binary, parallel: 3, progress: io.Discard, requestTimeout: time.Minute,
			}
			if err := o.measure(context.Background(), &out); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(strings.Fields(out.String()), " ")
			for _, want := range append(c.want, "ratings by "+c.judge, "the judge's prompt: You rate an answer", "100 7 200 14 adversarial") {
				if !strings.Contains(got, want) {
					t.Errorf("want %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

// TestAskable: wrong answers come from other questions and are not right by chance.
func TestAskable(t *testing.T) {
	t.Parallel()
	list, err := load("testdata/small.json")
	if err != nil || len(list) != 1 {
		t.Fatalf("got %d, %v", len(list), err)
	}
	sessions := list[0].sessions()
	if len(sessions) != 2 || sessions[0][0].SaidAt.Format(time.DateOnly) != "2023-05-08" || len(sessions[0]) != 3 {
		t.Errorf("got sessions %+v", sessions)
	}
	var wrong []string
	for _, q := range list[0].askable(0) {
		wrong = append(wrong, q.wrong)
	}
	if got, want := strings.Join(wrong, "|"), "green|||Lisbon|a boat"; got != want {
		t.Errorf("got wrong answers %q, want %q: another's of the same category", got, want)
	}
	if !overlap("a grey parrot", "the parrot") || !overlap("7 May", "7 may") || overlap("Lisbon", "green") {
		t.Error("answers that could both be right are not told from others")
	}
}

func FuzzParseVerdict(f *testing.F) {
	f.Add(`{"correct": true}`)
	f.Add("```json\n{\"correct\": false}\n```")
	f.Add(`}{`)
	f.Fuzz(func(t *testing.T, text string) {
		if right, clear := parseVerdict(text); right && !clear {
			t.Error("right without being clear")
		}
	})
}
