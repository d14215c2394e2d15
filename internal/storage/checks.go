package storage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/bound"
)

// Check is the condition for a damaged value of a column, and what is wrong with it.
type Check struct{ Column, Condition, Says string }

// Found is the report of damaged values.
func (c *Check) Found(n int64, table string) string {
	return fmt.Sprintf("%d rows of %q hold %s (%s)", n, table, c.Says, c.Column)
}

// CheckNumber is the check of a column of integers, by its name.
func CheckNumber(name string) (Check, bool) {
	outside := func(least, most int64) string {
		return Quoted(name) + " NOT BETWEEN " + strconv.FormatInt(least, 10) + " AND " + strconv.FormatInt(most, 10)
	}
	switch {
	case isTime(name):
		return Check{name, outside(bound.MinMillis, bound.MaxMillis), "a time outside the years 1 to 9998"}, true
	case isCount(name):
		return Check{name, outside(0, bound.MaxCount), "a number below 0 or beyond 2^53"}, true
	case name == "tail_from":
		return Check{name, Quoted(name) + " NOT BETWEEN 0 AND next_seq", "a place that the lineage does not have"}, true
	}
	return Check{}, false
}

func isTime(name string) bool {
	return strings.HasSuffix(name, "_at") || slices.Contains([]string{"at", "anchor", "last_active", "when_from", "when_to"}, name)
}

func isCount(name string) bool {
	return strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_tokens") ||
		slices.Contains([]string{"next_seq", "seq", "generation", "repeat", "fires", "count", "blocks"}, name)
}

// IsJSON reports whether a column of texts has JSON, by its name.
func IsJSON(name string) bool {
	return slices.Contains([]string{"wire", "tool_calls", "receipt", "links", "result", "failure", "approvals", "withdrawn"}, name)
}

// Quoted is a name of the schema in SQL.
func Quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
