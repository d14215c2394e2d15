package openai

import (
	"strconv"
	"strings"
)

// ConversationRequest is a request that makes a conversation or adds items to one.
type ConversationRequest struct {
	// Items are the validated items; those of other servers are left out.
	Items    []Item
	Metadata []byte // nil if absent
}

// ParseConversation reads a request about a conversation; an empty body is an empty
// object. Its errors have type *Problem.
func ParseConversation(body []byte) (*ConversationRequest, error) {
	req := &ConversationRequest{}
	if len(body) == 0 {
		return req, nil
	}
	ms, err := bodyMembers(body)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		value := body[m.start:m.end]
		if string(value) == "null" {
			continue
		}
		switch m.name {
		case "items":
			list, err := Elements(value)
			if err != nil {
				return nil, &Problem{Param: m.name, Msg: "'items' must be an array of items."}
			}
			if req.Items, _, err = parseItems(list, m.name); err != nil {
				return nil, err
			}
		case "metadata":
			req.Metadata = value
		}
	}
	return req, nil
}

// messageMark stands before the id of a message in the ids of its items.
const messageMark = "m"

// MessageItemIDs makes the ids of the items of a stored message, in order.
func MessageItemIDs(message int64) func(ItemType) string {
	n := 0
	return func(t ItemType) string {
		id := itemPrefixes[t] + messageMark + strconv.FormatInt(message, 10) + "_" + strconv.Itoa(n)
		n++
		return id
	}
}

// MessageOf is the id of the message that an item belongs to, taken from the item's id.
func MessageOf(item string) (id int64, ok bool) {
	for _, prefix := range itemPrefixes {
		rest, found := strings.CutPrefix(item, prefix+messageMark)
		if !found {
			continue
		}
		number, _, found := strings.Cut(rest, "_")
		id, err := strconv.ParseInt(number, 10, 64)
		return id, found && err == nil && id > 0
	}
	return 0, false
}
