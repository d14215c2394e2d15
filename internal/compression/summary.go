package compression

// A summary has a line for each folded turn.
const (
	// QuotedLine begins a line that quotes the beginning of what the user said.
	QuotedLine = "- "
	// DrawnLine begins a line with a sentence that a model drew from it.
	DrawnLine = "~ "
)
