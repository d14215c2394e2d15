package graphiti

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

func FuzzAnswer(f *testing.F) {
	providertest.Fuzz(f, func(url string) (run.Provider, error) { return New(url, "key") }, &providertest.Answers{
		Good: []string{`{"facts":[{"uuid":"x","fact":"I like tea."},{"fact":""}]}`, `{"facts":[]}`},
		Text: func(answer any) (string, bool) {
			members, _ := answer.(map[string]any)
			facts, ok := members["facts"].([]any)
			var lines []string
			for _, one := range facts {
				fact, _ := one.(map[string]any)
				text, is := fact["fact"].(string)
				lines, ok = append(lines, text), ok && is
			}
			return strings.Join(lines, "\n"), ok
		},
		Gone: func(answer any) bool {
			episodes, ok := answer.([]any)
			for _, one := range episodes { // those of other messages stay
				members, _ := one.(map[string]any)
				_, is := members["uuid"].(string)
				ok = ok && is
			}
			return ok
		},
	})
}
