package mem0

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

func FuzzPlatform(f *testing.F) { fuzz(f, false) }

func FuzzOwnServer(f *testing.F) { fuzz(f, true) }

func fuzz(f *testing.F, own bool) {
	f.Helper()
	const list = `[{"id":"x","memory":"I like tea.","metadata":{"hermes_id":"1.2"}},{"id":"y","memory":"And cake.","metadata":null}]`
	providertest.Fuzz(f, func(url string) (run.Provider, error) { return open(url, "key", own) }, &providertest.Answers{
		Good: []string{list, `{"results":` + list + `}`, `[]`, `{"results":[]}`},
		Text: func(answer any) (string, bool) {
			list, ok := listOf(answer)
			var lines []string
			for _, one := range list {
				members, _ := one.(map[string]any)
				text, is := members["memory"].(string)
				lines, ok = append(lines, text), ok && is
			}
			return strings.Join(lines, "\n"), ok
		},
		Gone: func(answer any) bool {
			list, ok := listOf(answer)
			for _, one := range list { // those of other messages stay
				members, _ := one.(map[string]any)
				metadata, _ := members["metadata"].(map[string]any)
				mark, _ := metadata["hermes_id"].(string)
				id, _, _ := strings.Cut(mark, ".")
				ok = ok && members["id"] != nil && id != "1" && id != "2"
			}
			return ok
		},
	})
}

// listOf is the list of an answer in one of its two forms.
func listOf(answer any) (list []any, ok bool) {
	if members, is := answer.(map[string]any); is {
		answer = members["results"]
	}
	list, ok = answer.([]any)
	return list, ok
}
