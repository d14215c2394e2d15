package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuestionsInALoop: a loop of the shell that reads a file asks each line as a question: no question takes the lines
// behind it. What is piped in, or a file of its own, still belongs to the question.
func TestQuestionsInALoop(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	for name, c := range map[string]struct {
		script string
		asked  []string // the questions, each with a word that is in its input; "" for no input
	}{
		"a loop over a file":          {`while read -r q; do hermes -q "$q"; done < questions.txt`, []string{"One:", "Two:", "Three:"}},
		"a loop whose last is bare":   {`while read -r q || [ -n "$q" ]; do hermes -q "$q"; done < bare.txt`, []string{"One:", "Two:"}},
		"a loop with nothing to read": {`cat questions.txt | while read -r q; do hermes -q "$q" < /dev/null; done`, []string{"One:", "Two:", "Three:"}},
		"a loop over a list":          {`for q in One Two; do hermes -q "$q" < notes.txt; done`, []string{"One:zebra", "Two:zebra"}},
		"a pipe":                      {`cat notes.txt | hermes -q One`, []string{"One:zebra"}},
		"a file":                      {`hermes -q One < notes.txt`, []string{"One:zebra"}},
		"a file alone":                {`hermes < notes.txt`, []string{"zebra:zebra"}},
		"a group over a file":         {`{ read -r q; hermes -q "$q"; cat; } < questions.txt`, []string{"One:", "rest of Two", "rest of Three"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for file, text := range map[string]string{"questions.txt": "One\nTwo\nThree\n", "bare.txt": "One\nTwo", "notes.txt": "A zebra is striped.\n"} {
				if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `hermes() { "$HERMES" "$@"; }; `+c.script)
			cmd.Dir, cmd.Env = home, []string{"HERMES_HOME=" + home, "HOME=" + home, "HERMES_PROBE=false", "PATH=" + os.Getenv("PATH"), "HERMES=" + hermes(t)}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			said, err := command(t, home, nil, "sessions", "export", "-").Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for _, want := range c.asked {
				if rest, ok := strings.CutPrefix(want, "rest of "); ok {
					if !strings.Contains(string(out), rest) || strings.Contains(string(said), `"content":"`+rest) {
						t.Errorf("the rest of the file was taken:\n%s", out)
					}
					continue
				}
				question, input, _ := strings.Cut(want, ":")
				found := 0
				for _, line := range strings.Split(string(said), "\n") {
					if strings.Contains(line, `"role":"user"`) && strings.Contains(line, question) {
						found++
						if strings.Contains(line, "```") != (input != "" && question != input) || !strings.Contains(line, input) {
							t.Errorf("%s was asked as %s", question, line)
						}
					}
				}
				if found != 1 {
					t.Errorf("%s was asked %d times:\n%s", question, found, said)
				}
			}
		})
	}
}
