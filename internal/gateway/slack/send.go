package slack

import (
	"context"
	"strings"
	"unicode/utf8"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// metadataType is the type of the metadata that carries the id of a message.
const metadataType = "hermes_message"

// maxSection is the longest text of a section, in characters.
const maxSection = 3000

// Send posts a message.
func (a *Adapter) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if hook, ok := a.hooks.get(o.Interaction, a.now()); ok {
		return a.respond(ctx, hook, o)
	}
	if o.File != nil {
		return a.upload(ctx, o)
	}
	options := append(content(o),
		api.MsgOptionMetadata(api.SlackMetadata{
			EventType:    metadataType,
			EventPayload: map[string]any{"id": o.ID, "reply_to": string(o.ReplyTo)},
		}))
	at := standing(o)
	if at.Thread != "" {
		options = append(options, api.MsgOptionTS(at.Thread))
	}
	ctx, wrote := watched(ctx)
	_, ts, err := a.api.PostMessageContext(ctx, o.Place.Chat, options...)
	if err == nil && ts == "" {
		err = errNoAnswer
	}
	if err != nil {
		return "", a.failed(err, wrote.Load())
	}
	a.sent(at)
	return gateway.MessageID(ts), nil
}

// standing is where a message stands: also in a DM, which is one conversation, in the thread that it answers.
func standing(o *gateway.Out) gateway.Place {
	at := o.Place
	if o.Under != "" {
		at.Thread = string(o.Under)
	}
	return at
}

// sent remembers that the bot takes part in a thread, and that Slack has taken the status
// "is typing" away.
func (a *Adapter) sent(at gateway.Place) {
	if at.Thread != "" {
		a.join(at.Chat, at.Thread)
		a.marks.drop(typingKey(at))
	}
}

// Edit replaces the text and the buttons of a message.
func (a *Adapter) Edit(ctx context.Context, m gateway.MessageID, o *gateway.Out) error {
	if isEphemeral(m) {
		return &gateway.SendError{Reason: gateway.Missing, Text: "Slack has shown the message to one person, and cannot edit it."}
	}
	ctx, wrote := watched(ctx)
	if _, _, _, err := a.api.UpdateMessageContext(ctx, o.Place.Chat, string(m), content(o)...); err != nil {
		return a.failed(err, wrote.Load())
	}
	return nil
}

// failed turns an error into one of sending. If Slack refuses the token, the adapter looks
// whether it is refused for good.
func (a *Adapter) failed(err error, wrote bool) *gateway.SendError {
	if _, ok := refusedToken(err); ok {
		a.doubt()
	}
	return failure(err, wrote)
}

// content is the text with the buttons. Blocks and attachments are always named, because
// an edit keeps what it does not name.
//
// Slack shows the blocks in place of the text. A text that is plain, or too long for a
// section, stays the text, and its buttons stand in an attachment.
func content(o *gateway.Out) []api.MsgOption {
	text := written(o)
	options := []api.MsgOption{
		api.MsgOptionText(text, false),
		api.MsgOptionParse(false), // else an edit reads names in another way than a new message does
		api.MsgOptionDisableLinkUnfurl(), api.MsgOptionDisableMediaUnfurl(),
	}
	if o.Plain {
		options = append(options, api.MsgOptionDisableMarkdown())
	}
	if len(o.Buttons) == 0 {
		return append(options, api.MsgOptionBlocks(), api.MsgOptionAttachments([]api.Attachment{}...))
	}
	if o.Plain || text == "" || utf8.RuneCountInString(text) > maxSection {
		return append(options, api.MsgOptionBlocks(), api.MsgOptionAttachments(api.Attachment{
			Fallback: "Buttons", Blocks: api.Blocks{BlockSet: []api.Block{actions(o.Buttons)}},
		}))
	}
	return append(options, api.MsgOptionBlocks(section(text), actions(o.Buttons)), api.MsgOptionAttachments([]api.Attachment{}...))
}

// written is the text as Slack reads it. A plain text is escaped here, one in mrkdwn by the
// renderer. Nothing that is sent calls people: a reference to a channel, a group or a person
// is shown as it is written.
func written(o *gateway.Out) string {
	if o.Plain {
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(o.Text)
	}
	return strings.NewReplacer("<!", "&lt;!", "<@", "&lt;@", "<#", "&lt;#").Replace(o.Text)
}

// section is a block with a text. It is verbatim, else Slack reads "@channel" as a call.
func section(text string) *api.SectionBlock {
	return api.NewSectionBlock(api.NewTextBlockObject(api.MarkdownType, text, false, true), nil, nil)
}

func actions(buttons []gateway.Button) *api.ActionBlock {
	elements := make([]api.BlockElement, len(buttons))
	for i, b := range buttons {
		elements[i] = api.NewButtonBlockElement(b.ID, b.ID, api.NewTextBlockObject(api.PlainTextType, b.Label, false, false))
	}
	return api.NewActionBlock("", elements...)
}
