package telegram

import "encoding/json"

// simple are the fields of a message that every version of the Bot API has alike.
func simple() []string {
	return []string{
		"message_id", "message_thread_id", "is_topic_message", "date", "edit_date", "chat", "from", "sender_chat", "author_signature", "via_bot",
		"text", "entities", "caption", "caption_entities", "media_group_id", "photo", "voice", "audio", "document", "quote",
		"migrate_to_chat_id", "migrate_from_chat_id",
	}
}

// reduced is an update without the fields that the library may not know. A message with a
// new kind of forward or gift is so read all the same.
func reduced(raw json.RawMessage) json.RawMessage {
	var u map[string]json.RawMessage
	if json.Unmarshal(raw, &u) != nil {
		return raw
	}
	for _, kind := range allowedUpdates() {
		if m, ok := u[kind]; ok && kind != "callback_query" {
			u[kind] = reducedMessage(m, true)
		}
	}
	return encoded(u, raw)
}

// reducedMessage is a message without the fields that the library may not know.
func reducedMessage(raw json.RawMessage, withReply bool) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	out := map[string]json.RawMessage{}
	for _, field := range simple() {
		if value, ok := m[field]; ok {
			out[field] = value
		}
	}
	if _, ok := m["forward_origin"]; ok { // its words must not become the sender's
		out["forward_origin"] = json.RawMessage(`{"type":"hidden_user","sender_user_name":""}`)
	}
	if reply, ok := m["reply_to_message"]; ok && withReply {
		out["reply_to_message"] = reducedMessage(reply, false)
	}
	return encoded(out, raw)
}

// encoded is an object as JSON, or what it was before.
func encoded(object map[string]json.RawMessage, before json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(object)
	if err != nil {
		return before
	}
	return raw
}
