package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// happens reports whether a verb only says that something happens.
func happens(stem string) bool {
	return theLexicon().has(listHappening, stem)
}

// vague reports whether an expression of time names no time to look for: "on a Friday",
// or "today" in "what is our budget today?".
func (a *asked) vague(d language.Date) bool {
	before := strings.ToLower(strings.TrimRight(a.text[:d.Start], " "))
	if strings.HasSuffix(before, " a") || strings.HasSuffix(before, " any") || strings.HasSuffix(before, "black") || strings.HasSuffix(before, "good") {
		return true
	}
	switch words := strings.ToLower(a.text[d.Start:d.End]); words {
	case "today", "now", "right now":
		return strings.Contains(before, " is ") || strings.Contains(before, " are ") || strings.Contains(before, " do ") || strings.Contains(before, " does ") || strings.Contains(before, "'s ")
	}
	return false
}

// measures reports whether a word behind "how" asks for a measure: "how high is
// the rent?" is answered without saying high.
func measures(stem string) bool {
	return theLexicon().has(listMeasure, stem)
}
