package discord

import (
	"context"
	"strings"
	"time"

	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// handle is what an answer to a command or a press needs. Its text is kept with the event.
type handle struct {
	app, id, token string
	command        bool
}

// Bounds that Discord sets to interactions.
const (
	deferWithin  = 3 * time.Second
	answerWithin = 15 * time.Minute
)

// String is the text that [parseHandle] reads.
func (h *handle) String() string {
	kind := "press"
	if h.command {
		kind = "command"
	}
	return strings.Join([]string{kind, h.app, h.id, h.token}, " ")
}

func parseHandle(text string) (*handle, bool) {
	parts := strings.Split(text, " ")
	if len(parts) != 4 {
		return nil, false
	}
	h := &handle{app: parts[1], id: parts[2], token: parts[3], command: parts[0] == "command"}
	return h, isID(h.app) && isID(h.id) && isToken(h.token) && h.String() == text
}

// Signs of names and tokens.
const (
	wordSigns  = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	tokenSigns = wordSigns + "-.=+"
)

// isToken reports whether a text can be the token of an interaction, in a path.
func isToken(text string) bool {
	return text != "" && strings.Trim(text, tokenSigns) == "" && strings.Trim(text, ".") != ""
}

// command returns the command that a message answers, if Discord still takes an answer.
func (a *Adapter) command(o *gateway.Out) (*handle, bool) {
	h, ok := parseHandle(o.Interaction)
	if !ok || !h.command {
		return nil, false
	}
	return h, a.cfg.Now().Sub(idTime(h.id)) < answerWithin
}

// answer puts a message in the place of "is thinking…". It reports false if nothing was
// sent, since that place is taken or gone: then the message is sent as any other.
func (a *Adapter) answer(ctx context.Context, h *handle, o *gateway.Out) (gateway.MessageID, bool, error) {
	a.deferrals.wait(ctx, h.id)
	var now message
	err := a.api.do(ctx, rest.GetInteractionResponse.Compile(nil, h.app, h.token), nil, &now)
	switch {
	case err != nil && hopeless(err):
		return "", false, nil
	case err != nil:
		return "", true, unsent(err)
	case now.Flags&flagLoading == 0:
		// An earlier try, or another message, has taken the place.
		return gateway.MessageID(now.ID), sameText(now.Content, contentOf(o)) && o.File == nil, nil
	}
	body, err := changed(o)
	if err != nil {
		return "", true, err
	}
	var sent message
	err = a.api.do(ctx, rest.UpdateInteractionResponse.Compile(nil, h.app, h.token), body, &sent)
	if isGoneWebhook(err) {
		return "", false, nil
	}
	return gateway.MessageID(sent.ID), true, err
}

// isGoneWebhook reports whether an interaction takes no more answers, or its answer cannot be
// changed: in an archived thread.
func isGoneWebhook(err error) bool {
	switch codeOf(err) {
	case codeUnknownWebhook, codeUnknownInteraction, codeWebhookToken, codeUnknownMessage, codeArchived:
		return true
	}
	return false
}

// unsent is the error of a question before a message: the message was surely not sent.
func unsent(err error) error {
	if reasonOf(err) != gateway.Unknown {
		return err
	}
	return &gateway.SendError{Reason: gateway.Temporary, Text: "The connection to Discord broke.", Err: err}
}

// editAnswer changes the answer to a command. It reports false if Discord takes no more
// changes that way.
func (a *Adapter) editAnswer(ctx context.Context, h *handle, m gateway.MessageID, body any) (bool, error) {
	err := a.api.do(ctx, rest.UpdateFollowupMessage.Compile(nil, h.app, h.token, m), body, nil)
	if isGoneWebhook(err) {
		return false, nil
	}
	return true, err
}
