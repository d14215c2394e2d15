package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Send sends one message. A file has the text as its caption, which Telegram takes up to
// 1024 characters.
func (a *Adapter) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	chat, thread, err := target(o.Place)
	if err != nil {
		return "", err
	}
	wait := a.pace.call
	if o.File != nil {
		wait = a.pace.upload
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var m *models.Message
	if o.File != nil {
		m, err = a.bot.SendDocument(ctx, &bot.SendDocumentParams{
			ChatID: chat, MessageThreadID: thread, Caption: o.Text, ParseMode: parseMode(o), ReplyParameters: reply(o), ReplyMarkup: keyboard(o),
			Document: &models.InputFileUpload{Filename: o.File.Name, Data: bytes.NewReader(o.File.Data)},
		})
	} else {
		m, err = a.bot.SendMessage(ctx, &bot.SendMessageParams{
			ChatID: chat, MessageThreadID: thread, Text: o.Text, ParseMode: parseMode(o), ReplyParameters: reply(o), ReplyMarkup: keyboard(o),
			LinkPreviewOptions: noPreview(),
		})
	}
	if err != nil {
		return "", a.sendError(err)
	}
	return messageID(m.ID), nil
}

// Edit replaces the text and the buttons of a message.
func (a *Adapter) Edit(ctx context.Context, m gateway.MessageID, o *gateway.Out) error {
	chat, _, err := target(o.Place)
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(string(m))
	if err != nil {
		return refused("The message has no id of Telegram.", err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	_, err = a.bot.EditMessageText(ctx, &bot.EditMessageTextParams{
		ChatID: chat, MessageID: id, Text: o.Text, ParseMode: parseMode(o), LinkPreviewOptions: noPreview(), ReplyMarkup: keyboard(o),
	})
	if r, ok := errors.AsType[*refusal](err); err == nil || ok && r.says("message is not modified") {
		return nil
	}
	return a.sendError(err)
}

// Draft shows a text that is still being written. Telegram shows it in DMs only.
func (a *Adapter) Draft(ctx context.Context, id int64, o *gateway.Out) error {
	chat, thread, err := target(o.Place)
	if err != nil {
		return err
	}
	if o.Type != gateway.DM {
		return refused("Telegram shows drafts only in private chats.", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	_, err = a.bot.SendMessageDraft(ctx, &bot.SendMessageDraftParams{
		ChatID: chat, MessageThreadID: thread, DraftID: strconv.FormatInt(id, 10), Text: o.Text, ParseMode: parseMode(o),
	})
	if err != nil {
		return a.sendError(err)
	}
	return nil
}

// Probe asks who the bot is.
func (a *Adapter) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	if _, err := a.bot.GetMe(ctx); err != nil {
		return a.sendError(err)
	}
	return nil
}

// target is a place as Telegram names it. The topic General has no number there.
func target(p gateway.Place) (chat any, thread int, err error) {
	if p.Thread != "" {
		if thread, err = strconv.Atoi(p.Thread); err != nil {
			return nil, 0, refused("The thread has no id of Telegram.", err)
		}
	}
	if thread == 1 {
		thread = 0
	}
	if strings.HasPrefix(p.Chat, "@") {
		return p.Chat, thread, nil
	}
	id, err := strconv.ParseInt(p.Chat, 10, 64)
	if err != nil {
		return nil, 0, refused("The chat has no id of Telegram.", err)
	}
	return id, thread, nil
}

func parseMode(o *gateway.Out) models.ParseMode {
	if o.Plain {
		return ""
	}
	return models.ParseModeHTML
}

func noPreview() *models.LinkPreviewOptions {
	return &models.LinkPreviewOptions{IsDisabled: bot.True()}
}

// reply names the answered message. If that is deleted, the answer is sent without it.
func reply(o *gateway.Out) *models.ReplyParameters {
	id, err := strconv.Atoi(string(o.ReplyTo))
	if err != nil {
		return nil
	}
	return &models.ReplyParameters{MessageID: id, AllowSendingWithoutReply: true}
}

// button is a button. The library's own type writes an empty copy_text into each.
type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// keyboard are the buttons of a message, two in a row; nil for none.
func keyboard(o *gateway.Out) models.ReplyMarkup {
	if len(o.Buttons) == 0 {
		return nil
	}
	var rows [][]button
	for i, b := range o.Buttons {
		if i%2 == 0 {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], button{Text: b.Label, Data: b.ID})
	}
	return map[string]any{"inline_keyboard": rows}
}

// refused is the error of a message that no other try can send.
func refused(text string, err error) *gateway.SendError {
	return &gateway.SendError{Reason: gateway.Refused, Text: text, Err: err}
}

// sendError is why a message was not sent.
func (a *Adapter) sendError(err error) *gateway.SendError {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.sendError()
	}
	if b, ok := errors.AsType[*broken](err); ok && !b.sent {
		return &gateway.SendError{Reason: gateway.Temporary, Text: "Telegram cannot be reached.", Err: b}
	}
	return &gateway.SendError{Reason: gateway.Unknown, Text: "The connection to Telegram broke.", Err: a.client.masked(err)}
}

// sendError is why Telegram did not take a message.
func (r *refusal) sendError() *gateway.SendError {
	failed := func(reason gateway.SendReason, text string) *gateway.SendError {
		return &gateway.SendError{Reason: reason, Text: text, Err: r}
	}
	switch {
	case r.Code == http.StatusTooManyRequests:
		e := failed(gateway.Limited, "Telegram asks to wait.")
		e.After = time.Duration(max(1, r.Parameters.RetryAfter)) * time.Second
		return e
	case r.Parameters.MigrateToChatID != 0:
		e := failed(gateway.Elsewhere, "The group has become a supergroup with another id.")
		e.MovedTo = strconv.FormatInt(r.Parameters.MigrateToChatID, 10)
		return e
	case r.Code == http.StatusServiceUnavailable:
		return failed(gateway.Temporary, "Telegram is not available.")
	case r.Code >= http.StatusInternalServerError, r.page && r.Code < http.StatusMultipleChoices:
		return failed(gateway.Unknown, fmt.Sprintf("Telegram failed with code %d.", r.Code))
	case r.Code == http.StatusRequestEntityTooLarge:
		return failed(gateway.Refused, "The file is too large for Telegram.")
	case r.page:
		return failed(gateway.Temporary, fmt.Sprintf("A server before Telegram answers with code %d.", r.Code))
	}
	return r.verdict(failed)
}

// verdict reads the description of a refusal: Telegram has no codes for its reasons.
func (r *refusal) verdict(failed func(gateway.SendReason, string) *gateway.SendError) *gateway.SendError {
	switch {
	case r.says("can't parse entities", "can't parse message text", "can't find end of the entity", "unsupported start tag"):
		return failed(gateway.Malformed, "Telegram cannot read the formatting of the text.")
	case r.Code == http.StatusForbidden:
		return failed(gateway.Gone, "The bot was blocked by the person, or removed from the chat.")
	case r.says("chat not found", "peer_id_invalid", "user not found", "group chat was deactivated", "bot was kicked"):
		return failed(gateway.Gone, "Telegram does not know the chat any more.")
	case r.says("message thread not found", "topic_deleted", "topic_id_invalid"):
		return failed(gateway.NoThread, "Telegram does not know the topic any more.")
	case r.says("message to edit not found", "message can't be edited", "message_id_invalid", "message_edit_time_expired"):
		return failed(gateway.Missing, "The message was deleted, or can no longer be edited.")
	case r.says("topic_closed"):
		return failed(gateway.Refused, "The topic is closed. Make the bot an admin who may manage topics, or open the topic.")
	case r.says("not enough rights", "have no rights", "chat_write_forbidden"):
		return failed(gateway.Refused, "The bot may not write in this chat.")
	case r.says("too long"):
		return failed(gateway.Refused, "The text is too long for Telegram.")
	case r.fatal():
		return failed(gateway.Temporary, "Telegram refuses the bot's token.") // the operator can mend it
	}
	return failed(gateway.Refused, fmt.Sprintf("Telegram refuses the message with code %d.", r.Code))
}
