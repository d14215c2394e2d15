package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/openai"
)

// TestManyTypes: a client can make up any number of types; the list of those left out is
// bounded.
func TestManyTypes(t *testing.T) {
	t.Parallel()
	var tools []string
	for i := range 200_000 {
		tools = append(tools, fmt.Sprintf(`{"type":"t%07d"}`, i))
	}
	got, err := openai.ParseResponse([]byte(`{"model":"m","input":"x","tools":[` + strings.Join(tools, ",") + `]}`))
	if err != nil || len(got.OmittedTools) == 0 || len(got.OmittedTools) > 64 {
		t.Errorf("got %d types, %v, want some", len(got.OmittedTools), err)
	}
}
