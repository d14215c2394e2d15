package language

import "strings"

// Ends is a text, or, if it has more bytes than limit, its beginning and its end on
// lines of their own, half of that each: what is wanted of a long text stands before
// it or behind it. It does not hold on to the rest.
func Ends(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	return strings.ToValidUTF8(head, "") + "\n" + strings.ToValidUTF8(tail, "")
}
