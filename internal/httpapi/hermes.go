package httpapi

import (
	"encoding/json"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// hermesObject is the "hermes" member of a completion and of the final chunk. Its lists
// are never null.
func hermesObject(res *run.Result) []byte {
	obj := struct {
		SessionID      session.ID        `json:"session_id"`
		RootID         session.ID        `json:"lineage_root_id"`
		Compressed     bool              `json:"compressed"`
		Responder      lineage.Responder `json:"responder"`
		ReceiptID      string            `json:"receipt_id,omitempty"`
		Used           []memory.FactID   `json:"used"`
		Learned        []run.Learned     `json:"learned"`
		Reversals      []run.Reversal    `json:"reversals"`
		Context        lineage.Context   `json:"context"`
		UsageEstimated bool              `json:"usage_estimated"`
		Tools          []lineage.ToolUse `json:"tools,omitempty"`
		Recall         run.RecallKind    `json:"recall,omitempty"`
		RecallScores   []float32         `json:"recall_scores,omitempty"`
	}{
		res.SessionID, res.RootID, res.Compressed, res.Responder, res.ReceiptID,
		some(res.Used), some(res.Learned), some(res.Reversals), res.Context, res.UsageEstimated, res.Tools, "", nil,
	}
	if res.Recall != nil {
		obj.Recall, obj.RecallScores = res.Recall.Kind, res.Recall.Scores
	}
	out, _ := json.Marshal(obj) // strings and numbers only: cannot fail
	return out
}

// some turns nil into an empty list.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// usage is the "usage" of an answer whose upstream sent none.
func usage(res *run.Result) []byte {
	out, _ := json.Marshal(openai.Usage{ // numbers only: cannot fail
		PromptTokens: res.InputTokens, CompletionTokens: res.OutputTokens, TotalTokens: res.InputTokens + res.OutputTokens,
	})
	return out
}
