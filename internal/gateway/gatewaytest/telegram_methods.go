package gatewaytest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// tgReactions are the emoji that Telegram takes as reactions.
const tgReactions = "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"

// sendChatAction shows that the bot writes.
func (s *Telegram) sendChatAction(req *TelegramRequest) (any, error) {
	c, err := s.target(req)
	if err != nil {
		return nil, err
	}
	if req.Params["action"] != "typing" {
		return nil, tgBad("wrong parameter action in request")
	}
	if err := s.rests(c); err != nil {
		return nil, err
	}
	s.signals = append(s.signals, TelegramSignal{Chat: c.ID, Sign: "typing"})
	return true, nil
}

// setMessageReaction sets the bot's reaction to a message, or takes it away.
func (s *Telegram) setMessageReaction(req *TelegramRequest) (any, error) {
	c, err := s.target(req)
	if err != nil {
		return nil, err
	}
	if c.message(req.Int("message_id")) == nil {
		return nil, tgBad("message to react not found")
	}
	var list []struct{ Type, Emoji string }
	if err := req.decode("reaction", &list); err != nil {
		return nil, err
	}
	sign := ""
	for _, r := range list {
		if r.Type != "emoji" || !slices.Contains(strings.Fields(tgReactions), r.Emoji) {
			return nil, tgBad("REACTION_INVALID")
		}
		sign = r.Emoji
	}
	if len(list) > 1 {
		return nil, tgBad("REACTIONS_TOO_MANY")
	}
	if err := s.rests(c); err != nil {
		return nil, err
	}
	s.signals = append(s.signals, TelegramSignal{Chat: c.ID, Message: req.Int("message_id"), Sign: sign})
	return true, nil
}

// answerCallbackQuery answers a press, once.
func (s *Telegram) answerCallbackQuery(req *TelegramRequest) (any, error) {
	id := req.Params["callback_query_id"]
	if !s.queries[id] {
		return nil, tgBad("query is too old and response timeout expired or query ID is invalid")
	}
	delete(s.queries, id)
	s.answered = append(s.answered, id)
	return true, nil
}

// tgCommand is a command that people are shown.
type tgCommand struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// setMyCommands registers commands for a scope.
func (s *Telegram) setMyCommands(req *TelegramRequest) (any, error) {
	var list []tgCommand
	if err := req.decode("commands", &list); err != nil {
		return nil, err
	}
	if len(list) > 100 {
		return nil, tgBad("BOT_COMMANDS_TOO_MUCH")
	}
	for _, c := range list {
		bad := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_", r) }
		if c.Command == "" || len(c.Command) > 32 || strings.ContainsFunc(c.Command, bad) {
			return nil, tgBad("BOT_COMMAND_INVALID")
		}
		if n := utf8.RuneCountInString(c.Description); n < 1 || n > 256 {
			return nil, tgBad("BOT_COMMAND_DESCRIPTION_INVALID")
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	s.commands[req.Params["scope"]] = string(raw)
	return true, nil
}

// getMyCommands lists the commands of a scope.
func (s *Telegram) getMyCommands(req *TelegramRequest) (any, error) {
	if raw := s.commands[req.Params["scope"]]; raw != "" {
		return json.RawMessage(raw), nil
	}
	return []any{}, nil
}

// maxTelegramFile is the size of the largest file that getFile gives.
const maxTelegramFile = 20 << 20

// getFile says where a file can be downloaded.
func (s *Telegram) getFile(req *TelegramRequest) (any, error) {
	f, ok := s.files[req.Params["file_id"]]
	switch {
	case !ok:
		return nil, tgBad("wrong file_id or the file is temporarily unavailable")
	case len(f.Data) > maxTelegramFile:
		return nil, tgBad("file is too big")
	}
	return map[string]any{
		"file_id": req.Params["file_id"], "file_unique_id": "u", "file_size": len(f.Data), "file_path": "documents/" + req.Params["file_id"],
	}, nil
}

// serveFile sends a file.
func (s *Telegram) serveFile(w http.ResponseWriter, r *http.Request, path string) {
	req := &TelegramRequest{Method: "file", Params: map[string]string{"path": path}}
	step := s.record(req)
	if !step.before(r.Context(), s.closed, w) {
		return
	}
	s.mu.Lock()
	f, ok := s.files[strings.TrimPrefix(path, "documents/")]
	s.mu.Unlock()
	if !ok {
		tgFailure(404, "Not Found").write(w)
		return
	}
	_, _ = w.Write(f.Data)
}
