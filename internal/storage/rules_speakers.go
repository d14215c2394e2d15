package storage

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/mention"
)

// unlessProgram is a column with the speaker of a row, as SQL. Where an import has written the name of a program there, it
// is null: no one has said that name. [memory.ByProgram] is the same for a message.
func unlessProgram(column string) string {
	programs := "'" + strings.Join(mention.Programs(), "', '") + "'"
	return "CASE WHEN role = 'assistant' AND " + column + " IN (" + programs + ") THEN NULL ELSE " + column + " END"
}

// reads are what is searched of the columns of a table, as SQL.
func (t *Table) reads(columns []string) []string {
	out := make([]string, len(columns))
	for i, name := range columns {
		if out[i] = t.Columns[name].Read; out[i] == "" {
			out[i] = name
		}
	}
	return out
}
