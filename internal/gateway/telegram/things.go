package telegram

import (
	"fmt"
	"strings"

	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// things are what a message shows besides words and files.
func things(m *models.Message) []gateway.Thing {
	var out []gateway.Thing
	add := func(kind string, parts ...string) { out = append(out, gateway.NewThing(kind, parts...)) }
	switch {
	case m.Venue != nil: // it comes with a location, which says less
		v := m.Venue
		add("location", v.Title, v.Address, coordinates(&v.Location))
	case m.Location != nil:
		add(locationWord(m.Location), coordinates(m.Location))
	}
	if c := m.Contact; c != nil {
		add("contact", c.FirstName+" "+c.LastName, c.PhoneNumber)
	}
	if p := m.Poll; p != nil {
		out = append(out, pollOf(p))
	}
	if l := m.Checklist; l != nil {
		add("checklist", checklistText(l))
	}
	if d := m.Dice; d != nil {
		add("dice", fmt.Sprintf("%s %d", d.Emoji, d.Value))
	}
	if s := m.Sticker; s != nil && s.Emoji == "" { // an emoji is the text of the message
		add("sticker", s.SetName)
	}
	if g := m.Game; g != nil {
		add("game", g.Title)
	}
	if m.Story != nil {
		add("story")
	}
	return out
}

// locationWord names a location. One that goes on moving is a live one.
func locationWord(l *models.Location) string {
	if l.LivePeriod > 0 {
		return "live location"
	}
	return "location"
}

// coordinates are those of a location.
func coordinates(l *models.Location) string { return gateway.Coordinates(l.Latitude, l.Longitude) }

// pollOf is a poll with its options.
func pollOf(p *models.Poll) gateway.Thing {
	var options []string
	for i := range p.Options {
		options = append(options, p.Options[i].Text)
	}
	return gateway.PollOf(p.Question, options)
}

// checklistText is the title of a checklist with its tasks. Done ones have a mark.
func checklistText(l *models.Checklist) string {
	lines := []string{strings.TrimSpace(l.Title)}
	for i := range l.Tasks {
		mark := "☐ "
		if l.Tasks[i].CompletionDate > 0 {
			mark = "☑ "
		}
		lines = append(lines, mark+l.Tasks[i].Text)
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}
