package gatewaytest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/gateway"
)

const (
	discordLength = 2000 // of a message, in UTF-16 code units
	loadingFlag   = 128
)

// sentMessage is the body of a message that the bot sends or edits.
type sentMessage struct {
	Content         *string          `json:"content"`
	Nonce           string           `json:"nonce"`
	EnforceNonce    bool             `json:"enforce_nonce"`
	Flags           int              `json:"flags"`
	Components      []sentRow        `json:"components"`
	AllowedMentions *allowedMentions `json:"allowed_mentions"`
	Reference       *sentReference   `json:"message_reference"`
	Attachments     []struct {
		ID       int    `json:"id"`
		Filename string `json:"filename"`
	} `json:"attachments"`
}

type sentRow struct {
	Type       int          `json:"type"`
	Components []sentButton `json:"components"`
}

type sentButton struct {
	Type     int    `json:"type"`
	Style    int    `json:"style"`
	Label    string `json:"label"`
	CustomID string `json:"custom_id"`
	Disabled bool   `json:"disabled"`
}

type allowedMentions struct {
	Parse       []string `json:"parse"`
	Roles       []string `json:"roles"`
	Users       []string `json:"users"`
	RepliedUser bool     `json:"replied_user"`
}

type sentReference struct {
	MessageID       string `json:"message_id"`
	ChannelID       string `json:"channel_id"`
	FailIfNotExists *bool  `json:"fail_if_not_exists"`
}

// check refuses what Discord refuses, and records what a good bot does not do. It returns
// the ids of the buttons.
func (d *Discord) check(m *sentMessage, files map[string][]byte, edit bool) (buttons []gateway.Button, field, why string) {
	if m.AllowedMentions == nil || m.AllowedMentions.any() {
		d.breaks("allowed_mentions is %+v, want an empty one", m.AllowedMentions)
	}
	if m.Flags&4 == 0 {
		d.breaks("the message shows previews of links: flags %d", m.Flags)
	}
	text := ""
	if m.Content != nil {
		text = *m.Content
	}
	switch {
	case len(utf16.Encode([]rune(text))) > discordLength:
		return nil, "content", "Must be 2000 or fewer in length."
	case !edit && text == "" && len(files) == 0:
		return nil, "content", "Cannot send an empty message"
	case len(m.Nonce) > 25:
		return nil, "nonce", "Must be 25 or fewer in length."
	case len(m.Components) > 5:
		return nil, "components", "Must be 5 or fewer in length."
	case len(files) != len(m.Attachments):
		return nil, "attachments", "Each file has an attachment."
	}
	if buttons, why = m.buttons(); why != "" {
		return nil, "components", why
	}
	return buttons, "", ""
}

// buttons are the buttons of a message, or why Discord refuses them.
func (m *sentMessage) buttons() (out []gateway.Button, why string) {
	for _, row := range m.Components {
		if row.Type != 1 || len(row.Components) == 0 || len(row.Components) > 5 {
			return nil, "A row has 1 to 5 buttons."
		}
		for i := range row.Components {
			b := &row.Components[i]
			if !b.valid() {
				return nil, "Not a button."
			}
			if slices.ContainsFunc(out, func(o gateway.Button) bool { return o.ID == b.CustomID }) {
				return nil, "Component custom id cannot be duplicated"
			}
			out = append(out, gateway.Button{ID: b.CustomID, Label: b.Label})
		}
	}
	return out, ""
}

// valid reports whether Discord takes a button.
func (b *sentButton) valid() bool {
	named := b.CustomID != "" && len(b.CustomID) <= 100 && b.Label != "" && utf8.RuneCountInString(b.Label) <= 80
	return named && b.Type == 2 && b.Style >= 1 && b.Style <= 4
}

func (a *allowedMentions) any() bool {
	return a.Parse == nil || len(a.Parse)+len(a.Roles)+len(a.Users) > 0 || a.RepliedUser
}

func (d *Discord) postMessage(c *discordCall) (int, any) {
	id := c.PathValue("channel")
	if d.channels[id] == nil {
		return unknownThing(10003, "Channel")
	}
	var in sentMessage
	if err := c.read(&in); err != nil {
		return invalidForm("_", err.Error())
	}
	if in.Nonce == "" || !in.EnforceNonce {
		d.breaks("a message without an enforced nonce was sent")
	}
	buttons, field, why := d.check(&in, c.files, false)
	if why != "" {
		return invalidForm(field, why)
	}
	if old := d.byNonce(id, in.Nonce); old != nil && in.EnforceNonce {
		return http.StatusOK, d.answerOf(old, true)
	}
	m := &DiscordMessage{
		ID: d.snowflake(), Channel: id, Author: DiscordBot, Nonce: in.Nonce, Buttons: buttons,
		Files: maps.Clone(c.files), Reactions: make(map[string]bool),
	}
	if in.Content != nil {
		m.Content = *in.Content
	}
	if r := in.Reference; r != nil {
		there := d.find(id, r.MessageID) != nil
		if !there && (r.FailIfNotExists == nil || *r.FailIfNotExists) {
			return invalidForm("message_reference", "Unknown message")
		}
		if there {
			m.ReplyTo = r.MessageID
		}
	}
	if ch := d.channels[id]; ch.Type >= 10 && ch.Type <= 12 {
		ch.Joined = true
	}
	m.raw = d.rawMessage(m)
	d.messages[id] = append(d.messages[id], m)
	d.dispatch("MESSAGE_CREATE", d.answerOf(m, true))
	return http.StatusOK, d.answerOf(m, true)
}

// rawMessage is a message of the bot as Discord sends it.
func (d *Discord) rawMessage(m *DiscordMessage) map[string]any {
	raw := map[string]any{
		"id": m.ID, "channel_id": m.Channel, "type": 0, "content": m.Content, "timestamp": d.Now().UTC().Format(time.RFC3339Nano),
		"edited_timestamp": nil, "author": discordUser(), "mentions": []any{}, "attachments": d.attachmentsOf(m),
		"components": rowsOf(m.Buttons), "flags": 4,
	}
	if m.ReplyTo != "" {
		raw["type"] = 19
		raw["message_reference"] = map[string]any{"message_id": m.ReplyTo, "channel_id": m.Channel}
	}
	return raw
}

func (d *Discord) attachmentsOf(m *DiscordMessage) []any {
	out := []any{}
	for name, data := range m.Files {
		url := d.http.URL + "/attachments/" + m.ID + "/" + name
		out = append(out, map[string]any{"id": m.ID, "filename": name, "size": len(data), "url": url})
	}
	return out
}

func rowsOf(buttons []gateway.Button) []any {
	if len(buttons) == 0 {
		return []any{}
	}
	var list []any
	for _, b := range buttons {
		list = append(list, map[string]any{"type": 2, "style": 2, "custom_id": b.ID, "label": b.Label})
	}
	return []any{map[string]any{"type": 1, "components": list}}
}

func discordUser() map[string]any {
	return map[string]any{"id": DiscordBot, "username": "hermes", "global_name": nil, "bot": true}
}

// answerOf is a message as the API returns it.
func (d *Discord) answerOf(m *DiscordMessage, nonce bool) map[string]any {
	raw := maps.Clone(m.raw)
	delete(raw, "guild_id")
	if nonce && m.Nonce != "" {
		raw["nonce"] = m.Nonce
	}
	return raw
}

// byNonce finds a message of the last minutes by its nonce.
func (d *Discord) byNonce(channel, nonce string) *DiscordMessage {
	for _, m := range d.messages[channel] {
		if nonce != "" && m.Nonce == nonce && d.Now().Sub(snowflakeTime(m.ID)) < 3*time.Minute {
			return m
		}
	}
	return nil
}

func snowflakeTime(id string) time.Time {
	n, _ := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(n>>22 + 1420070400000)
}

func (d *Discord) find(channel, id string) *DiscordMessage {
	for _, m := range d.messages[channel] {
		if m.ID == id {
			return m
		}
	}
	return nil
}

func (d *Discord) patchMessage(c *discordCall) (int, any) {
	m := d.find(c.PathValue("channel"), c.PathValue("message"))
	if m == nil {
		return unknownThing(10008, "Message")
	}
	if m.Author != DiscordBot {
		return http.StatusForbidden, discordError{Code: 50005, Message: "Cannot edit a message authored by another user"}
	}
	return d.change(m, c)
}

// change carries an edit out.
func (d *Discord) change(m *DiscordMessage, c *discordCall) (int, any) {
	var in sentMessage
	if err := c.read(&in); err != nil {
		return invalidForm("_", err.Error())
	}
	buttons, field, why := d.check(&in, c.files, true)
	if why != "" {
		return invalidForm(field, why)
	}
	if in.Content != nil {
		m.Content = *in.Content
	}
	if in.Components != nil {
		m.Buttons = buttons
	}
	if len(c.files) > 0 {
		m.Files = maps.Clone(c.files)
	}
	m.Edits++
	m.Changed = d.Now()
	m.raw["content"], m.raw["components"], m.raw["flags"] = m.Content, rowsOf(m.Buttons), 4
	m.raw["edited_timestamp"], m.raw["attachments"] = d.Now().UTC().Format(time.RFC3339Nano), d.attachmentsOf(m)
	d.dispatch("MESSAGE_UPDATE", d.answerOf(m, false))
	return http.StatusOK, d.answerOf(m, false)
}

func (d *Discord) getMessages(c *discordCall) (int, any) {
	id, q := c.PathValue("channel"), c.URL.Query()
	if d.channels[id] == nil {
		return unknownThing(10003, "Channel")
	}
	limit := 50
	if s := q.Get("limit"); s != "" {
		limit, _ = strconv.Atoi(s)
	}
	if limit < 1 || limit > 100 {
		return invalidForm("limit", "int value should be between 1 and 100.")
	}
	list := d.messages[id]
	if after := q.Get("after"); after != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(m *DiscordMessage) bool { return !smallerID(after, m.ID) })
		list = list[:min(limit, len(list))]
	}
	list = list[max(0, len(list)-limit):]
	out := []any{}
	for _, m := range slices.Backward(list) {
		out = append(out, d.answerOf(m, !d.o.HideNonce))
	}
	return http.StatusOK, out
}

// smallerID compares two ids by their numbers.
func smallerID(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
