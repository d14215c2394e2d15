package whatsapp

import (
	"context"
	"errors"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Send sends one message.
func (a *Adapter) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	to, err := recipientOf(o.Place.Chat)
	if err != nil {
		return "", err
	}
	wait := a.pace.call
	if o.File != nil {
		wait = a.pace.upload
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	m := compose(o, to)
	if err := a.attach(ctx, o, m); err != nil {
		return "", err
	}
	a.outcomes.forget(o.ID)
	id, err := a.deliver(ctx, o.Place.Chat, m)
	if err != nil {
		return "", err
	}
	// The status may have come before the answer.
	if told, ok, _ := a.outcomes.of(o.ID); ok && told.err != nil && told.message == id {
		return "", told.err
	}
	return id, nil
}

// Edit sends the new text as an answer to the message. WhatsApp has no edits, and takes the
// buttons of a message not away.
func (a *Adapter) Edit(ctx context.Context, m gateway.MessageID, o *gateway.Out) error {
	changed := *o
	changed.ID, changed.ReplyTo, changed.File = "", m, nil
	_, err := a.Send(ctx, &changed)
	return err
}

// Open asks a person to write, with the template. It fails as Send does.
func (a *Adapter) Open(ctx context.Context, at gateway.Place) error {
	if a.cfg.Template.Name == "" {
		return refused("WhatsApp takes only an answer now: the person's last message is older than 24 hours. "+
			"To send a template then, set platforms.whatsapp.template.name.", nil)
	}
	to, err := recipientOf(at.Chat)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	m := to.message("template")
	m.Template = &template{Name: a.cfg.Template.Name}
	m.Template.Language.Code = a.cfg.Template.Language
	_, err = a.deliver(ctx, at.Chat, m)
	return err
}

// deliver hands a message to WhatsApp, once.
func (a *Adapter) deliver(ctx context.Context, chat string, m *message) (gateway.MessageID, error) {
	var answer struct {
		Messages []struct {
			ID gateway.MessageID `json:"id"`
		} `json:"messages"`
	}
	err := a.heed(a.client.post(ctx, a.cfg.PhoneNumberID+"/messages", m, &answer))
	if err == nil && (len(answer.Messages) == 0 || answer.Messages[0].ID == "") {
		err = &broken{sent: true, err: errors.New("the answer names no message")}
	}
	if err != nil {
		return "", a.notSent(chat, err)
	}
	a.waits.over(chat)
	return answer.Messages[0].ID, nil
}

// refused is the error of a message that no other try can send.
func refused(text string, err error) *gateway.SendError {
	return &gateway.SendError{Reason: gateway.Refused, Text: text, Err: err}
}

// notSent is why a message was not sent.
func (a *Adapter) notSent(chat string, err error) *gateway.SendError {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return notAnswered(err)
	}
	v := r.verdict()
	e := &gateway.SendError{Reason: v.reason, Text: v.text, Err: r}
	if v.reason == gateway.Limited {
		e.All = v.all
		if v.all {
			chat = ""
		}
		e.After = max(a.waits.next(chat), r.retryAfter)
	}
	return e
}

// notAnswered is the error of a message whose request had no answer.
func notAnswered(err error) *gateway.SendError {
	if b, ok := errors.AsType[*broken](err); ok && !b.sent {
		return &gateway.SendError{Reason: gateway.Temporary, Text: "WhatsApp cannot be reached.", Err: b}
	}
	return &gateway.SendError{Reason: gateway.Unknown, Text: "The connection to WhatsApp broke.", Err: err}
}

// lateError is what a status says of a message that failed. The platform does not try the message
// again, so that a reason that may pass is one for another try.
func lateError(list []wireError) *gateway.SendError {
	r := &refusal{}
	if len(list) > 0 {
		r.code, r.subcode = list[0].Code, list[0].Subcode
	}
	v := r.verdict()
	switch v.reason {
	case gateway.Limited, gateway.Unknown:
		v.reason = gateway.Temporary
	default:
	}
	return &gateway.SendError{Reason: v.reason, Text: v.text, Err: r}
}
