package migrate

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/storage"
)

// plan are the tables that move, in order. It fails if a table or a column would be
// forgotten: one that a side has, that the other one lacks, and that is not known to be left.
func plan(from, to storage.Catalogue) ([]storage.MovedTable, error) {
	lost := missing(from, to)
	lost = append(lost, missing(to, from)...)
	if len(lost) > 0 {
		slices.Sort(lost)
		return nil, fault.New(fault.Invalid, "unknown_tables",
			"The source and the target do not have the same tables: "+strings.Join(slices.Compact(lost), ", ")+
				". Nothing was copied. Remove tables that are not hermes's own, and use one version of hermes for both.")
	}
	tables := slices.Clone(from.Tables)
	slices.SortFunc(tables, func(a, b storage.MovedTable) int {
		return strings.Compare(rank(a.Name)+a.Name, rank(b.Name)+b.Name)
	})
	return tables, nil
}

// rank puts the keys of the store first, because other tables are stored with them, and the
// ranges of ids next, because they show whether the ids fit.
func rank(table string) string {
	switch table {
	case "meta":
		return "0"
	case "id_ranges":
		return "1"
	}
	return "2"
}

// missing are the tables and columns of a side that the other one lacks, or has with values
// of another kind.
func missing(side, other storage.Catalogue) (lost []string) {
	for _, t := range side.Tables {
		i := slices.IndexFunc(other.Tables, func(o storage.MovedTable) bool { return o.Name == t.Name })
		if i < 0 {
			lost = append(lost, t.Name)
			continue
		}
		for _, c := range t.Columns {
			if !slices.Contains(other.Tables[i].Columns, c) {
				lost = append(lost, t.Name+"."+c.Name)
			}
		}
	}
	return lost
}
