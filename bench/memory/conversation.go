package main

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// conversation is a list of messages, and the questions about it.
type conversation struct {
	name      string
	documents []ranking.Document
	turns     map[string]int // LoCoMo's dia_id → place in documents
	apart     []bool         // of a round: before which documents there is small talk
	questions []question
}

// question is a question, with the parts of its answer that are known.
type question struct {
	text string
	kind string
	// answer has the parts of a right answer. Without any the question asks for
	// what was never told.
	answer []string
	// wrong is an answer that must not pass for right.
	wrong    string
	evidence []int // places in documents that hold the answer
}

// The kinds of questions. Those of never and adversarial ask for what was not told.
const (
	multiHop    = "multi-hop"
	temporal    = "temporal"
	openDomain  = "open-domain"
	singleHop   = "single-hop"
	adversarial = "adversarial"
	told        = "told"
	never       = "never told"
)

// answerable are LoCoMo's kinds that have an answer.
func answerable() []string { return []string{multiHop, temporal, openDomain, singleHop} }

// holds reports whether a text has every part, whatever the case of letters.
func holds(text string, parts []string) bool {
	text = strings.ToLower(text)
	for _, p := range parts {
		if !strings.Contains(text, strings.ToLower(p)) {
			return false
		}
	}
	return true
}
