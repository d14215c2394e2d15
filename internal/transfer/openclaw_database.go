package transfer

import (
	"context"
	"slices"
)

// database reads the transcripts of a database.
func (o *openclaw) database(ctx context.Context, f *File, files []*File) error {
	db, err := openCopy(ctx, f, files)
	if err != nil {
		return err
	}
	defer db.close()
	for _, table := range []string{"sessions", "session_windows"} {
		if err := o.tableKeys(ctx, db, table); err != nil {
			return err
		}
	}
	var l *clawLog
	flush := func() error {
		if l == nil {
			return nil
		}
		return o.finish(f, l, o.keys[l.id])
	}
	err = db.each(ctx, `SELECT session_id, seq, event_json, created_at FROM transcript_events ORDER BY session_id, seq`, func(row map[string]any) error {
		id := textOf(row["session_id"])
		if l == nil || l.id != id {
			if err := flush(); err != nil {
				return err
			}
			l = o.newLog(f, id)
		}
		var e clawEvent
		raw := []byte(textOf(row["event_json"]))
		if !o.parsed(raw, &e, "event", f.Name+", session "+id) {
			l.skip()
			return nil
		}
		if e.Timestamp.IsZero() {
			e.Timestamp.Time = parseStamp(textOf(row["created_at"]))
		}
		if e.Type == "session" {
			e.ID = id
		}
		return l.add(e, raw)
	})
	if err != nil {
		return err
	}
	return flush()
}

// tableKeys reads which key leads to which session from a table that may not be there.
func (o *openclaw) tableKeys(ctx context.Context, db *database, table string) error {
	names, err := db.columns(ctx, table)
	if err != nil {
		return err
	}
	key, id := firstOf(names, "session_key", "key"), firstOf(names, "session_id", "current_session_id", "id")
	if key == "" || id == "" {
		return nil
	}
	return db.each(ctx, `SELECT `+key+` AS k, `+id+` AS id FROM `+table, func(row map[string]any) error { // names from the list above
		o.keys[textOf(row["id"])] = textOf(row["k"])
		return nil
	})
}

// firstOf is the first of some names that a list has; "" for none.
func firstOf(list []string, names ...string) string {
	for _, name := range names {
		if slices.Contains(list, name) {
			return name
		}
	}
	return ""
}
