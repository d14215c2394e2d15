package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// hostile measures what an index could choke on. Each must end soon, with an
// answer or a refusal.
func hostile(ctx context.Context, db *sqlite.DB, c *corpus) error {
	w := c.words // the most common ones first
	join := func(n int, between string) string { return strings.Join(w[:n], between) }
	var beginnings []string
	for _, letters := range []string{"ba", "de", "fi", "go", "ku", "le", "mi", "no"} {
		beginnings = append(beginnings, letters+"b*")
	}
	queries := []struct {
		name, query string
		role        session.Role
	}{
		{"the most common word", w[0], ""},
		{"four common words", join(4, " "), ""},
		{"31 common words, any", join(31, " OR "), ""},
		{"a hundred words, any", join(100, " OR "), ""},
		{"beginnings of one letter", "a* OR b* OR c* OR d*", ""},
		{"eight beginnings", strings.Join(beginnings, " OR "), ""},
		{"a phrase of 60 common words", `"` + strings.Repeat(w[0]+" "+w[1]+" ", 30) + `"`, ""},
		{"a phrase of two common words", `"` + w[1] + " " + w[0] + `"`, ""},
		{"common words but no common word", w[1] + " NOT (" + w[0] + " OR " + w[2] + " OR " + w[3] + ")", ""},
		{"everything excluded", w[0] + " NOT " + w[0], ""},
		{"nesting", strings.Repeat("(", 32) + w[0] + strings.Repeat(" OR "+w[1]+")", 31), ""},
		{"a thousand parentheses", strings.Repeat("(", 1000) + w[0], ""},
		{"a common word nobody of that role said", w[0], session.Tool},
		{"a common Chinese character", "一", ""},
		{"a megabyte", strings.Repeat("a ", 1<<19), ""},
	}
	fmt.Printf("\n| hostile query | answer | slowest of five |\n|---|---|---|\n")
	worst := time.Duration(0)
	for _, q := range queries {
		var took []time.Duration
		answer := ""
		for range 5 {
			start := time.Now()
			parsed, err := search.Parse(q.query)
			var found search.Found
			if err == nil {
				found, err = db.Search(ctx, owner.Local(), search.Request{Query: parsed, Scope: search.Scope{All: true}, Role: q.role})
			}
			took = append(took, time.Since(start))
			if answer = fmt.Sprintf("200, %d hits", len(found.Hits)); err != nil {
				if answer = "400"; fault.KindOf(err) != fault.Invalid {
					return fmt.Errorf("%s: %w", q.name, err)
				}
			}
		}
		slowest := slices.Max(took)
		worst = max(worst, slowest)
		fmt.Printf("| %s | %s | %s |\n", q.name, answer, ms(slowest))
	}
	fmt.Printf("| **all** | | **%s** |\n", ms(worst))
	return nil
}
