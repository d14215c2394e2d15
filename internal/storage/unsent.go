package storage

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/mention"
)

// A message to a chat that is not sent yet is not dropped when it names a forgotten thing: the person waits for it. A line
// takes its place, once for all parts of an answer that wait. A message that the platform may show already gets the line in any
// case, so that it is edited.

// unsentLines are what people read in place of such a message. The first one that does not name the thing is taken.
var unsentLines = []string{ // never written
	"🗑️ This message, or a part of it, was erased, because somebody had me forget what it names.",
	"🗑️",
}

// unsentLine is the line that does not name a thing; "" if there is none.
func unsentLine(about *mention.Thing) string {
	i := slices.IndexFunc(unsentLines, func(line string) bool { return !about.In(line) })
	if i < 0 {
		return ""
	}
	return unsentLines[i]
}

// ownTexts are the columns of a message that are replaced with its text. A message that names the thing in another one goes to
// a place that does.
var ownTexts = []string{"text", "file_text", "origin"} // never written

// endSend are the statements that put the line in the place of a message that is not over, and delete it otherwise. They
// are none for a message that is deleted whatever its state is.
func (s *Sweep) endSend(row *Row, place func(n int) string) []Statement {
	line := unsentLine(s.about)
	elsewhere := slices.ContainsFunc(row.Named, func(name string) bool {
		return s.Table.Columns[name].Rule == WholeRow && !slices.Contains(ownTexts, name)
	})
	if line == "" || elsewhere {
		return nil
	}
	set := ""
	for _, name := range row.Named {
		switch {
		case name == "origin": // as that of a question which is answered
			set += ", origin = 'forgotten ' || id"
		case s.Table.Columns[name].Rule == Emptied:
			set += ", " + name + " = NULL"
		}
	}
	owner, id, text := place(1), place(2), place(3)
	alone := `NOT EXISTS (SELECT 1 FROM chat_sends other WHERE other.owner_id = ` + owner + ` AND other.origin = chat_sends.origin
		AND other.id <> ` + id + ` AND other.text = ` + text + `)`
	of := " WHERE owner_id = " + owner + " AND id = " + id
	return []Statement{
		{
			Keys: 1, Values: []any{line},
			Query: "UPDATE chat_sends SET text = " + text + ", buttons = NULL, file_name = NULL, file_text = NULL" + set + of +
				" AND " + SendOpen + " AND (state NOT IN ('waiting', 'parked') OR " + alone + ")",
		},
		{Keys: 1, Values: []any{line}, Query: "DELETE FROM chat_sends" + of + " AND text <> " + text},
	}
}
