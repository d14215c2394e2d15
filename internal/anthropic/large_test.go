package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/anthropic"
)

// TestManyBlocks: reading a request takes time in proportion to its size. Otherwise this
// test would take minutes. A list of types is bounded.
func TestManyBlocks(t *testing.T) {
	t.Parallel()
	var texts, types []string
	for i := range 200_000 {
		texts = append(texts, fmt.Sprintf(`{"type":"text","text":"%07d"}`, i))
		types = append(types, fmt.Sprintf(`{"type":"t%07d"}`, i))
	}
	got, err := anthropic.Parse([]byte(`{"model":"m","max_tokens":9,"system":[` + strings.Join(texts, ",") + `],"messages":[{"role":"user","content":[` +
		strings.Join(types, ",") + `,{"type":"text","text":"x"}]}]}`))
	if err != nil || len(got.OmittedItems) == 0 || len(got.OmittedItems) > 64 {
		t.Errorf("got %d types, %v, want some", len(got.OmittedItems), err)
	}
}
