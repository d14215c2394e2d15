package postgres

// The scope of a session key or of a lineage: ?1 is the owner, ?2 the key or the root.
const (
	scopeOfKey  = `(SELECT s.id FROM scopes s WHERE s.owner_id = ?1 AND s.session_key = ?2 AND s.root_id = '')`
	scopeOfRoot = `(SELECT s.id FROM scopes s WHERE s.owner_id = ?1 AND s.session_key = '' AND s.root_id = ?2)`
)

// The rows of one scope or one session key in the order of their numbers.
//
// If a statement asked for a scope by an equality and for an order by the number, PostgreSQL might
// read all rows of the owner in that order and leave out those of other scopes. It does for a small
// scope beside a large one, because it expects that every scope has as many rows. A comparison with a
// place in the index that begins with the scope leaves it no choice.
const (
	factsRising   = ` ORDER BY f.scope_id, f.number LIMIT `
	factsFalling  = ` ORDER BY f.scope_id DESC, f.number DESC LIMIT `
	messageRising = ` ORDER BY session_key, id LIMIT `
	lastNumber    = `9223372036854775807`
)

// factsAbove selects the facts of a scope above a number, and factsBelow those below one. All three
// are expressions.
func factsAbove(scope, number string) string {
	return `f.owner_id = ?1 AND (f.scope_id, f.number) > (` + scope + `, ` + number + `) AND (f.scope_id, f.number) <= (` + scope + `, ` + lastNumber + `)`
}

func factsBelow(scope, number string) string {
	return `f.owner_id = ?1 AND (f.scope_id, f.number) < (` + scope + `, ` + number + `) AND (f.scope_id, f.number) >= (` + scope + `, 0)`
}

// messagesAbove selects the messages of the session key ?2 above an id.
func messagesAbove(id string) string {
	return `owner_id = ?1 AND session_key IS NOT NULL AND (session_key, id) > (?2, ` + id + `) AND (session_key, id) <= (?2, ` + lastNumber + `)`
}
