package discord

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// outgoing is the body of a message. The library's own type cannot say that the message
// that is answered may be missing, and names attachments nowhere.
type outgoing struct {
	Content         string                    `json:"content"`
	Nonce           string                    `json:"nonce,omitempty"`
	EnforceNonce    bool                      `json:"enforce_nonce,omitempty"`
	AllowedMentions discord.AllowedMentions   `json:"allowed_mentions"`
	Flags           discord.MessageFlags      `json:"flags"`
	Components      []discord.LayoutComponent `json:"components"`
	Reference       *answering                `json:"message_reference,omitempty"`
	Attachments     []attached                `json:"attachments,omitempty"`
}

type answering struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

type attached struct {
	ID       int    `json:"id"`
	Filename string `json:"filename"`
}

// nonceLength is the length of Discord's longest nonce.
const nonceLength = 25

// nonceOf is the nonce of a message. Discord returns the message that has it already
// instead of sending another one, for some minutes. So a message in the place of one that is gone
// has another nonce.
func nonceOf(o *gateway.Out) string {
	id := o.ID
	if o.Replaces != "" {
		sum := sha256.Sum256([]byte(o.ID + " " + string(o.Replaces)))
		id = hex.EncodeToString(sum[:])
	}
	return id[:min(nonceLength, len(id))]
}

// bodyOf is what all bodies have: the text, no pings, no previews, the buttons.
func bodyOf(o *gateway.Out) *outgoing {
	b := &outgoing{
		Content: contentOf(o),
		AllowedMentions: discord.AllowedMentions{
			Parse: []discord.AllowedMentionType{}, Roles: nil, Users: nil,
		},
		Flags:      discord.MessageFlagSuppressEmbeds,
		Components: []discord.LayoutComponent{},
	}
	if len(o.Buttons) > 0 {
		var row []discord.InteractiveComponent
		for _, button := range o.Buttons {
			row = append(row, discord.NewSecondaryButton(button.Label, button.ID))
		}
		b.Components = append(b.Components, discord.NewActionRow(row...))
	}
	return b
}

// withFile is a body as it is sent: a form if a file goes along.
func withFile(b *outgoing, f *gateway.File) (any, error) {
	if f == nil {
		return b, nil
	}
	name := fileName(f.Name)
	b.Attachments = []attached{{ID: 0, Filename: name}}
	form, err := discord.PayloadWithFiles(b, discord.NewFile(name, "", bytes.NewReader(f.Data)))
	if err != nil {
		return nil, &gateway.SendError{Reason: gateway.Refused, Text: "The file cannot be sent.", Err: err}
	}
	return form, nil
}

// fileName is a name that is safe in the head of a form, which the library does not
// escape.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`"\/`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if name == "" {
		return "file"
	}
	return name
}

// changed is the body of an edit.
func changed(o *gateway.Out) (any, error) { return withFile(bodyOf(o), o.File) }

// Send sends a message.
func (a *Adapter) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if !isID(channelOf(o.Place)) {
		return "", refused("The place is not a channel of Discord.")
	}
	if h, ok := a.command(o); ok {
		id, done, err := a.answer(ctx, h, o)
		if done {
			return id, err
		}
	}
	return a.post(ctx, o)
}

// post sends a message to a channel.
func (a *Adapter) post(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	b := bodyOf(o)
	b.Nonce, b.EnforceNonce = nonceOf(o), true
	if id := string(o.ReplyTo); isID(id) {
		b.Reference = &answering{MessageID: id}
	}
	body, err := withFile(b, o.File)
	if err != nil {
		return "", err
	}
	var got message
	if err := a.api.do(ctx, rest.CreateMessage.Compile(nil, channelOf(o.Place)), body, &got); err != nil {
		return "", inThread(o.Place, err)
	}
	a.sent.add(got.ID, o.ID)
	return gateway.MessageID(got.ID), nil
}

// Edit changes a message that was sent.
func (a *Adapter) Edit(ctx context.Context, m gateway.MessageID, o *gateway.Out) error {
	channel := channelOf(o.Place)
	if !isID(channel) || !isID(string(m)) {
		return refused("The place is not a message of Discord.")
	}
	body, err := changed(o)
	if err != nil {
		return err
	}
	if h, ok := a.command(o); ok {
		if done, err := a.editAnswer(ctx, h, m, body); done {
			return err
		}
		if body, err = changed(o); err != nil {
			return err
		}
	}
	return inThread(o.Place, a.api.do(ctx, rest.UpdateMessage.Compile(nil, channel, m), body, nil))
}
