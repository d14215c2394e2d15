package whatsapp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Check asks WhatsApp who the number is, and names what is missing.
func (a *Adapter) Check(ctx context.Context) (gateway.Checked, error) {
	p, err := a.phone(ctx)
	if err != nil {
		return gateway.Checked{}, fmt.Errorf("ask who the phone number is: %w", err)
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
