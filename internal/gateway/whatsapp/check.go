package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// Check asks WhatsApp who the number is, and names what is missing.
func (a *Adapter) Check(ctx context.Context) (gateway.Checked, error) {
	p, err := a.phone(ctx)
	if err != nil {
		return gateway.Checked{}, checkError(err)
	}
	c := gateway.Checked{Account: a.cfg.PhoneNumberID, Name: p.Name}
	if p.Quality != "" {
		c.Name += " (quality " + strings.ToLower(p.Quality) + ")"
	}
	if p.Quality == "RED" || p.Quality == "YELLOW" {
		c.Missing = append(c.Missing, "the quality of the number is "+strings.ToLower(p.Quality)+
			": people have blocked or reported it. See the number in Meta's Business Manager")
	}
	c.Missing = append(c.Missing, a.missingPermissions(ctx)...)
	if a.cfg.Template.Name == "" {
		c.Missing = append(c.Missing, "no template is set: a message later than 24 hours after the person's last one fails. "+
			"Set platforms.whatsapp.template.name")
	}
	return c, nil
}

// codeNoObject is the answer to an id that is none, or that the token may not see.
const codeNoObject = 100

// tokenRefused says what to do about a token that WhatsApp refuses.
func tokenRefused(cause error) error {
	return fault.Wrap(fault.Unauthenticated, "whatsapp_token", "WhatsApp refuses the access token. "+
		"Make one of a system user, as docs/platforms.md says, and set WHATSAPP_CLOUD_ACCESS_TOKEN to it.", cause)
}

// checkError is why WhatsApp does not say who the number is, in words for a person.
func checkError(err error) error {
	r, refused := errors.AsType[*refusal](err)
	switch {
	case refused && r.fatal():
		return tokenRefused(err)
	case refused && r.code == codeNoObject:
		return fault.Wrap(fault.Invalid, "whatsapp_number", "WhatsApp does not know the phone number's id, or the access token may not use it. "+
			"Set WHATSAPP_CLOUD_PHONE_NUMBER_ID to the Phone number ID of the page API Setup, which is not the number itself.", err)
	case refused && r.page:
		text := fmt.Sprintf("A page with status %d came instead of an answer of WhatsApp. "+
			"Look whether a proxy stands between this machine and WhatsApp, or try again later.", r.status)
		return fault.Wrap(fault.Unavailable, "whatsapp_unavailable", text, err)
	case refused:
		text := fmt.Sprintf("WhatsApp answers with status %d, code %d. Try again later.", r.status, r.code)
		return fault.Wrap(fault.Unavailable, "whatsapp_unavailable", text, err)
	}
	return fault.Wrap(fault.Unavailable, "whatsapp_unreachable",
		"WhatsApp does not answer. Look whether this machine reaches the Cloud API, over a proxy if it needs one (HTTPS_PROXY).", err)
}

// missingPermissions are those that the token lacks. Of some tokens WhatsApp does not tell
// them; then none is named.
func (a *Adapter) missingPermissions(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	var answer struct {
		Data []struct {
			Permission string `json:"permission"`
			Status     string `json:"status"`
		} `json:"data"`
	}
	if err := a.client.get(ctx, "me/permissions", nil, &answer); err != nil {
		a.log.DebugContext(ctx, "whatsapp: the permissions are not known", "err", err)
		return nil
	}
	var granted, missing []string
	for _, p := range answer.Data {
		if p.Status == "granted" {
			granted = append(granted, p.Permission)
		}
	}
	for _, name := range []string{"whatsapp_business_messaging", "whatsapp_business_management"} {
		if !slices.Contains(granted, name) {
			missing = append(missing, "the access token lacks the permission "+name+". Grant it in the app's settings at Meta, and make a new token")
		}
	}
	return missing
}
