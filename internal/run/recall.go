package run

// RecallKind is the kind of an answer of the recall responder.
type RecallKind string

// The kinds of answers.
const (
	// RecallSure quotes what answers the question.
	RecallSure RecallKind = "sure"
	// RecallUnsure quotes what is nearest to the question, and says so.
	RecallUnsure RecallKind = "unsure"
	// RecallNone says that nothing near was told.
	RecallNone RecallKind = "none"
)

// Recall tells how sure the recall responder is of an answer. If a message asks several
// questions, the least sure answer counts.
type Recall struct {
	Kind RecallKind `json:"kind"`
	// Scores are the estimated probabilities, from 0 to 1, that a quote answers the
	// question, in the order of the quotes.
	Scores []float32 `json:"scores"`
}
