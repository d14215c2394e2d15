package compression

// Shares of a context. The state may take a quarter, and quotes of older messages an
// eighth. The rest is for the tail.
const (
	stateShare  = 4
	quotesShare = 8
	// maxState and maxQuotes bound these parts in large contexts: more recalled text
	// does not improve answers.
	maxState  = 2000
	maxQuotes = 1000
)

// StateRoom is the maximum size of the state in a budget, in tokens.
func StateRoom(budget int) int { return min(budget/stateShare, maxState) }

// QuotesRoom is the maximum size of quotes in a budget, in tokens.
func QuotesRoom(budget int) int { return min(budget/quotesShare, maxQuotes) }

// Budgets are the sizes of contexts, in tokens.
type Budgets struct {
	// Model is the configured model, which clients call "hermes".
	Model string
	// Default is the budget of a context.
	Default int
	// ByModel overrides Default by model name.
	ByModel map[string]int
}

// ModelName is the model's name at the upstream. "hermes" and names that begin with
// "hermes-" mean the configured model; other names are passed on.
func (b *Budgets) ModelName(asked string) string {
	const own = "hermes"
	if asked == "" || asked == own || len(asked) > len(own) && asked[:len(own)+1] == own+"-" {
		return b.Model
	}
	return asked
}

// Of is the budget of a model's context.
func (b *Budgets) Of(model string) int {
	if n, ok := b.ByModel[model]; ok {
		return n
	}
	return b.Default
}

// MemoryRoom is the maximum size of state and quotes together, in tokens.
func MemoryRoom(budget int) int { return StateRoom(budget) + QuotesRoom(budget) }
