package transfer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
)

// lineHead is a line of an import up to its messages.
type lineHead struct {
	ID          string     `json:"id"`
	SessionKey  string     `json:"session_key,omitempty"`
	Source      string     `json:"source"`
	Title       string     `json:"title,omitempty"`
	TitleSource string     `json:"title_source,omitempty"`
	Model       string     `json:"model,omitempty"`
	StartedAt   time.Time  `json:"started_at"`
	LastActive  time.Time  `json:"last_active"`
	Origin      lineOrigin `json:"origin"`
}

type lineOrigin struct {
	System string `json:"system"`
	ID     string `json:"id"`
	Marks  []byte `json:"marks"`
}

// lineMessage is a message of a line.
type lineMessage struct {
	Role       string     `json:"role"`
	Name       string     `json:"name,omitempty"`
	Content    string     `json:"content"`
	Model      string     `json:"model,omitempty"`
	SaidAt     time.Time  `json:"said_at"`
	RecordedAt time.Time  `json:"recorded_at"`
	ToolCalls  []lineCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	ToolName   string     `json:"tool_name,omitempty"`
}

type lineCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// markSize is the size of a message's mark, in bytes.
const markSize = 8

// take gives a conversation to the import. It is changed.
func (in *reading) take(c *Conversation) error {
	where := c.File.Name + ", conversation " + c.ID
	c.Messages = trimmed(c.Messages)
	if len(c.Messages) == 0 {
		in.report.omit("conversation without messages", where)
		return nil
	}
	in.pair(c)
	in.time(c)
	last := c.Messages[len(c.Messages)-1].At
	if last.Before(in.opt.Since) {
		in.report.omit("conversation before --since", where)
		return nil
	}
	if err := in.encode(c); err != nil {
		if in.report.blame(where, err) {
			return nil
		}
		return err
	}
	return in.keepNewest(c, where)
}

// trimmed leaves out the messages in which nothing is said and nothing called.
func trimmed(ms []Message) []Message {
	kept := ms[:0]
	for i := range ms {
		m := ms[i]
		m.Text = strings.TrimSpace(strings.ToValidUTF8(m.Text, "�"))
		if m.Text != "" || len(m.Calls) > 0 || m.CallID != "" {
			kept = append(kept, m)
		}
	}
	return kept
}

// pair makes texts of the calls without a result, and of the results without a call: a
// model must not be sent one without the other.
func (in *reading) pair(c *Conversation) {
	results := make(map[string]int)
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == roleTool && m.CallID != "" {
			results[m.CallID]++
		}
	}
	called := make(map[string]string)
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Role == roleTool {
			m.Name = cmp.Or(m.Name, called[m.CallID])
			if _, known := called[m.CallID]; !known {
				m.CallID = ""
			}
			continue
		}
		var answered []Call
		for _, call := range m.Calls {
			call.Arguments = arguments(call.Arguments)
			if _, twice := called[call.ID]; results[call.ID] > 0 && !twice {
				called[call.ID] = call.Name
				answered = append(answered, call)
				continue
			}
			m.Text = strings.TrimSpace(m.Text + "\n[" + cmp.Or(call.Name, "tool") + ": " + call.Arguments + "]")
		}
		m.Calls = answered
	}
}

// arguments are the arguments of a call as a JSON object.
func arguments(text string) string {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return trimmed
	}
	if text == "" {
		return "{}"
	}
	b, _ := json.Marshal(map[string]string{"input": text}) // a text: cannot fail
	return string(b)
}

// time gives each message a time behind the one before.
func (in *reading) time(c *Conversation) {
	before := time.Time{}
	for i := range c.Messages {
		at := &c.Messages[i].At
		*at = in.within(*at)
		switch {
		case !at.IsZero() && !at.Before(before):
		case before.IsZero():
			*at = in.start(c)
			in.report.Retimed++
		default:
			*at = before.Add(time.Millisecond)
			in.report.Retimed++
		}
		before = *at
	}
	c.Started = c.Messages[0].At
}

// ahead is how far a clock of another program may be ahead of ours.
const ahead = 24 * time.Hour

// within is a time in whole milliseconds; zero for one that cannot be stored, and for one in
// the future: what is said from now on would never be newer than that.
func (in *reading) within(at time.Time) time.Time {
	at, err := bound.Time(at)
	if err != nil || !in.now.IsZero() && at.After(in.now.Add(ahead)) {
		return time.Time{}
	}
	return at
}

// start is the best that is known of when a conversation began: not after its first message
// with a time.
func (in *reading) start(c *Conversation) time.Time {
	begun := in.within(c.Started)
	for i := range c.Messages {
		said := in.within(c.Messages[i].At)
		switch {
		case said.IsZero():
			continue
		case begun.IsZero(), begun.After(said):
			return said
		}
		return begun
	}
	for _, at := range []time.Time{begun, in.within(c.File.Modified)} {
		if !at.IsZero() {
			return at
		}
	}
	return in.now.Truncate(time.Millisecond)
}

// encode writes the line of a conversation.
func (in *reading) encode(c *Conversation) error {
	key := in.opt.Key
	if c.Key != "" && !in.opt.KeyGiven {
		key = c.Key
	}
	title := title(c.Title)
	head := lineHead{
		ID: sessionID(c.System, c.ID), SessionKey: key, Source: "import", Title: title, Model: name(c.Model), StartedAt: c.Started,
		LastActive: c.Messages[len(c.Messages)-1].At,
		Origin:     lineOrigin{System: c.System, ID: shortID(c.ID), Marks: marks(c.Messages)},
	}
	if title != "" {
		head.TitleSource = "model"
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(head); err != nil {
		return err
	}
	in.line = append(in.line[:0], bytes.TrimSuffix(buf.Bytes(), []byte("}\n"))...)
	in.line = append(in.line, `,"messages":[`...)
	for i := range c.Messages {
		buf.Reset()
		if err := enc.Encode(lineOf(&c.Messages[i])); err != nil {
			return err
		}
		if i > 0 {
			in.line = append(in.line, ',')
		}
		in.line = append(in.line, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
		if len(in.line) > maxConversation {
			return errTooLarge()
		}
	}
	in.line = append(in.line, "]}\n"...)
	return nil
}

func errTooLarge() error {
	return fault.New(fault.TooLarge, "conversation_too_large", "The conversation is larger than 64 MiB, and was not taken. Ask the other program for it in parts, or without its files.")
}

// lineOf is a message as a line has it.
func lineOf(m *Message) lineMessage {
	out := lineMessage{
		Role: m.Role, Content: m.Text, Model: name(m.Model), SaidAt: m.At, RecordedAt: m.At, ToolCallID: m.CallID,
	}
	if m.Role == roleTool {
		out.ToolName = name(m.Name)
	} else {
		out.Name = name(m.Name)
	}
	for _, c := range m.Calls {
		call := lineCall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = cmp.Or(name(c.Name), "tool"), c.Arguments
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}

// marks are the marks of messages: the beginnings of a hash over the ids of all messages up
// to each. A message without an id counts by its role, time and text.
func marks(ms []Message) []byte {
	out := make([]byte, 0, len(ms)*markSize)
	var sum []byte
	for i := range ms {
		m := &ms[i]
		h := sha256.New()
		h.Write(sum)
		if m.ID != "" {
			h.Write([]byte("id\x00" + m.ID))
		} else {
			h.Write([]byte(m.Role + "\x00" + strconv.FormatInt(m.At.UnixMilli(), 10) + "\x00" + m.Text))
		}
		sum = h.Sum(sum[:0])
		out = append(out, sum[:markSize]...)
	}
	return out
}

// maxID is the longest id of another program that is kept as it is, in bytes.
const maxID = 200

// shortID is the id of a conversation, or a hash of one that is too long or has control
// characters.
func shortID(id string) string {
	if id != "" && len(id) <= maxID && !strings.ContainsFunc(id, unprintable) {
		return id
	}
	return hashID(id)
}

// hashID is an id made of a text.
func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// sessionID is the id of the session that holds a conversation.
func sessionID(system, id string) string { return system + ":" + shortID(id) }

// title is a title without control characters, of at most 100 characters.
func title(text string) string { return oneLine(text, 100) }

// oneLine is a text of an export on one line, without control characters, cut to a number of
// characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "�"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	return shortened(text, most)
}

// name is a short text without control characters, such as the name of a model.
func name(text string) string { return title(text) }
