package whatsapp

import (
	"context"
	"errors"
	"net/url"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Run serves the webhook until the context ends. It returns an error only if WhatsApp
// refuses the token.
func (a *Adapter) Run(ctx context.Context, in gateway.Intake) error {
	a.serve(in)
	defer a.client.http.CloseIdleConnections()
	err := a.identify(ctx)
	if err == nil {
		<-ctx.Done()
	}
	a.serve(nil)
	reason := ""
	if err != nil {
		reason = verdicts()[codeToken].text
	}
	a.become("stopped", reason)
	return err
}

// phoneNumber is the phone number as the API shows it.
type phoneNumber struct {
	ID      string `json:"id"`
	Name    string `json:"verified_name"`
	Quality string `json:"quality_rating"`
}

// identify asks who the number is, until there is an answer. Meanwhile the webhook is
// served. It returns an error if the token is refused.
func (a *Adapter) identify(ctx context.Context) error {
	for failures := 1; ; failures++ {
		_, err := a.phone(ctx)
		r, refused := errors.AsType[*refusal](err)
		switch {
		case refused && r.fatal():
			return tokenRefused(r)
		case err == nil:
			a.become("webhook", "")
			a.log.InfoContext(ctx, "whatsapp: the webhook is served")
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		wait := a.pace.after(failures)
		a.become("connecting", reasonOf(err))
		a.log.WarnContext(ctx, "whatsapp: the phone number is not known yet", "err", err, "failures", failures, "wait", wait)
		sleep(ctx, wait)
	}
}

// phone asks who the number is.
func (a *Adapter) phone(ctx context.Context) (phoneNumber, error) {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	var p phoneNumber
	err := a.client.get(ctx, a.cfg.PhoneNumberID, url.Values{"fields": {"id,verified_name,quality_rating"}}, &p)
	return p, a.heed(err)
}

// heed notes whether the API takes the token, and returns the error.
func (a *Adapter) heed(err error) error {
	if err == nil {
		a.troubled("")
	}
	if r, ok := errors.AsType[*refusal](err); ok && r.fatal() {
		a.troubled(verdicts()[codeToken].text)
	}
	return err
}

// reasonOf says why a request fails, in words for a person.
func reasonOf(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.verdict().text
	}
	return "WhatsApp does not answer."
}
