package storage

import "github.com/hermes-memory/hermes/internal/session"

// SpokenCount is an expression over a row t of sessions. It counts the messages of the lineage that
// [session.Spoken] keeps. A result of a tool belongs to the message before it.
const SpokenCount = `(SELECT count(*) FROM messages m WHERE m.owner_id = t.owner_id AND m.root_id = t.root_id AND m.undone_at IS NULL
	AND coalesce(CASE WHEN m.role <> 'tool' THEN m.note ELSE (SELECT c.note FROM messages c WHERE c.owner_id = m.owner_id
		AND c.root_id = m.root_id AND c.seq < m.seq AND c.role <> 'tool' AND c.undone_at IS NULL ORDER BY c.seq DESC LIMIT 1) END, '') <> '` + session.AsideNote + `')`

// UndoneCount is an expression over a row t of sessions. It counts the undone messages of the lineage.
const UndoneCount = `(SELECT count(m.undone_at) FROM messages m WHERE m.owner_id = t.owner_id AND m.root_id = t.root_id)`
