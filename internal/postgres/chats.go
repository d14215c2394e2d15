package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
)

// atPlace selects the rows of a place.
const atPlace = `owner_id = ? AND platform = ? AND account = ? AND chat_id = ? AND thread_id = ?`

func placeArgs(o owner.Owner, at gateway.Place) []any {
	return []any{o.ID(), string(at.Platform), at.Account, at.Chat, at.Thread}
}

// openChat makes the chat of an event, if it is new, and notes that it is active. Its key is that of the chat's other
// threads. If there are none, it is the short one, unless another chat of the bot has it.
func (t *tx) openChat(a *gateway.Admitted, at any) error {
	e := &a.Event
	user := ""
	if e.Type == gateway.DM {
		user = e.From.ID
	}
	args := append(placeArgs(a.Owner, e.Place), string(e.Type), null(e.Title), string(a.Keys.Short), string(a.Keys.Long),
		null(user), null(e.From.Zone), at)
	const insert = `INSERT INTO chats (owner_id, platform, account, chat_id, thread_id, type, title, session_key, user_id, zone, active_at, created_at)
		SELECT ?1::text, ?2::text, ?3::text, ?4::text, ?5::text, ?6::text, ?7::text,
			coalesce((SELECT session_key FROM chats WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 AND chat_id = ?4 LIMIT 1),
				CASE WHEN ?8::text = '' OR EXISTS (SELECT 1 FROM chats WHERE owner_id = ?1 AND platform = ?2 AND account = ?3
					AND session_key = ?8) THEN ?9 ELSE ?8 END),
			?10::text, ?11::text, ?12::bigint, ?12::bigint
		WHERE true ON CONFLICT (owner_id, platform, account, chat_id, thread_id)
		DO UPDATE SET title = coalesce(excluded.title, chats.title), zone = coalesce(excluded.zone, chats.zone),
			active_at = excluded.active_at`
	if _, err := t.exec(insert, args...); err != nil {
		return fmt.Errorf("open chat: %w", err)
	}
	return nil
}

const chatColumns = `platform, account, chat_id, thread_id, type, title, session_key, session_id, user_id, zone, notice, home, active_at, created_at, former_id`

const selectChat = `SELECT ` + chatColumns + ` FROM chats WHERE ` + atPlace

func scanChat(row scanner) (gateway.Chat, error) {
	var c gateway.Chat
	var title, id, user, zone, notice, former sql.NullString
	var active, created int64
	err := row.Scan(&c.Place.Platform, &c.Place.Account, &c.Place.Chat, &c.Place.Thread, &c.Type, &title, &c.Key, &id, &user, &zone, &notice,
		&c.Home, &active, &created, &former)
	if isNoRows(err) {
		return c, fault.New(fault.NotFound, "chat_not_found", "There is no such chat.")
	}
	if err != nil {
		return c, fmt.Errorf("read chat: %w", err)
	}
	c.Title, c.Session, c.User, c.Zone, c.Notice = title.String, session.ID(id.String), user.String, zone.String, notice.String
	c.Former = former.String
	c.Active, c.CreatedAt = bound.FromMillis(active), bound.FromMillis(created)
	return c, nil
}

// Chat implements gateway.Chats.
func (db *DB) Chat(ctx context.Context, o owner.Owner, at gateway.Place) (gateway.Chat, error) {
	return scanChat(db.row(ctx, selectChat, placeArgs(o, at)...))
}

// ListChats implements gateway.Chats.
func (db *DB) ListChats(ctx context.Context, o owner.Owner, p gateway.Platform) ([]gateway.Chat, error) {
	return rowsOf(ctx, db, func(rows *rows) (gateway.Chat, error) { return scanChat(rows) },
		`SELECT `+chatColumns+` FROM chats WHERE owner_id = ?1 AND (?2 = '' OR platform = ?2) ORDER BY active_at DESC, chat_id, thread_id`, o.ID(), string(p))
}

// LeadChat implements gateway.Chats.
func (db *DB) LeadChat(ctx context.Context, o owner.Owner, at gateway.Place, from, to session.ID, notice string) error {
	return db.w.submit(ctx, o, func(t *tx) error {
		led, err := t.changed(`UPDATE chats SET session_id = ?, notice = ? WHERE `+atPlace+` AND (coalesce(session_id, '') = ? OR session_id IN
			(SELECT b.id FROM sessions a JOIN sessions b ON b.owner_id = a.owner_id AND b.root_id = a.root_id WHERE a.owner_id = ? AND a.id = ?))`,
			append(append([]any{null(to), null(notice)}, placeArgs(o, at)...), string(from), o.ID(), string(from))...)
		if err == nil && !led {
			err = fault.New(fault.Conflict, "chat_led", "The chat has another session by now.")
		}
		return err
	})
}

// MoveChat implements gateway.Chats.
func (db *DB) MoveChat(ctx context.Context, o owner.Owner, from gateway.Place, chat string) error {
	if chat == from.Chat {
		return nil
	}
	return db.w.submit(ctx, o, func(t *tx) error {
		for _, move := range storage.ChatMoves() {
			t.send("move a chat", move, o.ID(), string(from.Platform), from.Account, from.Chat, chat)
		}
		return nil
	})
}

// SetHome implements gateway.Chats.
func (db *DB) SetHome(ctx context.Context, o owner.Owner, at gateway.Place) error {
	return db.w.submit(ctx, o, func(t *tx) error {
		_, err := t.exec(`UPDATE chats SET home = (chat_id = ? AND thread_id = ?) WHERE owner_id = ? AND platform = ? AND account = ?`,
			at.Chat, at.Thread, o.ID(), string(at.Platform), at.Account)
		return err
	})
}

func scanDue(rows *rows) (gateway.Due, error) {
	var id string
	var d gateway.Due
	err := rows.Scan(&id, &d.Place.Platform, &d.Place.Account, &d.Place.Chat, &d.Place.Thread)
	d.Owner = owner.Stored(id)
	return d, err
}

// UnfinishedChats implements gateway.Chats.
func (db *DB) UnfinishedChats(ctx context.Context) ([]gateway.Due, error) {
	return rowsOf(ctx, db, scanDue, `SELECT owner_id, platform, account, chat_id, thread_id FROM chat_events WHERE `+storage.EventOpen+`
		UNION SELECT owner_id, platform, account, chat_id, thread_id FROM chat_sends WHERE `+storage.SendOpen)
}

// IdleChats implements gateway.Chats.
func (db *DB) IdleChats(ctx context.Context, before time.Time) ([]gateway.Due, error) {
	return rowsOf(ctx, db, scanDue, `SELECT owner_id, platform, account, chat_id, thread_id FROM chats WHERE session_id IS NOT NULL AND active_at < ?
		ORDER BY active_at`, millis(before))
}
