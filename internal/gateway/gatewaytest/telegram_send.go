package gatewaytest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// The greatest lengths of a message and of a caption, in UTF-16 units of the visible text.
const (
	tgMaxText    = 4096
	tgMaxCaption = 1024
)

// target finds the chat of a request, if the bot may write there.
func (s *Telegram) target(req *TelegramRequest) (*tgChat, error) {
	c := s.chats[req.Int("chat_id")]
	switch {
	case c == nil:
		return nil, tgBad("chat not found")
	case c.MovedTo != 0:
		return nil, &tgError{Code: 400, Description: "Bad Request: group chat was upgraded to a supergroup chat", MigrateTo: c.MovedTo}
	case c.Gone:
		return nil, &tgError{Code: 403, Description: "Forbidden: bot was blocked by the user"}
	}
	if thread := req.Int("message_thread_id"); thread != 0 && !c.hasTopic(thread) {
		return nil, tgBad("message thread not found")
	}
	return c, nil
}

// visible is the text that people would see.
func visible(req *TelegramRequest, param string) (string, error) {
	text := req.Params[param]
	if !utf8.ValidString(text) {
		return "", tgBad("strings must be encoded in UTF-8")
	}
	switch req.Params["parse_mode"] {
	case "":
	case "HTML":
		plain, err := tgPlain(text)
		if err != nil {
			return "", err
		}
		text = plain
	default:
		return "", tgBad("unsupported parse_mode")
	}
	return strings.TrimSpace(text), nil
}

// keyboard reads the buttons of a request.
func keyboard(req *TelegramRequest) ([]gateway.Button, error) {
	var markup struct {
		Rows [][]map[string]any `json:"inline_keyboard"`
	}
	if err := req.decode("reply_markup", &markup); err != nil {
		return nil, err
	}
	var out []gateway.Button
	for _, row := range markup.Rows {
		for _, key := range row {
			text, _ := key["text"].(string)
			data, _ := key["callback_data"].(string)
			switch {
			case text == "":
				return nil, tgBad("inline keyboard button text must be non-empty")
			case data == "" || len(data) > 64:
				return nil, tgBad("BUTTON_DATA_INVALID")
			case len(key) != 2:
				return nil, tgBad("BUTTON_TYPE_INVALID")
			}
			out = append(out, gateway.Button{ID: data, Label: text})
		}
	}
	return out, nil
}

// compose reads what sendMessage and sendDocument have in common.
func (s *Telegram) compose(req *TelegramRequest, param string, longest int) (*tgChat, *tgMessage, error) {
	c, err := s.target(req)
	if err != nil {
		return nil, nil, err
	}
	text, err := visible(req, param)
	if err != nil {
		return nil, nil, err
	}
	if tgLength(text) > longest {
		if param == "caption" {
			return nil, nil, tgBad("message caption is too long")
		}
		return nil, nil, tgBad("message is too long")
	}
	buttons, err := keyboard(req)
	if err != nil {
		return nil, nil, err
	}
	var reply struct {
		Message int64 `json:"message_id"`
		Allow   bool  `json:"allow_sending_without_reply"`
	}
	if err := req.decode("reply_parameters", &reply); err != nil {
		return nil, nil, err
	}
	if reply.Message != 0 && c.message(reply.Message) == nil {
		if !reply.Allow {
			return nil, nil, tgBad("message to be replied not found")
		}
		reply.Message = 0
	}
	s.taken++
	now := s.opt.Now()
	return c, &tgMessage{
		number: s.taken, from: s.me, date: now.Unix(), at: now, changed: now,
		thread: req.Int("message_thread_id"), text: text, source: req.Params[param],
		markup: req.Params["reply_markup"], replyTo: reply.Message, buttons: buttons,
	}, nil
}

// sendMessage takes a message.
func (s *Telegram) sendMessage(req *TelegramRequest) (any, error) {
	c, m, err := s.compose(req, "text", tgMaxText)
	if err != nil {
		return nil, err
	}
	if m.text == "" {
		return nil, tgBad("message text is empty")
	}
	if err := s.allow(c, false); err != nil {
		return nil, err
	}
	return s.messageJSON(c, c.add(m)), nil
}

// sendDocument takes a file.
func (s *Telegram) sendDocument(req *TelegramRequest) (any, error) {
	c, m, err := s.compose(req, "caption", tgMaxCaption)
	if err != nil {
		return nil, err
	}
	f, ok := req.Files["document"]
	if !ok || len(f.Data) == 0 {
		return nil, tgBad("there is no document in the request")
	}
	m.file = &f
	if err := s.allow(c, false); err != nil {
		return nil, err
	}
	c.add(m)
	s.files[tgFileID(c, m)] = f
	return s.messageJSON(c, m), nil
}

// editMessageText replaces text and buttons of a message of the bot.
func (s *Telegram) editMessageText(req *TelegramRequest) (any, error) {
	c, err := s.target(req)
	if err != nil {
		return nil, err
	}
	m := c.message(req.Int("message_id"))
	if m == nil {
		return nil, tgBad("message to edit not found")
	}
	if m.from.ID != s.me.ID {
		return nil, tgBad("message can't be edited")
	}
	text, err := visible(req, "text")
	if err != nil {
		return nil, err
	}
	buttons, err := keyboard(req)
	switch {
	case err != nil:
		return nil, err
	case text == "":
		return nil, tgBad("message text is empty")
	case tgLength(text) > tgMaxText:
		return nil, tgBad("message is too long")
	case m.source == req.Params["text"] && slices.Equal(m.buttons, buttons):
		return nil, tgBad("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	if err := s.allow(c, true); err != nil {
		return nil, err
	}
	m.text, m.source, m.buttons = text, req.Params["text"], buttons
	m.edits++
	m.changed = s.opt.Now()
	return s.messageJSON(c, m), nil
}

// sendMessageDraft shows a text that is being written.
func (s *Telegram) sendMessageDraft(req *TelegramRequest) (any, error) {
	c, err := s.target(req)
	if err != nil {
		return nil, err
	}
	text, err := visible(req, "text")
	switch {
	case err != nil:
		return nil, err
	case c.Type != tgPrivate:
		return nil, tgBad("drafts can be sent to private chats only")
	case req.Int("draft_id") == 0:
		return nil, tgBad("draft_id must be non-zero")
	case tgLength(text) > tgMaxText:
		return nil, tgBad("message is too long")
	}
	if err := s.floods(c); err != nil {
		return nil, err
	}
	s.drafts = append(s.drafts, TelegramDraft{Chat: c.ID, ID: req.Params["draft_id"], Text: text, At: s.opt.Now()})
	return true, nil
}

// tgFileID is the file_id of a message's file.
func tgFileID(c *tgChat, m *tgMessage) string { return fmt.Sprintf("file_%d_%d", c.ID, m.id) }
