package telegram

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// reactionOf is the emoji of a mark. Telegram takes only emoji of its own list, which has
// neither an hourglass nor a cross.
func reactionOf(mark gateway.Mark) string {
	switch mark {
	case gateway.Waits:
		return "👌"
	case gateway.Works:
		return "👀"
	case gateway.Broke:
		return "💔"
	default:
		return ""
	}
}

// Signal shows what becomes of a message: by the state "typing", or by a reaction.
func (a *Adapter) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	chat, thread, err := target(at)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	if mark == gateway.Typing {
		_, err = a.bot.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: chat, MessageThreadID: thread, Action: models.ChatActionTyping})
	} else {
		err = a.react(ctx, chat, m, reactionOf(mark))
	}
	if err != nil {
		return fmt.Errorf("signal mark %d: %w", mark, a.client.masked(err))
	}
	return nil
}

// react sets the bot's reaction to a message; "" takes it away.
func (a *Adapter) react(ctx context.Context, chat any, m gateway.MessageID, emoji string) error {
	id, err := strconv.Atoi(string(m))
	if err != nil {
		return fmt.Errorf("the message has no id of Telegram: %w", err)
	}
	p := &bot.SetMessageReactionParams{ChatID: chat, MessageID: id}
	if emoji != "" {
		p.Reaction = []models.ReactionType{{Type: models.ReactionTypeTypeEmoji, ReactionTypeEmoji: &models.ReactionTypeEmoji{Emoji: emoji}}}
	}
	_, err = a.bot.SetMessageReaction(ctx, p)
	return err
}
