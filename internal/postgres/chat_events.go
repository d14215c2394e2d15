package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// CommitEvents implements gateway.Inbox.
func (db *DB) CommitEvents(ctx context.Context, host owner.Owner, c gateway.Committed) (gateway.Kept, error) {
	if err := errNoOwner(host); err != nil {
		return gateway.Kept{}, err
	}
	bodies := make([]string, len(c.Events))
	for i := range c.Events {
		body, err := json.Marshal(&c.Events[i].Event)
		if err != nil {
			return gateway.Kept{}, fmt.Errorf("encode an event: %w", err)
		}
		bodies[i] = string(body)
	}
	var kept gateway.Kept
	err := db.w.submit(ctx, host, func(t *tx) error {
		kept = gateway.Kept{}
		for i := range c.Events {
			e, err := t.commitEvent(&c.Events[i], bodies[i], c.At)
			if err != nil {
				return err
			}
			if e != nil {
				kept.Fresh++
			}
			if kept.Alone, err = t.alone(&c, e); err != nil {
				return err
			}
		}
		if c.After == "" {
			return nil
		}
		_, err := t.exec(`INSERT INTO chat_positions (owner_id, platform, account, position) VALUES (?,?,?,?)
			ON CONFLICT (owner_id, platform, account) DO UPDATE SET position = excluded.position`, host.ID(), string(c.Platform), c.Account, string(c.After))
		if err != nil {
			return fmt.Errorf("store a position: %w", err)
		}
		return nil
	})
	return kept, err
}

// alone is an event that was stored, if no other one was to be stored and its chat has no other open one; nil
// otherwise.
func (t *tx) alone(c *gateway.Committed, e *gateway.Inbound) (*gateway.Inbound, error) {
	if e == nil || len(c.Events) != 1 || e.State != gateway.Waiting {
		return nil, nil
	}
	var open int
	err := t.row(`SELECT count(*) FROM (SELECT 1 FROM chat_events WHERE `+atPlace+` AND `+storage.EventOpen+` LIMIT 2) AS found`,
		placeArgs(c.Events[0].Owner, e.Place)...).Scan(&open)
	if err != nil {
		return nil, fmt.Errorf("count open events: %w", err)
	}
	if open > 1 {
		return nil, nil
	}
	return e, nil
}

// commitEvent stores one event, and opens its chat. It returns nil if the event is stored already.
func (t *tx) commitEvent(a *gateway.Admitted, body string, at time.Time) (*gateway.Inbound, error) {
	e := &a.Event
	in := &gateway.Inbound{Event: *e, State: a.State, Reason: a.Reason, ReceivedAt: at}
	var stored any
	if a.State == gateway.Waiting {
		stored = body
		if e.Type != gateway.DM {
			var err error
			if in.Label, err = t.labelOf(a); err != nil {
				return nil, err
			}
		}
	}
	err := t.row(`INSERT INTO chat_events (owner_id, platform, account, event_id, chat_id, thread_id, kind, user_id, message_id, state, reason, label, body, received_at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING
		RETURNING number`,
		a.Owner.ID(), string(e.Place.Platform), e.Place.Account, e.ID, e.Place.Chat, e.Place.Thread, string(e.Kind), e.From.ID, null(e.Message),
		string(a.State), null(a.Reason), null(in.Label), stored, millis(at)).Scan(&in.Number)
	switch {
	case isNoRows(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("store an event: %w", err)
	case a.State != gateway.Waiting:
		return in, nil
	}
	return in, t.openChat(a, millis(at))
}

// labelOf is what the sender of an event is called in the chat. A label under which a person has spoken there is
// kept for that person, also once the person has another name.
func (t *tx) labelOf(a *gateway.Admitted) (string, error) {
	e := &a.Event
	name := e.From.Name
	if name == "" {
		name = e.From.ID
	}
	chat := []any{a.Owner.ID(), string(e.Place.Platform), e.Place.Account, e.Place.Chat}
	var had, old string
	err := t.row(`SELECT name, label FROM chat_names WHERE owner_id = ? AND platform = ? AND account = ? AND chat_id = ? AND user_id = ?`,
		append(chat, e.From.ID)...).Scan(&had, &old)
	if err == nil && had == name {
		return old, nil
	}
	if err != nil && !isNoRows(err) {
		return "", fmt.Errorf("read a name: %w", err)
	}
	labels := make(storage.Labels)
	err = t.rows(func(rows *rows) error {
		var id, label string
		err := rows.Scan(&id, &label)
		labels.Add(id, label)
		return err
	}, `SELECT user_id, label FROM chat_names WHERE owner_id = ? AND platform = ? AND account = ? AND chat_id = ?`, chat...)
	if err != nil {
		return "", fmt.Errorf("read the names of a chat: %w", err)
	}
	label := labels.Of(e.From.ID, name)
	if old != "" && old != label {
		_, err = t.exec(`INSERT INTO chat_names (owner_id, platform, account, chat_id, user_id, name, label) VALUES (?,?,?,?,?,?,?)
			ON CONFLICT DO NOTHING`, append(chat, storage.FormerID(e.From.ID, old), had, old)...)
		if err != nil {
			return "", fmt.Errorf("keep a name: %w", err)
		}
	}
	_, err = t.exec(`INSERT INTO chat_names (owner_id, platform, account, chat_id, user_id, name, label) VALUES (?,?,?,?,?,?,?)
		ON CONFLICT (owner_id, platform, account, chat_id, user_id) DO UPDATE SET name = excluded.name, label = excluded.label`, append(chat, e.From.ID, name, label)...)
	return label, err
}

// BotPosition implements gateway.Inbox.
func (db *DB) BotPosition(ctx context.Context, host owner.Owner, p gateway.Platform, account string) (gateway.Position, error) {
	var position string
	err := db.row(ctx, `SELECT position FROM chat_positions WHERE owner_id = ? AND platform = ? AND account = ?`, host.ID(), string(p), account).Scan(&position)
	if err != nil && !isNoRows(err) {
		return "", fmt.Errorf("read a position: %w", err)
	}
	return gateway.Position(position), nil
}

// newestMessage selects the newest message of a place before a time, or else the oldest one.
const newestMessage = `SELECT message_id FROM chat_events WHERE ` + atPlace + ` AND kind = 'said' AND message_id IS NOT NULL
	ORDER BY received_at < ? DESC, CASE WHEN received_at < ?::bigint THEN -number ELSE number END LIMIT 1`

// NewestMessage implements gateway.Inbox.
func (db *DB) NewestMessage(ctx context.Context, o owner.Owner, at gateway.Place, before time.Time) (gateway.MessageID, error) {
	var id string
	err := db.row(ctx, newestMessage, append(placeArgs(o, at), millis(before), millis(before))...).Scan(&id)
	if err != nil && !isNoRows(err) {
		return "", fmt.Errorf("find the newest message: %w", err)
	}
	return gateway.MessageID(id), nil
}

// BotQueues implements gateway.Journal.
func (db *DB) BotQueues(ctx context.Context, o owner.Owner, p gateway.Platform, account string) (gateway.Queues, error) {
	var q gateway.Queues
	var last sql.NullInt64
	if err := db.row(ctx, `SELECT
		(SELECT count(*) FROM chat_events WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 AND `+storage.EventOpen+`),
		(SELECT count(*) FROM chat_sends WHERE owner_id = ?1 AND platform = ?2 AND account = ?3
			AND `+storage.SendOpen+`),
		(SELECT received_at FROM chat_events WHERE owner_id = ?1 AND platform = ?2 AND account = ?3 ORDER BY number DESC LIMIT 1)`, o.ID(), string(p), account).Scan(&q.Events, &q.Sends, &last); err != nil {
		return gateway.Queues{}, fmt.Errorf("count events: %w", err)
	}
	q.LastAt = fromMillis(last)
	return q, nil
}

// eventColumns are the columns of an event in the order of scanEvent.
const eventColumns = `number, platform, account, event_id, chat_id, thread_id, kind, user_id, message_id, state, reason, run_id, plan, label, body, received_at`

func scanEvent(rows *rows) (gateway.Inbound, error) {
	var e gateway.Inbound
	var at gateway.Place
	var id, kind, user string
	var message, reason, run, plan, label sql.NullString
	var body []byte
	var received int64
	err := rows.Scan(&e.Number, &at.Platform, &at.Account, &id, &at.Chat, &at.Thread, &kind, &user, &message, &e.State,
		&reason, &run, &plan, &label, &body, &received)
	if err != nil {
		return e, fmt.Errorf("read event: %w", err)
	}
	if stored := fromJSON[gateway.Event](body); stored != nil {
		e.Event = *stored
	}
	e.ID, e.Place, e.Kind, e.From.ID, e.Message = id, at, gateway.EventKind(kind), user, gateway.MessageID(message.String)
	e.Reason, e.Run, e.Plan, e.Label, e.ReceivedAt = reason.String, run.String, plan.String, label.String, bound.FromMillis(received)
	return e, nil
}

// OpenEvents implements gateway.Inbox.
func (db *DB) OpenEvents(ctx context.Context, o owner.Owner, at gateway.Place, limit int) ([]gateway.Inbound, error) {
	return rowsOf(ctx, db, scanEvent, `SELECT `+eventColumns+` FROM chat_events WHERE `+atPlace+` AND `+storage.EventOpen+`
		ORDER BY number LIMIT ?`, append(placeArgs(o, at), limit)...)
}

// ChatEvents implements gateway.Inbox.
func (db *DB) ChatEvents(ctx context.Context, o owner.Owner, f gateway.EventFilter) ([]gateway.Inbound, error) {
	return rowsOf(ctx, db, scanEvent, `SELECT `+eventColumns+` FROM chat_events WHERE owner_id = ?1 AND (?2::text = '' OR platform = ?2) AND (?3::text = '' OR state = ?3)
		AND (?4::text = '' OR run_id = ?4)
		ORDER BY number DESC LIMIT ?5`, o.ID(), string(f.Platform), string(f.State), f.Run, f.Limit)
}

// SaidEvents implements gateway.Journal.
func (db *DB) SaidEvents(ctx context.Context, o owner.Owner, at gateway.Place, m gateway.MessageID) ([]gateway.Inbound, error) {
	return rowsOf(ctx, db, scanEvent, `SELECT `+eventColumns+` FROM chat_events WHERE owner_id = ? AND platform = ? AND account = ? AND chat_id = ?
		AND kind = 'said' AND message_id IS NOT NULL AND message_id = ? ORDER BY number`, o.ID(), string(at.Platform), at.Account, at.Chat, string(m))
}

// ChatEvent implements gateway.Inbox.
func (db *DB) ChatEvent(ctx context.Context, o owner.Owner, e gateway.EventName) (gateway.Inbound, error) {
	found, err := rowsOf(ctx, db, scanEvent, `SELECT `+eventColumns+` FROM chat_events WHERE`+theEvent, eventArgs(o, e)...)
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "event_not_found", "There is no such event.")
	}
	if err != nil {
		return gateway.Inbound{}, err
	}
	return found[0], nil
}

// theEvent selects one event.
const theEvent = ` owner_id = ? AND platform = ? AND account = ? AND event_id = ?`

func eventArgs(o owner.Owner, e gateway.EventName) []any {
	return []any{o.ID(), string(e.Platform), e.Account, e.ID}
}

// TakeEvents implements gateway.Inbox.
func (db *DB) TakeEvents(ctx context.Context, o owner.Owner, k gateway.Taking) (gateway.Chat, error) {
	var chat gateway.Chat
	err := db.w.submit(ctx, o, func(t *tx) error {
		for _, e := range k.Events {
			ok, err := t.changed(`UPDATE chat_events SET state = 'taken', run_id = ? WHERE`+theEvent+` AND state = 'waiting' AND `+storage.EventWhole, append([]any{k.Run}, eventArgs(o, e)...)...)
			if err != nil {
				return err
			}
			if !ok {
				return fault.New(fault.Conflict, "event_taken", "The event does not wait any more.")
			}
		}
		var err error
		chat, err = t.takeChat(o, &k)
		return err
	})
	return chat, err
}

// takeChat is the chat of a turn that begins, with a new session if it has none. When the chat was active was
// stored with the events.
func (t *tx) takeChat(o owner.Owner, k *gateway.Taking) (gateway.Chat, error) {
	chat, err := scanChat(t.row(selectChat+` FOR UPDATE`, placeArgs(o, k.Place)...))
	switch {
	case err != nil:
		return chat, err
	case chat.Session != "" && !chat.Active.After(k.ActiveAfter):
		return chat, fault.New(fault.Conflict, gateway.CodeIdle, "The chat was not active lately.")
	case chat.Session != "":
		return chat, nil
	}
	return scanChat(t.row(`UPDATE chats SET session_id = ?, active_at = ? WHERE `+atPlace+` RETURNING `+chatColumns,
		append([]any{string(k.Session), millis(k.At)}, placeArgs(o, k.Place)...)...))
}

// PlanCommand implements gateway.Inbox.
func (db *DB) PlanCommand(ctx context.Context, o owner.Owner, e gateway.EventName, plan string) (string, error) {
	stored := ""
	err := db.w.submit(ctx, o, func(t *tx) error {
		if _, err := t.exec(`UPDATE chat_events SET plan = coalesce(plan, ?) WHERE`+theEvent, append([]any{plan}, eventArgs(o, e)...)...); err != nil {
			return fmt.Errorf("store a plan: %w", err)
		}
		err := t.row(`SELECT coalesce(plan, '') FROM chat_events WHERE`+theEvent, eventArgs(o, e)...).Scan(&stored)
		if isNoRows(err) {
			return fault.New(fault.NotFound, "event_not_found", "There is no such event.")
		}
		return err
	})
	return stored, err
}

// leadsTo selects whether a chat leads to the lineage of a session.
const leadsTo = `EXISTS (SELECT 1 FROM sessions a JOIN sessions b ON b.owner_id = a.owner_id AND b.root_id = a.root_id
	WHERE a.owner_id = chats.owner_id AND a.id = chats.session_id AND b.id = ?)`

// settleEvent ends an event. It fails with Conflict if the event is in another chat by now: the lane of that
// chat ends it. An event that was erased meanwhile needs no end.
func (t *tx) settleEvent(o owner.Owner, s *gateway.Settlement, e gateway.EventName) error {
	ok, err := t.changed(`UPDATE chat_events SET state = CASE WHEN state = 'taken' AND reason IS NOT NULL AND ?::text = 'answered' THEN 'failed' ELSE ?::text END,
		reason = coalesce(?::text, reason), body = NULL, plan = NULL, label = NULL WHERE`+theEvent+` AND chat_id = ?`,
		append(append([]any{string(s.State), string(s.State), null(s.Reason)}, eventArgs(o, e)...), s.Place.Chat)...)
	if err != nil || ok {
		return err
	}
	var moved bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM chat_events WHERE`+theEvent+`)`, eventArgs(o, e)...).Scan(&moved); err != nil {
		return fmt.Errorf("look for an event: %w", err)
	}
	if moved {
		return fault.New(fault.Conflict, gateway.CodeMoved, "The chat of the event has another id now.")
	}
	return nil
}

// SettleEvents implements gateway.Inbox.
func (db *DB) SettleEvents(ctx context.Context, o owner.Owner, s gateway.Settlement) (alone bool, err error) {
	rows, err := sendRows(o, s.Sends)
	if err != nil {
		return false, err
	}
	known := replacesContent
	if s.Edited {
		known = revisesContent
	}
	err = db.w.submit(ctx, o, func(t *tx) error {
		for _, e := range s.Events {
			if err := t.settleEvent(o, &s, e); err != nil {
				return err
			}
		}
		if _, err := t.exec(`UPDATE chats SET session_id = CASE WHEN session_id <> ? AND `+leadsTo+` THEN ? ELSE session_id END,
			notice = CASE WHEN ?::boolean THEN NULL ELSE notice END, active_at = greatest(active_at, ?) WHERE `+atPlace,
			append([]any{string(s.Session), string(s.Session), null(s.Session), s.Noticed, millis(s.At)}, placeArgs(o, s.Place)...)...); err != nil {
			return fmt.Errorf("update chat: %w", err)
		}
		if err := t.putSends(rows, known); err != nil || len(rows) == 0 {
			return err
		}
		var open int
		err := t.row(`SELECT count(*) FROM (SELECT 1 FROM chat_sends WHERE `+atPlace+`
			AND `+storage.SendOpen+` LIMIT 0+?) AS found`, append(placeArgs(o, s.Place), len(rows)+1)...).Scan(&open)
		if err != nil {
			return fmt.Errorf("count messages: %w", err)
		}
		alone = open == len(rows)
		return nil
	})
	return alone, err
}
