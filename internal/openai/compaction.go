package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Compaction is what a compaction item stands for: a conversation, or the part of one
// that its client sends no more. Its client keeps it, and sends it back as input.
type Compaction struct {
	// Session is the session that has the conversation; "" if no session has it. After
	// is the Seq of its last message at the time.
	Session string `json:"session,omitempty"`
	After   int64  `json:"after,omitempty"`
	// Summary quotes the beginnings of the messages that were left out, one a line.
	Summary string `json:"summary,omitempty"`
	// Items are those that were kept, in JSON; nil for none. They follow the session
	// and the summary.
	Items json.RawMessage `json:"items,omitempty"`

	kept []Item // Items, read
}

// compactionMark begins the content of the compactions of this program, in this form.
const compactionMark = "hermes1."

// sealed is the content of a compaction item. It is not secret: it has no more than its
// client has sent, or may read.
func (c *Compaction) sealed() string {
	raw, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return compactionMark + base64.RawURLEncoding.EncodeToString(raw)
}

// readCompaction reads the content of a compaction item; nil if another server made it.
func readCompaction(sealed string) (*Compaction, *Problem) {
	text, ours := strings.CutPrefix(sealed, compactionMark)
	if !ours {
		return nil, nil
	}
	bad := &Problem{Param: ".encrypted_content", Msg: "the 'encrypted_content' was changed; send the compaction as it was received"}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, bad
	}
	if _, err := bodyMembers(raw); err != nil {
		return nil, bad
	}
	c := &Compaction{}
	if json.Unmarshal(raw, c) != nil || c.After < 0 {
		return nil, bad
	}
	if c.Items == nil {
		return c, nil
	}
	list, err := Elements(c.Items)
	if err != nil {
		return nil, bad
	}
	if c.kept, _, err = parseItems(list, "items"); err != nil {
		return nil, bad
	}
	for i := range c.kept {
		if t := c.kept[i].Type; t == CompactionItem || t == ReferenceItem {
			return nil, bad
		}
	}
	return c, nil
}

// Kept are the items that were kept.
func (c *Compaction) Kept() []Item { return c.kept }

// KeepItems sets the items that are kept.
func (c *Compaction) KeepItems(items []Item) error {
	if len(items) == 0 {
		return nil
	}
	raw, err := json.Marshal(items)
	c.Items, c.kept = raw, items
	return err
}

// CompactionPrefix begins the id of every compaction item.
const CompactionPrefix = "cmp_"

// ParseCompaction reads a request for a compaction. The conversation may be in the input,
// or be named. Its errors have type *Problem.
func ParseCompaction(body []byte) (*ResponseRequest, error) {
	req, err := parseResponse(body)
	if err != nil {
		return nil, err
	}
	named := req.Previous != "" || req.Conversation != ""
	switch {
	case req.Model == "":
		return nil, errMissing("model")
	case !req.hasInput && !named:
		return nil, errMissing("input")
	}
	return req, nil
}
