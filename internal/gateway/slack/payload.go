package slack

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// callback is what Slack sends for an event.
type callback struct {
	Type      string          `json:"type"`
	EventID   string          `json:"event_id"`
	Challenge string          `json:"challenge"`
	Event     json.RawMessage `json:"event"`
}

// message is a message, or what happened to one. Only what is used is read, so that a part
// that Slack has changed does not cost the message.
type message struct {
	Type         string          `json:"type"`
	Subtype      string          `json:"subtype"`
	Channel      string          `json:"channel"`
	ChannelType  string          `json:"channel_type"`
	User         string          `json:"user"`
	BotID        string          `json:"bot_id"`
	Username     string          `json:"username"` // of an app
	Text         string          `json:"text"`
	TS           string          `json:"ts"`
	ThreadTS     string          `json:"thread_ts"`
	ParentUserID string          `json:"parent_user_id"`
	Edited       json.RawMessage `json:"edited"`
	Message      *message        `json:"message"`
	Previous     *message        `json:"previous_message"`
	DeletedTS    string          `json:"deleted_ts"`
	Files        json.RawMessage `json:"files"`
	Attachments  json.RawMessage `json:"attachments"`
	Metadata     json.RawMessage `json:"metadata"`
}

// moved says that a channel has another id.
type moved struct {
	Old string `json:"old_channel_id"`
	New string `json:"new_channel_id"`
	TS  string `json:"event_ts"`
}

// file is a file of a message.
type file struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Mode     string `json:"mode"`
	Mime     string `json:"mimetype"`
	Subtype  string `json:"subtype"`
	Size     int64  `json:"size"`
	URL      string `json:"url_private"`
	Download string `json:"url_private_download"`
}

// attachment is something that hangs on a message: here, a message that was passed on.
type attachment struct {
	IsShare    bool        `json:"is_share"`
	AuthorName string      `json:"author_name"`
	Text       string      `json:"text"`
	Fallback   string      `json:"fallback"`
	TS         json.Number `json:"ts"`
}

// slash is a slash command.
type slash struct {
	Command     string `json:"command"`
	Text        string `json:"text"`
	TriggerID   string `json:"trigger_id"`
	TeamID      string `json:"team_id"`
	UserID      string `json:"user_id"`
	UserName    string `json:"user_name"`
	ChannelID   string `json:"channel_id"`
	ChannelName string `json:"channel_name"`
	ResponseURL string `json:"response_url"`
}

// press is the press of buttons.
type press struct {
	Type      string `json:"type"`
	TriggerID string `json:"trigger_id"`
	// ResponseURL takes an answer for the person alone.
	ResponseURL string `json:"response_url"`
	Team        struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		TeamID string `json:"team_id"`
	} `json:"user"`
	Channel struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"channel"`
	Container struct {
		MessageTS string `json:"message_ts"`
		ThreadTS  string `json:"thread_ts"`
		ChannelID string `json:"channel_id"`
	} `json:"container"`
	Actions []struct {
		ActionID string `json:"action_id"`
		Value    string `json:"value"`
		ActionTS string `json:"action_ts"`
		Type     string `json:"type"`
	} `json:"actions"`
}

// each reads the elements of a list, and leaves out those that it cannot read.
func each[T any](list json.RawMessage) []T {
	var raw []json.RawMessage
	if json.Unmarshal(list, &raw) != nil {
		return nil
	}
	var all []T
	for _, r := range raw {
		var v T
		if json.Unmarshal(r, &v) == nil {
			all = append(all, v)
		}
	}
	return all
}

// clock is the time that a message's id names: seconds and microseconds.
func clock(ts string) (time.Time, bool) {
	seconds, micro, ok := strings.Cut(ts, ".")
	s, err := strconv.ParseUint(seconds, 10, 33)
	m, err2 := strconv.ParseUint(micro, 10, 20)
	if !ok || err != nil || err2 != nil || len(micro) != 6 {
		return time.Time{}, false
	}
	return time.Unix(int64(s), int64(m)*int64(time.Microsecond)), true
}
