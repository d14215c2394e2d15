package storage

import (
	"slices"
	"strings"
)

// Statement erases from a row. Its arguments are the owner, the first values of the row's
// key, and further values.
type Statement struct {
	Query  string
	Keys   int // how many values of the key
	Values []any
}

// Args are the arguments of a statement for a row of an owner.
func (st *Statement) Args(owner string, row *Row) []any {
	return slices.Concat([]any{owner}, row.Key[:st.Keys], st.Values)
}

// Erase are the statements that delete a row, or empty and replace its columns. place returns the
// placeholder of an argument.
func (s *Sweep) Erase(row *Row, place func(n int) string) []Statement {
	gone := slices.ContainsFunc(row.Named, func(name string) bool { return s.Table.Columns[name].Rule == WholeRow })
	if gone && s.Name == "chat_sends" {
		if ends := s.endSend(row, place); ends != nil {
			return ends
		}
	}
	if gone {
		return s.deletions(s.Table.Drop, place)
	}
	var out []Statement
	if row.Erased {
		out = s.deletions(s.Table.Along, place)
	}
	return append(out, s.update(row, place))
}

// update empties columns of a row, and replaces texts. A text that is gone by now is not replaced.
func (s *Sweep) update(row *Row, place func(n int) string) Statement {
	st := Statement{Keys: len(s.Table.Key)}
	var set []string
	also := ""
	for _, name := range row.Named {
		text, replaced := row.Texts[name]
		if !replaced {
			set = append(set, name+" = NULL")
			continue
		}
		st.Values = append(st.Values, text)
		set = append(set, name+" = "+place(1+st.Keys+len(st.Values)))
		also += " AND " + name + " IS NOT NULL"
	}
	st.Query = "UPDATE " + s.Name + " SET " + strings.Join(set, ", ") + whereKey(s.Table.Key, place) + also
	return st
}

// deletions are the statements that delete rows with a row.
func (s *Sweep) deletions(list []Deletion, place func(n int) string) []Statement {
	out := make([]Statement, len(list))
	for i, d := range list {
		query := "DELETE FROM " + d.Table + whereKey(d.By, place)
		if d.And != "" {
			query += " AND " + d.And
		}
		out[i] = Statement{Query: query, Keys: max(len(d.By), d.Keys)}
	}
	return out
}

// whereKey selects an owner's rows with values of columns.
func whereKey(columns []string, place func(n int) string) string {
	where := " WHERE owner_id = " + place(1)
	for i, name := range columns {
		where += " AND " + name + " = " + place(i+2)
	}
	return where
}
