package supermemory

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

func FuzzAnswer(f *testing.F) {
	tag := provider.Joined(providertest.Place("a"))
	list := `"memories":[{"id":"x","customId":"` + tag + `_1"},{"id":"y","customId":null}]`
	providertest.Fuzz(f, func(url string) (run.Provider, error) { return New(url, "key") }, &providertest.Answers{
		Good: []string{`{"results":[{"memory":"I like tea."},{"chunk":"And cake.","memory":null}],` + list + `}`, `{"results":[],"memories":[]}`},
		Text: func(answer any) (string, bool) {
			members, _ := answer.(map[string]any)
			results, ok := members["results"].([]any)
			var lines []string
			for _, one := range results {
				result, _ := one.(map[string]any)
				text, is := result["memory"].(string)
				if !is {
					text, is = result["chunk"].(string)
				}
				lines, ok = append(lines, text), ok && is
			}
			return strings.Join(lines, "\n"), ok
		},
		Gone: func(answer any) bool {
			members, _ := answer.(map[string]any)
			documents, ok := members["memories"].([]any)
			for _, one := range documents { // those of other messages stay
				document, _ := one.(map[string]any)
				id, _ := document["customId"].(string)
				ok = ok && !strings.HasPrefix(id, tag+"_1") && !strings.HasPrefix(id, tag+"_2")
			}
			return ok
		},
	})
}
