package errand_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/errand"
)

// request is a case of a file: a line "=== KIND NAME | OPTIONS", then messages, each
// after a line "@ROLE".
type request struct {
	name string
	kind errand.Kind
	call errand.Call
}

// requests reads the cases of a file. The cases of errands begin with their kind.
func requests(t testing.TB, path string, errands bool) []request {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []request
	for _, text := range strings.Split("\n"+string(file), "\n=== ")[1:] {
		head, body, _ := strings.Cut(text, "\n")
		name, options, _ := strings.Cut(head, " | ")
		r := request{name: name}
		if errands {
			kind, _, _ := strings.Cut(name, " ")
			r.kind = errand.Kind(kind)
		}
		for _, option := range strings.Fields(options) {
			name, value, _ := strings.Cut(option, "=")
			n, _ := strconv.Atoi(value)
			switch name {
			case "max":
				r.call.MaxTokens = n
			case "tools":
				r.call.Agent = n > 1
			case "json":
				r.call.JSON = true
			}
		}
		for _, m := range strings.Split("\n"+body, "\n@")[1:] {
			role, text, _ := strings.Cut(m, "\n")
			r.call.Messages = append(r.call.Messages, errand.Message{Role: role, Text: strings.TrimSuffix(text, "\n")})
		}
		all = append(all, r)
	}
	return all
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for path, errands := range map[string]bool{"testdata/errands.txt": true, "testdata/messages.txt": false} {
		for _, r := range requests(t, path, errands) {
			if got := errand.Recognise(&r.call); got != r.kind {
				t.Errorf("%s: %s: got %q, want %q", path, r.name, got, r.kind)
			}
		}
	}
}
