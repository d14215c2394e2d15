package compression

// A summary has a line for each folded turn.
const (
	// QuotedLine begins a line that quotes the beginning of a user's message.
	QuotedLine = "- "
	// DrawnLine begins a line with a sentence that a model drew from a message.
	DrawnLine = "~ "
)
