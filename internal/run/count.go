package run

import (
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// Count returns the tokens of messages and of the text of tool definitions, as this
// program counts them for a model. It carries no turn out.
func (r *Runner) Count(model string, ms []session.Message, tools string) int {
	count, _ := compression.CounterFor(r.config.Budgets.ModelName(model))
	total := count(tools)
	for i := range ms {
		total += lineage.Tokens(&ms[i], count) + compression.MessageOverhead
	}
	return total
}
