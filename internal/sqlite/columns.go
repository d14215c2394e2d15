package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/mention"
)

// This file has the rules for forgetting: for each text column, what happens to a text
// that names a forgotten thing. The tables are read from the database: a column without
// a rule is still searched, so that no certificate misses it, and fails a test.

// rule says what happens to a text that names a forgotten thing.
type rule int

const (
	// unruled means that no rule exists: the text stays, and the certificate counts it.
	unruled rule = iota
	// ours is never changed and never searched: the server made the text, and no text
	// of a client gets into it.
	ours
	// wholeLineage names a session or a key: its lineage is deleted. The curator does
	// that between two turns.
	wholeLineage
	// rewritten is changed by the curator between two turns, because memory and caches
	// depend on it. Sentences are removed from texts; values and names are replaced in
	// JSON and in ids.
	rewritten
	// wholeRow is deleted with its row and the dependent rows.
	wholeRow
	// emptied is set to null.
	emptied
)

// form is the format of a column's text.
type form int

const (
	plain  form = iota
	values      // JSON of clients, whose numbers are searched, too
	record      // JSON of this server, whose numbers are not searched
	pieces      // record whose texts continue in the next row
	marks       // mostly words of the protocol
)

// column is the rule of a column.
type column struct {
	rule rule
	form form
}

// erasable are the columns of a table with data of owners.
type erasable struct {
	// key are the columns that identify an owner's rows, in the order of an index.
	key []string
	// whole are the columns of key that identify the text whose pieces the rows are;
	// nil for none.
	whole   []string
	columns map[string]column
	// drop deletes a row and its dependent rows; the owner and the key are ?1, ?2…
	drop []string
}

// foreign reports whether a table has no text of owners. The names and the session keys
// of API keys belong to the operator; the names are in the audit. The audit has no content, and its hash chain would
// show a change. Erasures are hashes.
func foreign(table string) bool {
	return slices.Contains([]string{"api_keys", "audit", "erasures", "id_ranges", "meta"}, table)
}

// erasables are the tables with texts of owners.
var erasables = sync.OnceValue(func() map[string]erasable {
	all := conversationTables()
	maps.Copy(all, derivedTables())
	maps.Copy(all, workTables())
	maps.Copy(all, chatTables())
	return all
})

// conversationTables are the tables with messages and sessions.
func conversationTables() map[string]erasable {
	return map[string]erasable{
		"sessions": {
			key: []string{"id"},
			columns: map[string]column{
				"id": {rule: wholeLineage}, "root_id": {rule: wholeLineage}, "session_key": {rule: wholeLineage},
				"parent_session_id": {rule: rewritten},
				"source":            {rule: rewritten, form: marks}, "user_id": {rule: rewritten}, "model": {rule: rewritten, form: marks},
				"system_prompt": {rule: rewritten},
				"title":         {rule: rewritten}, "summary": {rule: rewritten}, "end_reason": {rule: rewritten, form: marks},
				"title_source": {rule: ours}, "metadata": {rule: rewritten, form: values},
			},
		},
		"messages": {
			key: []string{"root_id", "seq"},
			columns: map[string]column{
				"root_id": {rule: wholeLineage}, "session_id": {rule: wholeLineage}, "session_key": {rule: wholeLineage}, "role": {rule: ours},
				"name": {rule: rewritten}, "content": {rule: rewritten}, "wire": {rule: rewritten, form: values},
				"tool_calls":   {rule: rewritten, form: values},
				"tool_call_id": {rule: rewritten}, "tool_name": {rule: rewritten}, "note": {rule: rewritten, form: marks},
				"finish_reason": {rule: rewritten, form: marks},
				"model":         {rule: rewritten, form: marks}, "receipt_id": {rule: rewritten},
				"receipt": {rule: rewritten, form: record}, "frame": {rule: ours},
			},
		},
		"texts": { // receipts show the remaining texts
			key: []string{"id"}, drop: []string{
				`DELETE FROM text_uses WHERE owner_id = ?1 AND text_id = ?2`, `DELETE FROM texts WHERE owner_id = ?1 AND id = ?2`,
			},
			columns: map[string]column{"content": {rule: wholeRow, form: values}},
		},
		"text_uses": {
			key: []string{"root_id", "text_id"}, drop: []string{`DELETE FROM text_uses WHERE owner_id = ?1 AND root_id = ?2 AND text_id = ?3`},
			columns: map[string]column{"root_id": {rule: wholeRow}},
		},
		"requests": {
			key: []string{"route", "key"}, drop: []string{`DELETE FROM requests WHERE owner_id = ?1 AND route = ?2 AND key = ?3`},
			columns: map[string]column{
				"route": {rule: ours}, "key": {rule: wholeRow}, "outcome": {rule: wholeRow, form: record}, "root_id": {rule: wholeRow},
			},
		},
	}
}

// derivedTables are the tables with derived data.
func derivedTables() map[string]erasable {
	const byPlace = ` WHERE owner_id = ?1 AND root_id = ?2 AND seq = ?3`
	const byNumber = byPlace + ` AND number = ?4`
	return map[string]erasable{
		"facts": { // rebuilt without the thing; a fact that still names it is deleted
			key: []string{"root_id", "seq", "number"}, drop: []string{
				`UPDATE scopes SET version = version + 1, edition = edition + 1, stale = 1 WHERE id = (SELECT scope_id FROM facts` + byNumber + `)`,
				`UPDATE pieces SET state = 'erased' WHERE kind = 'facts' AND scope_id = (SELECT scope_id FROM facts` + byNumber + `)`,
				`DELETE FROM facts` + byNumber,
			},
			columns: map[string]column{
				"id": {rule: ours}, "kind": {rule: ours}, "role": {rule: ours}, "superseded_by": {rule: ours}, "links": {rule: ours},
				"doubted_by": {rule: ours},
				"root_id":    {rule: wholeRow}, "session_id": {rule: wholeRow}, "speaker": {rule: wholeRow},
				"quote":     {rule: wholeRow},
				"statement": {rule: wholeRow}, "subject": {rule: wholeRow}, "attribute": {rule: wholeRow}, "value": {rule: wholeRow},
				"because": {rule: wholeRow},
			},
		},
		"scopes": { // a scope goes with its last message
			key:     []string{"id"},
			columns: map[string]column{"session_key": {rule: wholeLineage}, "root_id": {rule: wholeLineage}, "withdrawn": {rule: ours}},
		},
		"pieces": { // their blocks are bytes, and go when a message that they hold is changed or deleted
			key: []string{"id"}, columns: map[string]column{"kind": {rule: ours}, "state": {rule: ours}},
		},
		"studies": {
			key: []string{"root_id"}, drop: []string{`DELETE FROM studies WHERE owner_id = ?1 AND root_id = ?2`},
			columns: map[string]column{"root_id": {rule: wholeRow}, "vectors_by": {rule: emptied}},
		},
		"transcript_changes": { // an entry goes once the files of its session are written or removed
			key: []string{"session_id"}, columns: map[string]column{"session_id": {rule: wholeLineage}},
		},
		"work": {
			key: []string{"root_id", "kind"}, drop: []string{`DELETE FROM work WHERE owner_id = ?1 AND root_id = ?2 AND kind = ?3`},
			columns: map[string]column{"root_id": {rule: wholeRow}, "kind": {rule: ours}, "state": {rule: ours}, "error": {rule: emptied}},
		},
		"vectors": {
			key: []string{"root_id", "seq"}, drop: []string{`DELETE FROM vectors` + byPlace},
			columns: map[string]column{"root_id": {rule: wholeRow}, "session_key": {rule: wholeRow}, "model": {rule: wholeRow}},
		},
	}
}

// workTables are the tables of jobs, runs and requests.
func workTables() map[string]erasable {
	return map[string]erasable{
		"jobs": { // a job about the thing would mention it again
			key: []string{"id"}, drop: []string{
				`DELETE FROM deliveries WHERE owner_id = ?1 AND job_id = ?2`, `DELETE FROM job_runs WHERE owner_id = ?1 AND job_id = ?2`,
				`DELETE FROM jobs WHERE owner_id = ?1 AND id = ?2`,
			},
			columns: map[string]column{
				"id": {rule: ours}, "schedule": {rule: ours}, "timezone": {rule: ours}, "secret": {rule: ours}, "catch_up": {rule: ours},
				"state":       {rule: ours},
				"last_status": {rule: ours}, "name": {rule: wholeRow}, "prompt": {rule: wholeRow}, "session_id": {rule: wholeRow},
				"session_key": {rule: wholeRow},
				"deliver":     {rule: wholeRow}, "model": {rule: emptied, form: marks},
			},
		},
		"job_runs": {
			key: []string{"job_id", "due_at"},
			columns: map[string]column{
				"job_id": {rule: ours}, "id": {rule: ours}, "status": {rule: ours}, "reason": {rule: emptied}, "output": {rule: emptied},
				"error":      {rule: emptied},
				"session_id": {rule: emptied}, "responder": {rule: emptied, form: marks},
			},
		},
		"deliveries": {
			key: []string{"id"}, drop: []string{`DELETE FROM deliveries WHERE owner_id = ?1 AND id = ?2`},
			columns: map[string]column{
				"id": {rule: ours}, "job_id": {rule: ours}, "state": {rule: ours}, "target": {rule: wholeRow}, "error": {rule: emptied},
			},
		},
		"runs": {
			key: []string{"id"}, drop: []string{
				`DELETE FROM files WHERE owner_id = ?1 AND run_id = ?2 AND root_id IS NULL`,
				`DELETE FROM run_events WHERE owner_id = ?1 AND run_id = ?2`, `DELETE FROM runs WHERE owner_id = ?1 AND id = ?2`,
			},
			columns: map[string]column{
				"id": {rule: ours}, "kind": {rule: ours}, "state": {rule: ours}, "on_restart": {rule: ours}, "session_id": {rule: wholeRow},
				"root_id":     {rule: wholeRow},
				"session_key": {rule: wholeRow}, "model": {rule: wholeRow, form: marks}, "client_key": {rule: wholeRow},
				"request": {rule: wholeRow, form: values},
				"turn":    {rule: wholeRow, form: record}, "result": {rule: wholeRow, form: record}, "failure": {rule: wholeRow, form: record},
				"approvals": {rule: wholeRow, form: record},
			},
		},
		"run_events": {
			key: []string{"run_id", "seq"}, whole: []string{"run_id"}, drop: []string{
				`DELETE FROM run_events WHERE owner_id = ?1 AND run_id = ?2`, `DELETE FROM runs WHERE owner_id = ?1 AND id = ?2`,
			},
			columns: map[string]column{"run_id": {rule: ours}, "type": {rule: ours}, "data": {rule: wholeRow, form: pieces}},
		},
	}
}

// chatTables are the tables of chat platforms. The names of platforms and bots are the
// operator's.
func chatTables() map[string]erasable {
	place := map[string]column{"platform": {rule: ours}, "account": {rule: ours}, "chat_id": {rule: wholeRow}, "thread_id": {rule: wholeRow}}
	with := func(columns map[string]column) map[string]column {
		maps.Copy(columns, place)
		return columns
	}
	person := with(map[string]column{
		"user_id": {rule: wholeRow}, "name": {rule: emptied}, "state": {rule: ours}, "for_owner": {rule: ours},
	})
	delete(person, "thread_id")
	names := with(map[string]column{"user_id": {rule: wholeRow}, "name": {rule: wholeRow}, "label": {rule: wholeRow}})
	delete(names, "thread_id")
	return map[string]erasable{
		"chats": {
			key:  []string{"platform", "account", "chat_id", "thread_id"},
			drop: []string{`DELETE FROM chats WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 AND chat_id = ?4 AND thread_id = ?5`},
			columns: with(map[string]column{
				"type": {rule: ours}, "title": {rule: emptied}, "session_key": {rule: wholeRow}, "session_id": {rule: emptied},
				"user_id": {rule: wholeRow},
				"zone":    {rule: emptied}, "notice": {rule: ours},
			}),
		},
		"chat_names": {
			key:     []string{"platform", "account", "chat_id", "user_id"},
			drop:    []string{`DELETE FROM chat_names WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 AND chat_id = ?4 AND user_id = ?5`},
			columns: names,
		},
		"chat_events": {
			key: []string{"number"}, drop: []string{
				`DELETE FROM files WHERE root_id IS NULL AND (owner_id, run_id) IN (SELECT owner_id, run_id FROM chat_events WHERE owner_id = ?1 AND number = ?2)`,
				`DELETE FROM chat_events WHERE owner_id = ?1 AND number = ?2`,
			},
			columns: with(map[string]column{
				"event_id": {rule: wholeRow}, "kind": {rule: ours}, "user_id": {rule: wholeRow}, "message_id": {rule: emptied},
				"state": {rule: ours}, "reason": {rule: emptied}, "run_id": {rule: ours}, "plan": {rule: wholeRow, form: record},
				"label": {rule: wholeRow}, "body": {rule: wholeRow, form: record},
			}),
		},
		"chat_sends": {
			key: []string{"id"}, drop: []string{`DELETE FROM chat_sends WHERE owner_id = ?1 AND id = ?2`},
			columns: with(map[string]column{
				"id": {rule: ours}, "type": {rule: ours}, "origin": {rule: wholeRow}, "text": {rule: wholeRow}, "buttons": {rule: ours},
				"file_name": {rule: ours}, "file_text": {rule: wholeRow}, "reply_to": {rule: emptied},
				"interaction": {rule: emptied}, "state": {rule: ours},
				"message_id": {rule: emptied}, "error": {rule: emptied},
			}),
		},
		"files": { // their bytes are erased behind the rows
			key: []string{"id"}, drop: []string{`DELETE FROM files WHERE owner_id = ?1 AND id = ?2`},
			columns: map[string]column{
				"id": {rule: ours}, "kind": {rule: ours}, "name": {rule: wholeRow}, "mime": {rule: wholeRow, form: marks},
				"spoken": {rule: wholeRow}, "run_id": {rule: ours}, "root_id": {rule: wholeLineage},
			},
		},
		"chat_people": {
			key:     []string{"platform", "account", "user_id"},
			drop:    []string{`DELETE FROM chat_people WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 AND user_id = ?4`},
			columns: person,
		},
		"chat_positions": { // what was last received there, for the adapter alone
			key:     []string{"platform", "account"},
			columns: map[string]column{"platform": {rule: ours}, "account": {rule: ours}, "position": {rule: ours}},
		},
	}
}

// textColumns are the columns of the database that can contain text, by table. The text
// index has separate tables, which are derived from the messages.
func textColumns(ctx context.Context, in querier) (map[string][]string, error) {
	const query = `SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type NOT IN ('INTEGER', 'REAL', 'BLOB') ORDER BY 1, c.cid`
	rows, err := in.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := make(map[string][]string)
	for rows.Next() {
		var table, name string
		if err := rows.Scan(&table, &name); err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		if name != "owner_id" && !foreign(table) {
			out[table] = append(out[table], name)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return out, nil
}

// checkColumns returns the text columns without a rule, and the rules without a column.
func checkColumns(ctx context.Context, in querier) ([]string, error) {
	found, err := textColumns(ctx, in)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for table, names := range found {
		for _, name := range names {
			if erasables()[table].columns[name].rule == unruled {
				wrong = append(wrong, table+"."+name+" has no rule")
			}
		}
	}
	for table, e := range erasables() {
		for name := range e.columns {
			if !slices.Contains(found[table], name) {
				wrong = append(wrong, table+"."+name+" is no text")
			}
		}
	}
	slices.Sort(wrong)
	return wrong, nil
}

// names reports whether a text of a column names the thing.
func (c column) names(about *mention.Thing, text []byte) bool {
	switch c.form {
	case values:
		return about.InJSON(text)
	case record, pieces:
		return about.InRecord(text)
	case marks:
		return about.InWords(string(text))
	case plain:
	}
	return about.In(string(text))
}
