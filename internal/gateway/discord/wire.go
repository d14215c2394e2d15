package discord

import (
	"encoding/json"
	"time"
)

// The types here have the fields of Discord's events that are read, and no others: an
// unknown value of a field that nobody needs must not lose a message.

type user struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot"`
}

type member struct {
	Nick string `json:"nick"`
	User *user  `json:"user"`
}

// nameOf is the name that people see.
func nameOf(u *user, m *member) string {
	switch {
	case m != nil && m.Nick != "":
		return m.Nick
	case u.GlobalName != "":
		return u.GlobalName
	}
	return u.Username
}

type mentioned struct {
	user
	Member *member `json:"member"`
}

type attachment struct {
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	URL         string `json:"url"`
	Size        int64  `json:"size"`
}

// sticker is a picture with a name that is sent in place of words.
type sticker struct {
	Name string `json:"name"`
}

// poll is a question with answers to choose from.
type poll struct {
	Question media `json:"question"`
	Answers  []struct {
		Media media `json:"poll_media"`
	} `json:"answers"`
}

// media is a text of a poll or of an embed.
type media struct {
	Text string `json:"text"`
}

type reference struct {
	Type      int    `json:"type"`
	MessageID string `json:"message_id"`
}

// Types of messages that a person writes.
const (
	typeDefault = 0
	typeReply   = 19
)

// forwardReference is the type of a reference to a message that is passed on.
const forwardReference = 1

// Flags of messages.
const (
	flagLoading = 1 << 7
	flagVoice   = 1 << 13
)

type message struct {
	ID          string          `json:"id"`
	ChannelID   string          `json:"channel_id"`
	GuildID     string          `json:"guild_id"`
	WebhookID   string          `json:"webhook_id"`
	Type        int             `json:"type"`
	Flags       int             `json:"flags"`
	Author      user            `json:"author"`
	Member      *member         `json:"member"`
	Content     string          `json:"content"`
	Timestamp   string          `json:"timestamp"`
	EditedAt    string          `json:"edited_timestamp"`
	Mentions    []mentioned     `json:"mentions"`
	Roles       []string        `json:"mention_roles"`
	Channels    json.RawMessage `json:"mention_channels"` // of a message that was published from another guild
	Attachments []attachment    `json:"attachments"`
	Embeds      json.RawMessage `json:"embeds"`
	Stickers    json.RawMessage `json:"sticker_items"`
	Poll        json.RawMessage `json:"poll"`
	Reference   *reference      `json:"message_reference"`
	Referenced  *message        `json:"referenced_message"`
	Snapshots   []snapshot      `json:"message_snapshots"`
	Nonce       json.RawMessage `json:"nonce"` // a text or a number
	Components  []component     `json:"components"`
}

// snapshot is a message that was passed on. It has no author and no place.
type snapshot struct {
	Message message `json:"message"`
}

type component struct {
	CustomID   string      `json:"custom_id"`
	Components []component `json:"components"`
}

// Types of interactions.
const (
	interactionCommand   = 2
	interactionComponent = 3
)

type interaction struct {
	ID        string      `json:"id"`
	AppID     string      `json:"application_id"`
	Type      int         `json:"type"`
	Token     string      `json:"token"`
	ChannelID string      `json:"channel_id"`
	GuildID   string      `json:"guild_id"`
	Channel   *rawChannel `json:"channel"`
	Member    *member     `json:"member"`
	User      *user       `json:"user"`
	Message   *message    `json:"message"`
	Data      callData    `json:"data"`
}

type callData struct {
	Name     string       `json:"name"`
	CustomID string       `json:"custom_id"`
	Options  []callOption `json:"options"`
}

type callOption struct {
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value"`
	Options []callOption    `json:"options"`
}

type rawChannel struct {
	ID       string          `json:"id"`
	Type     int             `json:"type"`
	GuildID  string          `json:"guild_id"`
	ParentID string          `json:"parent_id"`
	OwnerID  string          `json:"owner_id"`
	Name     string          `json:"name"`
	Member   json.RawMessage `json:"member"` // there if the bot has joined the thread
}

// timeOf reads a time of Discord; the zero time if it is none.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
