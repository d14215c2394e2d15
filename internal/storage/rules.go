package storage

import (
	"maps"
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/mention"
)

// This file has the rules for forgetting: for each text column, what happens to a text
// that names a forgotten thing. A store reads its tables from the database: a column without
// a rule is still searched, so that no certificate misses it, and fails a test.

// Rule says what happens to a text that names a forgotten thing.
type Rule int

// The rules.
const (
	// Unruled means that no rule exists: the text stays, and the certificate counts it.
	Unruled Rule = iota
	// Ours is never changed and never searched: the server made the text, and no text
	// of a client gets into it.
	Ours
	// WholeLineage names a session or a key: its lineage is deleted. The curator does
	// that between two turns.
	WholeLineage
	// Rewritten is changed by the curator between two turns, because memory and caches
	// depend on it. Sentences are removed from texts; values and names are replaced in
	// JSON and in ids.
	Rewritten
	// WholeRow is deleted with its row and the dependent rows.
	WholeRow
	// Emptied is set to null.
	Emptied
	// Replaced gets what stays of it without the thing. It is the body of an event.
	Replaced
)

// Form is the format of a column's text.
type Form int

// The formats.
const (
	Plain    Form = iota
	Values        // JSON of clients, whose numbers are searched, too
	Record        // JSON of this server, whose numbers are not searched
	Pieces        // record whose texts continue in the next row
	Marks         // mostly words of the protocol
	Named         // an id of a session, or a session key: the words with which this program begins them do not count
	OtherID       // an id of a conversation of another program
	Program       // a word for a program: where a session or a conversation comes from
	Target        // where a job delivers
	Asked         // the origin of a sent message
	Happened      // an event of a chat
	Spot          // what a place of an external memory is made of
	Heading       // the title of a session
)

// Column is the rule of a column.
type Column struct {
	Rule Rule
	Form Form
	// Read is what is searched in place of the column, as SQL; "" for the column itself.
	Read string
}

// Table are the columns of a table with data of owners.
type Table struct {
	// Key are the columns that identify an owner's rows, in the order of an index.
	Key []string
	// Whole are the columns of Key that identify the text whose pieces the rows are;
	// nil for none.
	Whole   []string
	Columns map[string]Column
	// Drop deletes a row and its dependent rows.
	Drop []Deletion
	// Along deletes the dependent rows of a row that stays without its text.
	Along []Deletion
}

// Deletion deletes the rows of a table in which some columns have the first values of a
// row's key.
type Deletion struct {
	Table string
	By    []string
	// And is a further condition, with ?1 for the owner and ?2 for the first value of the key;
	// "" for none. Keys is how many values of the key it has.
	And  string
	Keys int
}

// Foreign reports whether a table has no text of owners. The names and the session keys
// of API keys belong to the operator; the names are in the audit. The audit has no content, and its hash chain would
// show a change. Erasures are hashes, passes name keys by their ids, and
// providers are named in the configuration. Nodes are named by their machines, and places and
// tickets by hashes.
func Foreign(table string) bool {
	return slices.Contains([]string{
		"api_keys", "audit", "erasures", "id_ranges", "meta", "nodes", "owners", "passes", "places", "providers", "tickets",
	}, table)
}

// Tables are the tables with texts of owners, by name. Every store of all data has them.
var Tables = sync.OnceValue(func() map[string]Table {
	all := conversationTables()
	maps.Copy(all, derivedTables())
	maps.Copy(all, workTables())
	maps.Copy(all, chatTables())
	all["imports"] = importsTable()
	maps.Copy(all, providerTables())
	for _, t := range all {
		nameColumns(t.Columns)
	}
	return all
})

// nameColumns gives the ids and keys of sessions their form, in all tables.
func nameColumns(columns map[string]Column) {
	for _, name := range []string{"root_id", "session_id", "session_key", "parent_session_id"} {
		if c, has := columns[name]; has {
			c.Form = Named
			columns[name] = c
		}
	}
}

// conversationTables are the tables with messages and sessions.
func conversationTables() map[string]Table {
	return map[string]Table{
		"sessions": {
			Key: []string{"id"},
			Columns: map[string]Column{
				"id": {Rule: WholeLineage, Form: Named}, "root_id": {Rule: WholeLineage}, "session_key": {Rule: WholeLineage},
				"parent_session_id": {Rule: Rewritten},
				"source":            {Rule: Rewritten, Form: Program}, "user_id": {Rule: Rewritten}, "model": {Rule: Rewritten, Form: Marks},
				"system_prompt": {Rule: Rewritten},
				"title":         {Rule: Rewritten, Form: Heading}, "summary": {Rule: Rewritten}, "end_reason": {Rule: Rewritten, Form: Marks},
				"title_source": {Rule: Ours}, "metadata": {Rule: Rewritten, Form: Values},
			},
		},
		"messages": {
			Key: []string{"root_id", "seq"},
			Columns: map[string]Column{
				"root_id": {Rule: WholeLineage}, "session_id": {Rule: WholeLineage}, "session_key": {Rule: WholeLineage}, "role": {Rule: Ours},
				"name": {Rule: Rewritten, Read: unlessProgram("name")}, "content": {Rule: Rewritten}, "wire": {Rule: Rewritten, Form: Values},
				"tool_calls":   {Rule: Rewritten, Form: Values},
				"tool_call_id": {Rule: Rewritten}, "tool_name": {Rule: Rewritten}, "note": {Rule: Rewritten, Form: Marks},
				"finish_reason": {Rule: Rewritten, Form: Marks},
				"model":         {Rule: Rewritten, Form: Marks}, "receipt_id": {Rule: Rewritten},
				"receipt": {Rule: Rewritten, Form: Record}, "frame": {Rule: Ours},
			},
		},
		"texts": { // receipts show the remaining texts
			Key: []string{"id"}, Drop: []Deletion{
				{Table: "text_uses", By: []string{"text_id"}}, {Table: "texts", By: []string{"id"}},
			},
			Columns: map[string]Column{"content": {Rule: WholeRow, Form: Values}},
		},
		"text_uses": {
			Key: []string{"root_id", "text_id"}, Drop: []Deletion{{Table: "text_uses", By: []string{"root_id", "text_id"}}},
			Columns: map[string]Column{"root_id": {Rule: WholeRow}},
		},
		"requests": {
			Key: []string{"route", "key"}, Drop: []Deletion{{Table: "requests", By: []string{"route", "key"}}},
			Columns: map[string]Column{
				"route": {Rule: Ours}, "key": {Rule: WholeRow}, "outcome": {Rule: WholeRow, Form: Record}, "root_id": {Rule: WholeRow},
			},
		},
	}
}

// derivedTables are the tables with derived data.
func derivedTables() map[string]Table {
	return map[string]Table{
		"facts": { // rebuilt without the thing; a fact that still names it is deleted
			Key: []string{"root_id", "seq", "number"}, Drop: []Deletion{{Table: "facts", By: []string{"root_id", "seq", "number"}}},
			Columns: map[string]Column{
				"id": {Rule: Ours}, "kind": {Rule: Ours}, "role": {Rule: Ours}, "superseded_by": {Rule: Ours}, "links": {Rule: Ours},
				"doubted_by": {Rule: Ours},
				"root_id":    {Rule: WholeRow}, "session_id": {Rule: WholeRow},
				"speaker":   {Rule: WholeRow, Read: unlessProgram("speaker")},
				"quote":     {Rule: WholeRow},
				"statement": {Rule: WholeRow}, "subject": {Rule: WholeRow}, "attribute": {Rule: WholeRow}, "value": {Rule: WholeRow},
				"because": {Rule: WholeRow},
			},
		},
		"scopes": { // a scope goes with its last message
			Key:     []string{"id"},
			Columns: map[string]Column{"session_key": {Rule: WholeLineage}, "root_id": {Rule: WholeLineage}, "withdrawn": {Rule: Ours}},
		},
		"pieces": { // their blocks are bytes, and go when a message that they hold is changed or deleted
			Key: []string{"id"}, Columns: map[string]Column{"kind": {Rule: Ours}, "state": {Rule: Ours}},
		},
		"studies": {
			Key: []string{"root_id"}, Drop: []Deletion{{Table: "studies", By: []string{"root_id"}}},
			Columns: map[string]Column{"root_id": {Rule: WholeRow}, "vectors_by": {Rule: Emptied}},
		},
		"transcript_changes": { // an entry goes once the files of its session are written or removed
			Key: []string{"session_id"}, Columns: map[string]Column{"session_id": {Rule: WholeLineage}},
		},
		"work": {
			Key: []string{"root_id", "kind"}, Drop: []Deletion{{Table: "work", By: []string{"root_id", "kind"}}},
			Columns: map[string]Column{"root_id": {Rule: WholeRow}, "kind": {Rule: Ours}, "state": {Rule: Ours}, "error": {Rule: Emptied}},
		},
		"vectors": {
			Key: []string{"root_id", "seq"}, Drop: []Deletion{{Table: "vectors", By: []string{"root_id", "seq"}}},
			Columns: map[string]Column{"root_id": {Rule: WholeRow}, "session_key": {Rule: WholeRow}, "model": {Rule: WholeRow}},
		},
	}
}

// workTables are the tables of jobs, runs and requests.
func workTables() map[string]Table {
	return map[string]Table{
		"jobs": { // a job about the thing would mention it again
			Key: []string{"id"}, Drop: []Deletion{
				{Table: "deliveries", By: []string{"job_id"}}, {Table: "job_runs", By: []string{"job_id"}},
				{Table: "jobs", By: []string{"id"}},
			},
			Columns: map[string]Column{
				"id": {Rule: Ours}, "schedule": {Rule: Ours}, "timezone": {Rule: Ours}, "secret": {Rule: Ours}, "catch_up": {Rule: Ours},
				"state":       {Rule: Ours},
				"last_status": {Rule: Ours}, "name": {Rule: WholeRow}, "prompt": {Rule: WholeRow}, "session_id": {Rule: WholeRow},
				"session_key": {Rule: WholeRow},
				"deliver":     {Rule: WholeRow, Form: Target}, "model": {Rule: Emptied, Form: Marks},
			},
		},
		"job_runs": {
			Key: []string{"job_id", "due_at"},
			Columns: map[string]Column{
				"job_id": {Rule: Ours}, "id": {Rule: Ours}, "status": {Rule: Ours}, "reason": {Rule: Emptied}, "output": {Rule: Emptied},
				"error":      {Rule: Emptied},
				"session_id": {Rule: Emptied}, "responder": {Rule: Emptied, Form: Marks},
			},
		},
		"deliveries": {
			Key: []string{"id"}, Drop: []Deletion{{Table: "deliveries", By: []string{"id"}}},
			Columns: map[string]Column{
				"id": {Rule: Ours}, "job_id": {Rule: Ours}, "state": {Rule: Ours}, "target": {Rule: WholeRow, Form: Target}, "error": {Rule: Emptied},
			},
		},
		"runs": {
			Key: []string{"id"}, Drop: []Deletion{
				{Table: "files", By: []string{"run_id"}, And: "root_id IS NULL"},
				{Table: "run_events", By: []string{"run_id"}}, {Table: "runs", By: []string{"id"}},
			},
			Columns: map[string]Column{
				"id": {Rule: Ours}, "kind": {Rule: Ours}, "state": {Rule: Ours}, "on_restart": {Rule: Ours}, "session_id": {Rule: WholeRow},
				"root_id":     {Rule: WholeRow},
				"session_key": {Rule: WholeRow}, "model": {Rule: WholeRow, Form: Marks}, "client_key": {Rule: WholeRow},
				"request": {Rule: WholeRow, Form: Values},
				"turn":    {Rule: WholeRow, Form: Record}, "result": {Rule: WholeRow, Form: Record}, "failure": {Rule: WholeRow, Form: Record},
				"approvals": {Rule: WholeRow, Form: Record},
			},
		},
		"run_events": {
			Key: []string{"run_id", "seq"}, Whole: []string{"run_id"}, Drop: []Deletion{
				{Table: "run_events", By: []string{"run_id"}}, {Table: "runs", By: []string{"id"}},
			},
			Columns: map[string]Column{"run_id": {Rule: Ours}, "type": {Rule: Ours}, "data": {Rule: WholeRow, Form: Pieces}},
		},
	}
}

// chatTables are the tables of chat platforms. The names of platforms and bots are the
// operator's.
func chatTables() map[string]Table {
	place := map[string]Column{"platform": {Rule: Ours}, "account": {Rule: Ours}, "chat_id": {Rule: WholeRow}, "thread_id": {Rule: WholeRow}}
	with := func(columns map[string]Column) map[string]Column {
		maps.Copy(columns, place)
		return columns
	}
	person := with(map[string]Column{
		"user_id": {Rule: WholeRow}, "name": {Rule: Emptied}, "state": {Rule: Ours}, "for_owner": {Rule: Ours},
		"listed_id": {Rule: WholeRow},
	})
	delete(person, "thread_id")
	names := with(map[string]Column{"user_id": {Rule: WholeRow}, "name": {Rule: WholeRow}, "label": {Rule: WholeRow}})
	delete(names, "thread_id")
	unused := Deletion{ // the files of an event that no turn has stored
		Table: "files", And: "root_id IS NULL AND run_id IN (SELECT run_id FROM chat_events WHERE owner_id = ?1 AND number = ?2)", Keys: 1,
	}
	return map[string]Table{
		"chats": {
			Key:  []string{"platform", "account", "chat_id", "thread_id"},
			Drop: []Deletion{{Table: "chats", By: []string{"platform", "account", "chat_id", "thread_id"}}},
			Columns: with(map[string]Column{
				"type": {Rule: Ours}, "title": {Rule: Emptied}, "session_key": {Rule: WholeRow}, "session_id": {Rule: Emptied},
				"user_id": {Rule: WholeRow},
				"zone":    {Rule: Emptied}, "notice": {Rule: Ours}, "former_id": {Rule: Emptied},
			}),
		},
		"chat_names": {
			Key:     []string{"platform", "account", "chat_id", "user_id"},
			Drop:    []Deletion{{Table: "chat_names", By: []string{"platform", "account", "chat_id", "user_id"}}},
			Columns: names,
		},
		"chat_events": { // one that waits for its answer, or is being answered, stays without its words; others have none
			Key: []string{"number"}, Drop: []Deletion{unused, {Table: "chat_events", By: []string{"number"}}}, Along: []Deletion{unused},
			Columns: with(map[string]Column{
				"event_id": {Rule: WholeRow}, "kind": {Rule: Ours}, "user_id": {Rule: WholeRow}, "message_id": {Rule: Emptied},
				"state": {Rule: Ours}, "reason": {Rule: Emptied}, "run_id": {Rule: Ours}, "plan": {Rule: Emptied, Form: Record},
				"label": {Rule: Emptied}, "body": {Rule: Replaced, Form: Happened},
			}),
		},
		"chat_sends": {
			Key: []string{"id"}, Drop: []Deletion{{Table: "chat_sends", By: []string{"id"}}},
			Columns: with(map[string]Column{
				"id": {Rule: Ours}, "type": {Rule: Ours}, "origin": {Rule: WholeRow, Form: Asked}, "text": {Rule: WholeRow}, "buttons": {Rule: Ours},
				"file_name": {Rule: Ours}, "file_text": {Rule: WholeRow}, "reply_to": {Rule: Emptied},
				"interaction": {Rule: Emptied}, "state": {Rule: Ours},
				"message_id": {Rule: Emptied}, "error": {Rule: Emptied},
			}),
		},
		"files": { // their bytes are erased behind the rows
			Key: []string{"id"}, Drop: []Deletion{{Table: "files", By: []string{"id"}}},
			Columns: map[string]Column{
				"id": {Rule: Ours}, "kind": {Rule: Ours}, "name": {Rule: WholeRow}, "mime": {Rule: WholeRow, Form: Marks},
				"spoken": {Rule: WholeRow}, "run_id": {Rule: Ours}, "root_id": {Rule: WholeLineage},
			},
		},
		"chat_people": {
			Key:     []string{"platform", "account", "user_id"},
			Drop:    []Deletion{{Table: "chat_people", By: []string{"platform", "account", "user_id"}}},
			Columns: person,
		},
		"chat_rests": {
			Key:     []string{"platform", "account", "chat_id"},
			Drop:    []Deletion{{Table: "chat_rests", By: []string{"platform", "account", "chat_id"}}},
			Columns: map[string]Column{"platform": {Rule: Ours}, "account": {Rule: Ours}, "chat_id": {Rule: WholeRow}},
		},
		"chat_positions": { // what was last received there, for the adapter alone
			Key:     []string{"platform", "account"},
			Columns: map[string]Column{"platform": {Rule: Ours}, "account": {Rule: Ours}, "position": {Rule: Ours}},
		},
	}
}

// names reports whether a text of a column names the thing.
func (c Column) names(about *mention.Thing, text []byte) bool {
	switch c.Form {
	case Values:
		return about.InJSON(text)
	case Record, Pieces:
		return about.InRecord(text)
	case Marks:
		return about.InWords(string(text))
	case Named:
		return about.InName(string(text))
	case OtherID:
		return about.InForeign(string(text))
	case Program:
		return about.InSource(string(text))
	case Target:
		return about.InTarget(string(text))
	case Asked:
		return about.InOrigin(string(text))
	case Happened:
		return namesEvent(about, text)
	case Spot:
		return about.InPlace(string(text))
	case Heading:
		return about.InTitle(string(text))
	case Plain:
	}
	return about.In(string(text))
}
