package honcho_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider/honcho"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

func FuzzAnswer(f *testing.F) {
	const list = `"items":[{"id":"x","session_id":"a","content":"one","metadata":{"hermes_id":"1"},"created_at":"2026-03-01T09:00:00Z"}],"total":1,"pages":1`
	providertest.Fuzz(f, func(url string) (run.Provider, error) { return honcho.New(url, "key", false) }, &providertest.Answers{
		Good: []string{
			`{"id":"a","peer_id":"user-a","representation":"I like tea.","peer_card":["a card","b"],` + list + `}`,
			`{"id":"a","peer_id":"user-a","representation":null,"peer_card":null,"items":[],"total":0,"pages":0}`,
		},
		Text: recalled,
		Gone: func(answer any) bool {
			members, _ := answer.(map[string]any)
			items, listed := members["items"].([]any)
			number, counted := members["total"].(json.Number)
			total, _ := number.Float64()
			return listed && counted && len(items) == 0 && total == 0
		},
	})
}

// recalled is the card of a context, and its representation.
func recalled(answer any) (string, bool) {
	members, _ := answer.(map[string]any)
	card, _ := members["peer_card"].([]any)
	var lines []string
	for _, line := range card {
		text, ok := line.(string)
		if !ok {
			return "", false
		}
		lines = append(lines, text)
	}
	if text, ok := members["representation"].(string); ok {
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), members["peer_id"] == "user-a"
}
