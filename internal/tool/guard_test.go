package tool_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/tool"
)

// named offers tools of these names.
type named []string

func (n named) Offer(context.Context, *run.Grant) (out []run.ToolDefinition) {
	for _, name := range n {
		out = append(out, run.ToolDefinition{Name: name})
	}
	return out
}

func (named) Check([]run.ToolChoice) error { return nil }

func (named) Call(context.Context, *run.Grant, run.ToolRequest) run.ToolResult {
	return run.ToolResult{}
}

func TestGuarded(t *testing.T) {
	t.Parallel()
	all := named{"memory", "memory_search", "shell", "files_write"}
	for _, tt := range []struct {
		name  string
		names []string
		want  []string
	}{
		{"none", nil, nil},
		{"a name is not a prefix", []string{"memory"}, []string{"memory"}},
		{"a prefix", []string{"memory*"}, []string{"memory", "memory_search"}},
		{"several", []string{"shell", "files_*"}, []string{"shell", "files_write"}},
		{"everything", []string{"*"}, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for d := range slices.Values(tool.Guarded{Tools: all, Names: tt.names}.Offer(t.Context(), &run.Grant{})) {
				if d.Approval {
					got = append(got, d.Name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("need approval (-want +got):\n%s", diff)
			}
		})
	}
}
