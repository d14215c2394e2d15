package whatsapp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// location is a place on Earth that a person shared.
type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Name      string  `json:"name"`
	Address   string  `json:"address"`
}

// contactCard is a contact that a person shared.
type contactCard struct {
	Name struct {
		Formatted string `json:"formatted_name"`
	} `json:"name"`
	Phones []struct {
		Number string `json:"phone"`
	} `json:"phones"`
	Emails []struct {
		Address string `json:"email"`
	} `json:"emails"`
}

// order is what a person ordered in a catalog.
type order struct {
	Text  string            `json:"text"`
	Items []json.RawMessage `json:"product_items"`
}

// typeUnsupported is the type of a message of which WhatsApp tells only that there was one.
const typeUnsupported = "unsupported"

// unsupported says what such a message was. Changes of older messages come in the same way.
type unsupported struct {
	Type string `json:"type"`
}

// isMessage reports whether a person sent something that is not passed on.
func (u *unsupported) isMessage() bool {
	switch {
	case u == nil:
		return true
	case strings.HasSuffix(u.Type, "_update"), u.Type == "edit", u.Type == "revoke", u.Type == "reaction":
		return false
	}
	return true
}

// things are what a message shows besides words and files.
func (c *content) things() []gateway.Thing {
	var out []gateway.Thing
	add := func(kind string, parts ...string) { out = append(out, gateway.NewThing(kind, parts...)) }
	if l := gateway.ReadPart[location](c.Location); l != nil {
		add("location", l.Name, l.Address, gateway.Coordinates(l.Latitude, l.Longitude))
	}
	if cards := gateway.ReadPart[[]contactCard](c.Contacts); cards != nil {
		for i := range *cards {
			add("contact", (*cards)[i].lines()...)
		}
	}
	if o := gateway.ReadPart[order](c.Order); o != nil {
		add("order", o.Text, fmt.Sprintf("%d items", len(o.Items)))
	}
	if c.Type == typeUnsupported && gateway.ReadPart[unsupported](c.Unsupported).isMessage() {
		add("a message of a kind that WhatsApp does not pass on")
	}
	return out
}

// lines are the name, the numbers and the addresses of a contact.
func (c *contactCard) lines() []string {
	out := []string{c.Name.Formatted}
	for _, p := range c.Phones {
		out = append(out, p.Number)
	}
	for _, e := range c.Emails {
		out = append(out, e.Address)
	}
	return out
}
