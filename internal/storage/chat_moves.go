package storage

import "strings"

// ChatMoves are the statements that give a chat, with its threads, another id, in their order. Their arguments are the
// owner, the platform, the account, the old id and the new one. A chat that stands under the new id already
// came about before the move was known: its events and messages are kept, and go on in the memory and the sessions
// of the old chat. If the move was known before, the chat under the new id is the old chat, and keeps its own.
func ChatMoves() []string {
	const (
		person = `(o.user_id = n.user_id OR o.label = n.label)`
		known  = `EXISTS (SELECT 1 FROM chats c WHERE {new c} AND c.former_id = ?4)`
		pair   = `{old o} AND {new n} AND o.thread_id = n.thread_id`
		key    = `(SELECT c.session_key FROM chats c WHERE {new c} AND c.former_id = ?4 ORDER BY c.created_at LIMIT 1)`
	)
	list := []string{
		`DELETE FROM chat_names AS n WHERE {new n} AND NOT ` + known + `
			AND EXISTS (SELECT 1 FROM chat_names o WHERE {old o} AND ` + person + `)`,
		`DELETE FROM chat_names AS o WHERE {old o} AND EXISTS (SELECT 1 FROM chat_names n WHERE {new n} AND ` + person + `)`,
		`UPDATE chat_names AS o SET chat_id = ?5 WHERE {old o}`,

		`UPDATE chats AS n SET home = n.home OR o.home, title = coalesce(n.title, o.title), zone = coalesce(n.zone, o.zone),
			active_at = CASE WHEN o.active_at > n.active_at THEN o.active_at ELSE n.active_at END FROM chats AS o WHERE ` + pair,
		`UPDATE chats AS n SET session_key = o.session_key, session_id = o.session_id, notice = o.notice, former_id = o.chat_id,
			created_at = o.created_at FROM chats AS o WHERE ` + pair + ` AND coalesce(n.former_id, '') <> ?4`,
		`DELETE FROM chats AS o WHERE {old o} AND EXISTS (SELECT 1 FROM chats n WHERE ` + pair + `)`,
		`UPDATE chats AS o SET former_id = o.chat_id, chat_id = ?5 WHERE {old o}`,
		`UPDATE chats AS n SET session_key = ` + key + `, session_id = NULL WHERE {new n} AND n.session_key <> ` + key,

		`UPDATE chat_events AS o SET chat_id = ?5 WHERE {old o}`,
		`UPDATE chat_sends AS o SET chat_id = ?5 WHERE {old o}`,
	}
	var rows []string
	for _, alias := range []string{"o", "n", "c"} {
		bot := strings.ReplaceAll(`x.owner_id = ?1 AND x.platform = ?2 AND x.account = ?3 AND x.chat_id = `, "x.", alias+".")
		rows = append(rows, "{old "+alias+"}", bot+"?4", "{new "+alias+"}", bot+"?5")
	}
	for i := range list {
		list[i] = strings.NewReplacer(rows...).Replace(list[i])
	}
	return list
}
