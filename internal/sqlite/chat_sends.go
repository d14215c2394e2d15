package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// sendRows are messages as rows of the outbox.
func sendRows(o owner.Owner, list []gateway.Send) ([][]any, error) {
	out := make([][]any, len(list))
	for i := range list {
		s := &list[i]
		var buttons, name, text any
		if len(s.Buttons) > 0 {
			var err error
			if buttons, err = jsonOf(&s.Buttons); err != nil {
				return nil, err
			}
		}
		if s.File != nil {
			name, text = s.File.Name, string(s.File.Data)
		}
		out[i] = append(append([]any{s.ID}, placeArgs(o, s.Place)...), string(s.Type), s.Origin, s.Part, s.Text, buttons, name, text,
			null(s.ReplyTo), null(s.Interaction), s.Plain, string(s.State), millis(s.WakeAt), millis(s.CreatedAt))
	}
	return out, nil
}

const insertSend = `INSERT INTO chat_sends (id, owner_id, platform, account, chat_id, thread_id, type, origin, part, text, buttons, file_name, file_text, reply_to,
		interaction, plain, state, wake_at, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`

// What becomes of a message that is stored already. One that was sent, or may have been, is to be
// edited if its content is another one now, or if the platform may show another one.
const (
	putsContent = ` ON CONFLICT (owner_id, id) DO UPDATE SET origin = excluded.origin, text = excluded.text, buttons = excluded.buttons,
			file_name = coalesce(file_name, excluded.file_name), file_text = coalesce(file_text, excluded.file_text),
			state = CASE WHEN state = 'sent' AND (text <> excluded.text OR buttons IS NOT excluded.buttons`
	replacesContent = putsContent + `) THEN 'changed' ELSE state END`
	revisesContent  = putsContent + ` OR file_name IS NULL) THEN 'changed' ELSE state END`
	keepsContent    = ` ON CONFLICT (owner_id, id) DO NOTHING`
)

// putSends stores messages. known says what becomes of those that are stored already.
func (t *tx) putSends(rows [][]any, known string) error {
	for _, args := range rows {
		if _, err := t.exec(insertSend+known, args...); err != nil {
			return fmt.Errorf("store a message: %w", err)
		}
	}
	return nil
}

// AddSends implements gateway.Outbox.
func (db *DB) AddSends(ctx context.Context, o owner.Owner, list []gateway.Send) error {
	return db.addSends(ctx, o, list, replacesContent)
}

// BeginSend implements gateway.Outbox.
func (db *DB) BeginSend(ctx context.Context, o owner.Owner, s gateway.Send) error {
	return db.addSends(ctx, o, []gateway.Send{s}, keepsContent)
}

func (db *DB) addSends(ctx context.Context, o owner.Owner, list []gateway.Send, known string) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	rows, err := sendRows(o, list)
	if err != nil {
		return err
	}
	return db.w.submit(ctx, func(t *tx) error { return t.putSends(rows, known) })
}

const sendColumns = `id, platform, account, chat_id, thread_id, type, origin, part, text, buttons, file_name, file_text, reply_to, interaction, plain, state,
	message_id, attempts, wake_at, error, created_at, sent_at`

func scanSend(row interface{ Scan(...any) error }) (gateway.Send, error) {
	var s gateway.Send
	var fileName, fileText, reply, interaction, message, failure sql.NullString
	var buttons []byte
	var wake, sent sql.NullInt64
	var created int64
	err := row.Scan(&s.ID, &s.Place.Platform, &s.Place.Account, &s.Place.Chat, &s.Place.Thread, &s.Type, &s.Origin, &s.Part, &s.Text, &buttons,
		&fileName, &fileText, &reply, &interaction, &s.Plain, &s.State, &message, &s.Attempts, &wake, &failure, &created, &sent)
	if isNoRows(err) {
		return s, fault.New(fault.NotFound, "message_not_found", "There is no such message.")
	}
	if err != nil {
		return s, fmt.Errorf("read message: %w", err)
	}
	if list := fromJSON[[]gateway.Button](buttons); list != nil {
		s.Buttons = *list
	}
	if fileName.Valid {
		s.File = &gateway.File{Name: fileName.String, Data: []byte(fileText.String)}
	}
	s.ReplyTo, s.Message = gateway.MessageID(reply.String), gateway.MessageID(message.String)
	s.Interaction, s.Error = interaction.String, failure.String
	s.WakeAt, s.SentAt, s.CreatedAt = fromMillis(wake), fromMillis(sent), bound.FromMillis(created)
	return s, nil
}

func scanSends(rows *sql.Rows) (gateway.Send, error) { return scanSend(rows) }

// Sends implements gateway.Outbox.
func (db *DB) Sends(ctx context.Context, o owner.Owner, at gateway.Place, limit int) ([]gateway.Send, error) {
	return rowsOf(ctx, db, scanSends, `SELECT `+sendColumns+` FROM chat_sends WHERE `+atPlace+`
		AND `+storage.SendOpen+` ORDER BY number LIMIT 0+?`, append(placeArgs(o, at), limit)...)
}

// SendsOf implements gateway.Outbox.
func (db *DB) SendsOf(ctx context.Context, o owner.Owner, at gateway.Place, origin string) ([]gateway.Send, error) {
	return rowsOf(ctx, db, scanSends, `SELECT `+sendColumns+` FROM chat_sends WHERE `+atPlace+` AND origin = ? ORDER BY part`, append(placeArgs(o, at), origin)...)
}

// FindSend implements gateway.Outbox.
func (db *DB) FindSend(ctx context.Context, o owner.Owner, at gateway.Place, id string, message gateway.MessageID) (gateway.Send, error) {
	st, err := db.read.stmt(ctx, `SELECT `+sendColumns+` FROM chat_sends WHERE owner_id = ? AND platform = ? AND account = ?
		AND (id = ? OR ? <> '' AND chat_id = ? AND message_id = ?) ORDER BY id = ? DESC LIMIT 1`)
	if err != nil {
		return gateway.Send{}, err
	}
	return scanSend(st.QueryRowContext(ctx, o.ID(), string(at.Platform), at.Account, id, string(message), at.Chat, string(message), id))
}

// MarkSend implements gateway.Outbox.
func (db *DB) MarkSend(ctx context.Context, o owner.Owner, s *gateway.Send) error {
	var buttons any
	if len(s.Buttons) > 0 {
		var err error
		if buttons, err = jsonOf(&s.Buttons); err != nil {
			return err
		}
	}
	return db.w.submit(ctx, func(t *tx) error {
		_, err := t.exec(`UPDATE chat_sends SET state = CASE WHEN ?1 = 'sent' AND (text <> ?2 OR buttons IS NOT ?3) THEN 'changed' ELSE ?1 END,
			message_id = coalesce(?4, message_id), attempts = ?5, wake_at = ?6, plain = ?7, error = ?8, sent_at = coalesce(?9, sent_at)
			WHERE owner_id = ?10 AND id = ?11`,
			string(s.State), s.Text, buttons, null(s.Message), s.Attempts, millis(s.WakeAt), s.Plain, null(s.Error), millis(s.SentAt), o.ID(), s.ID)
		if err != nil {
			return fmt.Errorf("mark a message: %w", err)
		}
		if s.State == gateway.GaveUp {
			return t.loseAnswer(o, s)
		}
		return nil
	})
}

// loseAnswer makes the events Lost whose turn a message answers that was given up. An event whose turn
// is not over keeps the reason until it is settled.
func (t *tx) loseAnswer(o owner.Owner, s *gateway.Send) error {
	_, err := t.exec(`UPDATE chat_events SET reason = ?, state = CASE WHEN state = 'answered' THEN 'failed' ELSE state END
		WHERE owner_id = ? AND platform = ? AND account = ? AND run_id = ? AND state IN ('taken', 'answered')`,
		null(s.Error), o.ID(), string(s.Place.Platform), s.Place.Account, s.Origin)
	if err != nil {
		return fmt.Errorf("lose an answer: %w", err)
	}
	return nil
}

// SweepChats implements gateway.Outbox.
func (db *DB) SweepChats(ctx context.Context, before time.Time) error {
	return db.w.submit(ctx, func(t *tx) error {
		for _, query := range []string{
			`DELETE FROM chat_events WHERE received_at < ? AND state NOT IN ('waiting', 'taken')`,
			`DELETE FROM chat_sends WHERE created_at < ? AND state IN ('sent', 'failed')`,
			`DELETE FROM chat_people WHERE expires_at < ? AND state = 'pending'`,
			`DELETE FROM chat_rests WHERE until_at < ?`,
		} {
			if _, err := t.exec(query, millis(before)); err != nil {
				return fmt.Errorf("sweep chats: %w", err)
			}
		}
		return nil
	})
}
