package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
)

// object is a table, an index or a view that the migrations create.
type object struct{ kind, name, sql string }

// The text index, and the view from which it reads messages.
const (
	textIndex = "messages_fts"
	textView  = "messages_text"
)

// createTextIndex is the text index of this program. A file that has another one, such as that of
// its migrations, gets it at the start, and no data depend on it. Package search folds the words:
// SQLite's own folding knows other letters than that of the texts that are found.
const createTextIndex = `CREATE VIRTUAL TABLE messages_fts USING fts5(
  content, scope, content='messages_text', content_rowid='id',
  tokenize="porter unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);`

// textParts are the tables in which SQLite stores the text index.
func textParts() []string {
	return []string{textIndex + "_data", textIndex + "_idx", textIndex + "_docsize", textIndex + "_config"}
}

// emptiable reports whether a table can be filled again from other tables.
func emptiable(name string) bool {
	return slices.Contains([]string{"facts", "vectors", "scopes", "pieces", "piece_blocks", "transcript_changes"}, name)
}

// schemaObjects are the objects that the migrations create and do not drop again, in
// order. The last definition of a name counts. No caller may change the list: the scripts
// are read once in a process.
var schemaObjects = sync.OnceValues(func() ([]object, error) {
	scripts, err := migrationScripts()
	if err != nil {
		return nil, err
	}
	statement := regexp.MustCompile(`(?ms)^CREATE (?:UNIQUE )?(INDEX|TABLE|VIEW|VIRTUAL TABLE) (\w+)\b.*?;$`)
	dropped := regexp.MustCompile(`(?m)^DROP TABLE (\w+);$`)
	var out []object
	for _, script := range scripts {
		for _, m := range dropped.FindAllStringSubmatch(script, -1) {
			out = slices.DeleteFunc(out, func(old object) bool { return old.name == m[1] || strings.Contains(old.sql, " ON "+m[1]+" ") })
		}
		for _, m := range statement.FindAllStringSubmatch(script, -1) {
			o := object{kind: m[1], name: m[2], sql: m[0]}
			out = append(slices.DeleteFunc(out, func(old object) bool { return old.name == o.name }), o)
		}
	}
	return out, nil
})

// textStatements create the text index: its view, the index, and its settings. No caller
// may change the list.
var textStatements = sync.OnceValues(func() ([]string, error) {
	objects, err := schemaObjects()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(objects, func(o object) bool { return o.name == textView })
	if i < 0 {
		return nil, fmt.Errorf("no migration makes %s", textView)
	}
	out := []string{objects[i].sql, createTextIndex}
	scripts, err := migrationScripts()
	if err != nil {
		return nil, err
	}
	settings := regexp.MustCompile(`(?ms)^INSERT INTO messages_fts\(messages_fts, rank\).*?;$`)
	return append(out, settings.FindAllString(strings.Join(scripts, "\n"), -1)...), nil
})

// thereNow are the statements of the objects in the file, by name.
func thereNow(ctx context.Context, conn querier) (map[string]string, error) {
	rows, err := conn.QueryContext(ctx, `SELECT name, coalesce(sql, '') FROM sqlite_schema`)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	there := make(map[string]string)
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		there[name] = text
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return there, nil
}

// missing are the objects that the file lacks, except the text index.
func missing(objects []object, there map[string]string) []object {
	var out []object
	for _, o := range objects {
		if _, ok := there[o.name]; !ok && o.name != textIndex && o.name != textView {
			out = append(out, o)
		}
	}
	return out
}

// mendSchema recreates missing derived objects, and returns the tables that must be
// filled. If a table is missing that cannot be recreated, it fails before it changes
// anything.
func mendSchema(ctx context.Context, conn *sql.Conn, log *slog.Logger) (lost []string, err error) {
	objects, err := schemaObjects()
	if err != nil {
		return nil, err
	}
	there, err := thereNow(ctx, conn)
	if err != nil {
		return nil, err
	}
	gone := missing(objects, there)
	for _, o := range gone {
		if o.kind == "TABLE" && !emptiable(o.name) {
			return nil, fault.New(fault.Invalid, "incomplete_database", fmt.Sprintf(
				"The database lacks the table %s, which cannot be rebuilt. Keep a copy of the file, and restore a backup.", o.name))
		}
	}
	for _, o := range gone {
		if _, err := conn.ExecContext(ctx, o.sql); err != nil {
			return nil, fmt.Errorf("make %s again: %w", o.name, err)
		}
		log.WarnContext(ctx, "the database lacked a derived table or index; it was rebuilt", "name", o.name)
		if o.kind == "TABLE" {
			lost = append(lost, o.name)
		}
	}
	if lost, err = refillScopes(ctx, conn, lost); err != nil {
		return nil, err
	}
	if lost, err = lostFacts(ctx, conn, lost); err != nil {
		return nil, err
	}
	if slices.Contains(lost, "vectors") { // the vectors are requested from the model again
		if _, err := conn.ExecContext(ctx, `UPDATE studies SET vectors_to = 0`); err != nil {
			return nil, fmt.Errorf("ask for vectors again: %w", err)
		}
	}
	return lost, nil
}

// refillScopes fills the lost table of scopes from the messages. The scopes have other ids
// then, so the facts and pieces of the earlier ones are lost, too. It returns the lost
// tables.
func refillScopes(ctx context.Context, conn *sql.Conn, lost []string) ([]string, error) {
	var queries []string
	if slices.Contains(lost, "scopes") {
		fill, err := fillingScopes()
		if err != nil {
			return nil, err
		}
		queries = append(queries, fill, `DELETE FROM facts`)
		if !slices.Contains(lost, "facts") {
			lost = append(lost, "facts")
		}
	}
	if slices.ContainsFunc(lost, func(name string) bool { return name == "scopes" || name == "pieces" || name == "piece_blocks" }) {
		queries = append(queries, `DELETE FROM pieces`, `DELETE FROM piece_blocks`)
	}
	for _, query := range queries {
		if _, err := conn.ExecContext(ctx, query); err != nil {
			return nil, fmt.Errorf("make the lost tables again: %w", err)
		}
	}
	return lost, nil
}

// fillingScopes is the statement of the migration that fills the table of scopes.
func fillingScopes() (string, error) {
	scripts, err := migrationScripts()
	if err != nil {
		return "", err
	}
	fill := regexp.MustCompile(`(?ms)^INSERT INTO scopes .*?;$`).FindString(strings.Join(scripts, "\n"))
	if fill == "" {
		return "", errors.New("no migration fills the table of scopes")
	}
	return fill, nil
}

// lostFacts adds the facts to the lost tables if they must be distilled again. A mark in
// the file says so until [DB.Filled], so that a crash before does not leave them out.
func lostFacts(ctx context.Context, conn *sql.Conn, lost []string) ([]string, error) {
	if slices.Contains(lost, "facts") {
		if _, err := conn.ExecContext(ctx, `INSERT OR REPLACE INTO meta (name, value) VALUES ('facts_lost', '1')`); err != nil {
			return nil, fmt.Errorf("mark the facts as lost: %w", err)
		}
		return lost, nil
	}
	var marked int
	if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM meta WHERE name = 'facts_lost'`).Scan(&marked); err != nil {
		return nil, fmt.Errorf("look for lost facts: %w", err)
	}
	if marked > 0 {
		lost = append(lost, "facts")
	}
	return lost, nil
}

// Filled records that the lost facts were distilled again.
func (db *DB) Filled(ctx context.Context) error {
	return db.w.submit(ctx, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM meta WHERE name = 'facts_lost'`); err != nil {
			return fmt.Errorf("clear the mark of lost facts: %w", err)
		}
		return nil
	})
}

// lostParts is the damage of the text index by missing or wrong tables; "" for none.
func lostParts(ctx context.Context, conn querier) (string, error) {
	statements, err := textStatements()
	if err != nil {
		return "", err
	}
	there, err := thereNow(ctx, conn)
	if err != nil {
		return "", err
	}
	for i, name := range []string{textView, textIndex} {
		switch text, ok := there[name]; {
		case !ok:
			return name + " was missing", nil
		case text != strings.TrimSuffix(statements[i], ";"):
			return name + " was another table", nil
		}
	}
	for _, name := range textParts() {
		if _, ok := there[name]; !ok {
			return name + " was missing", nil
		}
	}
	return lostSettings(ctx, conn)
}

// lostSettings is why the text index cannot be opened; "" if it can. A connection that
// has it open does not notice by itself.
func lostSettings(ctx context.Context, conn querier) (string, error) {
	var version int
	err := conn.QueryRowContext(ctx, `SELECT v FROM messages_fts_config WHERE k = 'version'`).Scan(&version)
	if isNoRows(err) {
		return "its settings were missing", nil
	}
	if err == nil {
		var id int64
		if err = conn.QueryRowContext(ctx, `SELECT rowid FROM messages_fts LIMIT 0`).Scan(&id); isNoRows(err) {
			return "", nil
		}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return fmt.Sprintf("it could not be opened: %v", err), nil
}

// rawExec runs a statement without preparing it.
func (t *tx) rawExec(query string) error {
	_, err := t.w.conn.ExecContext(t.ctx, query)
	return err
}

// dropIndex removes the text index from the schema, in any condition. SQLite can only
// drop an index that it can open, which requires the table of settings.
func (t *tx) dropIndex() error {
	there, err := thereNow(t.ctx, t.w.conn)
	if err != nil {
		return err
	}
	var drops []string
	if strings.HasPrefix(there[textIndex], "CREATE VIRTUAL TABLE") {
		drops = append(drops, `CREATE TABLE IF NOT EXISTS messages_fts_config(k PRIMARY KEY, v) WITHOUT ROWID`,
			`INSERT OR REPLACE INTO messages_fts_config VALUES ('version', 4)`)
	}
	drops = append(drops, `DROP TABLE IF EXISTS messages_fts`)
	for _, name := range textParts() {
		drops = append(drops, `DROP TABLE IF EXISTS `+name)
	}
	kind := "VIEW"
	if strings.HasPrefix(there[textView], "CREATE TABLE") {
		kind = "TABLE"
	}
	for _, drop := range append(drops, `DROP `+kind+` IF EXISTS messages_text`) {
		if err := t.rawExec(drop); err != nil {
			return fmt.Errorf("drop the index: %w", err)
		}
	}
	return nil
}
