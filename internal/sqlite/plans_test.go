package sqlite

import (
	"strings"
	"testing"
)

// TestReadsUseIndexes: the reads of a turn find their rows by an index, whatever the size of
// the tables.
func TestReadsUseIndexes(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	for name, query := range map[string]string{
		"facts by number": factsWanted + sameNumber + factsByKey, "facts by name": factsWanted + sameName + factsByRoot,
		"facts of messages": factsWanted + sameMessage + factsByKey, "facts since": selectFacts + factsByRoot + factsSince,
		"facts of a lineage since": selectFacts + factsOfLineage + factsOfPlaceSince,
		"facts listed":             selectFacts + presentOfKey + factsForward, "newest facts listed": selectFacts + presentOfRoot + factsBackward,
		"texts of facts":        factTexts + presentOfKey + textsBehind,
		"replaced facts listed": selectFacts + presentOfKey + whichReversed + factsBackward,
		"facts reversed":        countReversed + presentOfKey + whichReversed,
		"shelf":                 selectShelf + factsByKey + factsOnShelf, "messages by id": documentsWantedByRoot, "messages of a key": documentsByKey,
		"messages of a lineage": documentsByRoot, "messages before": documentsBeforeByKey, "manifest": selectManifest, "block": selectBlock, "write of a scope": writeScope,
		"newest message of a chat": newestMessage, "orphans": orphanPieces, "any orphans": anyOrphans, "next piece to delete": nextGone,
	} {
		rows, err := db.read.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query, make([]any, parameters(query))...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var line string
			if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
				t.Fatal(err)
			}
			small := strings.Contains(line, "json_each") || strings.Contains(line, "CONSTANT ROW") || strings.Contains(line, "INDEX pieces_rest")
			if strings.HasPrefix(line, "SCAN") && !small {
				t.Errorf("%s: got the plan %q, want an index", name, line)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
}

// parameters is how many parameters a query has, numbered ones or not.
func parameters(query string) int {
	most := strings.Count(query, "?")
	for n := most; n > 0; n-- {
		if strings.Contains(query, "?"+string(rune('0'+n))) {
			return n
		}
	}
	return most
}
