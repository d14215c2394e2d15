package http_test

import (
	"encoding/json"
	"testing"

	httpprovider "github.com/hermes-memory/hermes/internal/provider/http"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

func FuzzAnswer(f *testing.F) {
	providertest.Fuzz(f, func(url string) (run.Provider, error) { return httpprovider.New(url, "key") }, &providertest.Answers{
		Good: []string{`{"text":"I like tea.","confirmed":2,"left":"one"}`, `{"text":"","confirmed":0}`},
		Text: func(answer any) (string, bool) {
			members, _ := answer.(map[string]any)
			text, ok := members["text"].(string)
			return text, ok
		},
		Gone: func(answer any) bool {
			members, _ := answer.(map[string]any)
			number, ok := members["confirmed"].(json.Number)
			confirmed, _ := number.Float64()
			left, _ := members["left"].(string)
			return ok && confirmed >= 0 && left == ""
		},
	})
}
