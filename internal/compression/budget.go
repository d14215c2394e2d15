package compression

// Shares of a context. The state may take a quarter of the budget, and quotes of older
// messages an eighth. The rest is for the tail. If the client's own part leaves less
// than the budget, the state may take two fifths of what is left, and quotes a fifth.
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
	// Floor is the least that memory may add to a prompt, however large the client's
	// own part is. A budget below it takes its place.
	Floor int
}

// answerShare is the part of a model's window that memory leaves to the answer.
const answerShare = 8

// Limit is the largest size of a prompt, in tokens. client is the client's own part, which
// is never cut. Memory may add what the budget leaves, and the floor at least. window is
// the largest prompt that the model takes; 0 means unknown. A client's part that exceeds
// the window is not this function's concern: memory then adds nothing.
func (b *Budgets) Limit(budget, client, window int) int {
	limit := client + max(budget-client, min(b.Floor, budget))
	if window > 0 {
		limit = min(limit, window-window/answerShare)
	}
	return max(limit, client)
}

// Shares divides the room of memory: the most tokens of the state and of the quotes.
func Shares(budget, room int) (state, quotes int) {
	room = max(room, 0)
	return min(StateRoom(budget), room*2/5), min(QuotesRoom(budget), room/5)
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
