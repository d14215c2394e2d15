package compression

// Shares of a context. The state may take a quarter, quotes of older messages an
// eighth; what they leave is the tail's.
const (
	stateShare  = 4
	quotesShare = 8
	// maxState and maxQuotes bound them in wide contexts: beyond this, more
	// memory in sight does not make answers better.
	maxState  = 2000
	maxQuotes = 1000
)

// StateRoom is how many tokens of a budget the state may take.
func StateRoom(budget int) int { return min(budget/stateShare, maxState) }

// QuotesRoom is how many tokens of a budget quotes of older messages may take.
func QuotesRoom(budget int) int { return min(budget/quotesShare, maxQuotes) }

// Budgets say how many tokens a context may have.
type Budgets struct {
	// Model is the configured model, which answers to the name "hermes".
	Model string
	// Default is the budget of a context.
	Default int
	// ByModel overrides Default by model name.
	ByModel map[string]int
}

// ModelName is the name the upstream is asked for: "hermes" and what begins with
// "hermes-" mean the configured model, any other name is the upstream's business.
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

// MemoryRoom is how many tokens of a budget state and quotes may take together.
func MemoryRoom(budget int) int { return StateRoom(budget) + QuotesRoom(budget) }
