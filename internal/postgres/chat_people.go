package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

const personColumns = `platform, account, user_id, name, chat_id, state, for_owner, code_hash, asked_at, expires_at, approved_at, listed_id`

func errNoPerson() error {
	return fault.New(fault.NotFound, "person_not_found", "Nobody of this id is known.")
}

func scanPerson(row scanner) (gateway.Person, error) {
	var p gateway.Person
	var name, forOwner, listed sql.NullString
	var asked int64
	var expires, approved sql.NullInt64
	err := row.Scan(&p.Platform, &p.Account, &p.User, &name, &p.Chat, &p.State, &forOwner, &p.CodeHash, &asked, &expires, &approved, &listed)
	if isNoRows(err) {
		return p, errNoPerson()
	}
	if err != nil {
		return p, fmt.Errorf("read person: %w", err)
	}
	p.Name, p.Owner, p.Listed = name.String, forOwner.String, listed.String
	p.AskedAt, p.ExpiresAt, p.ApprovedAt = bound.FromMillis(asked), fromMillis(expires), fromMillis(approved)
	return p, nil
}

// Person implements gateway.People.
func (db *DB) Person(ctx context.Context, host owner.Owner, p gateway.Platform, account, user string) (gateway.Person, error) {
	return scanPerson(db.row(ctx, `SELECT `+personColumns+` FROM chat_people`+thePerson, host.ID(), string(p), account, user))
}

// ListPeople implements gateway.People.
func (db *DB) ListPeople(ctx context.Context, host owner.Owner, p gateway.Platform) ([]gateway.Person, error) {
	return rowsOf(ctx, db, func(rows *rows) (gateway.Person, error) { return scanPerson(rows) },
		`SELECT `+personColumns+` FROM chat_people WHERE owner_id = ?1 AND (?2::text = '' OR platform = ?2) ORDER BY platform, asked_at, user_id`, host.ID(), string(p))
}

// PutPerson implements gateway.People.
func (db *DB) PutPerson(ctx context.Context, host owner.Owner, p gateway.Person) error {
	if err := errNoOwner(host); err != nil {
		return err
	}
	var code any
	if len(p.CodeHash) > 0 {
		code = p.CodeHash
	}
	return db.w.submit(ctx, host, func(t *tx) error {
		_, err := t.exec(`INSERT INTO chat_people (owner_id, `+personColumns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (owner_id, platform, account, user_id) DO UPDATE
			SET name = excluded.name, chat_id = excluded.chat_id, state = excluded.state,
			for_owner = excluded.for_owner, code_hash = excluded.code_hash, asked_at = excluded.asked_at, expires_at = excluded.expires_at,
			approved_at = excluded.approved_at, listed_id = excluded.listed_id`,
			host.ID(), string(p.Platform), p.Account, p.User, null(p.Name), p.Chat, string(p.State), null(p.Owner), code, millis(p.AskedAt),
			millis(p.ExpiresAt), millis(p.ApprovedAt), null(p.Listed))
		return err
	})
}

// MovePerson implements gateway.People.
func (db *DB) MovePerson(ctx context.Context, host owner.Owner, p gateway.Platform, account, from, to string) (gateway.Person, error) {
	var moved gateway.Person
	err := db.w.submit(ctx, host, func(t *tx) error {
		who := func(user string) []any { return []any{host.ID(), string(p), account, user} }
		var approved bool
		err := t.row(`SELECT EXISTS (SELECT 1 FROM chat_people`+thePerson+` AND state = 'approved')`, who(from)...).Scan(&approved)
		if err == nil && !approved {
			err = errNoPerson()
		}
		if err != nil {
			return err
		}
		for _, step := range []struct {
			query string
			args  []any
		}{
			{`DELETE FROM chat_people` + thePerson + ` AND state <> 'approved'`, who(to)},
			{`UPDATE chat_people p SET user_id = ?5, chat_id = CASE WHEN chat_id = user_id THEN ?5 ELSE chat_id END
				WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 AND user_id = ?4 AND NOT EXISTS (SELECT 1 FROM chat_people x
				WHERE x.owner_id = p.owner_id AND x.platform = p.platform AND x.account = p.account AND x.user_id = ?5)`, append(who(from), to)},
			{`DELETE FROM chat_people` + thePerson + ` AND user_id <> ?`, append(who(from), to)},
		} {
			if _, err := t.exec(step.query, step.args...); err != nil {
				return fmt.Errorf("move a person: %w", err)
			}
		}
		moved, err = scanPerson(t.row(`SELECT `+personColumns+` FROM chat_people`+thePerson, who(to)...))
		return err
	})
	return moved, err
}

// thePerson selects one person.
const thePerson = ` WHERE owner_id = ? AND platform = ? AND account = ? AND user_id = ?`

// DropPerson implements gateway.People.
func (db *DB) DropPerson(ctx context.Context, host owner.Owner, p gateway.Platform, account, user string) error {
	return db.w.submit(ctx, host, func(t *tx) error {
		dropped, err := t.changed(`DELETE FROM chat_people WHERE owner_id = ?1 AND platform = ?2 AND (?3::text = '' OR account = ?3) AND user_id = ?4`,
			host.ID(), string(p), account, user)
		if err == nil && !dropped {
			err = errNoPerson()
		}
		return err
	})
}
