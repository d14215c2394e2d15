package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// jsonlFormat reads JSON lines: exports of this program, a conversation a line, or a message
// a line with its session.
func jsonlFormat() format {
	return format{
		name: "jsonl",
		fits: func(s *sample) string {
			switch {
			case s.has("_lineage_root_id"):
				return "is an export of this program"
			case s.has("session", "role", "content"):
				return "has messages with their session"
			case s.has("messages.role") && !s.hasOne("core_memory", "agents", "conversationId"):
				return `has conversations with "messages" of roles`
			}
			return ""
		},
		read: func(ctx context.Context, in *reading, files []*File) error {
			j := &jsonl{reading: in, loose: in.newBulk()}
			return eachFile(ctx, in, files, j.file)
		},
	}
}

// jsonl reads JSON lines.
type jsonl struct {
	*reading

	// loose are the messages of the file that stand a line each, sessions are what they belong to,
	// and order are the ids of these as they came.
	loose    *bulk
	sessions map[string]*plainSession
	order    []string
	// toldKey says that the report tells why --key does not count.
	toldKey bool
}

// plainSession is a session whose messages stand a line each, not always together.
type plainSession struct {
	key      string
	messages []span
}

// span is where a message is among the loose ones.
type span struct{ at, size int64 }

type plainConversation struct {
	ID        word                 `json:"id"`
	Object    string               `json:"object"`
	Root      string               `json:"_lineage_root_id"`
	Title     word                 `json:"title"`
	Model     string               `json:"model"`
	Key       string               `json:"session_key"`
	CreatedAt stamp                `json:"created_at"`
	StartedAt stamp                `json:"started_at"`
	Active    stamp                `json:"last_active"`
	Messages  listOf[plainMessage] `json:"messages"`
	Session   word                 `json:"session"`
}

type plainMessage struct {
	ID        json.RawMessage `json:"id"`
	Role      string          `json:"role"`
	Name      string          `json:"name"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Timestamp stamp           `json:"timestamp"`
	CreatedAt stamp           `json:"created_at"`
	SaidAt    stamp           `json:"said_at"`
	ToolCalls json.RawMessage `json:"tool_calls"`
	CallID    string          `json:"tool_call_id"`
	// Refusal is said instead of a content, and Function is how calls were written before they
	// had ids.
	Refusal  string        `json:"refusal"`
	Function *functionCall `json:"function_call"`
	// Reasoning and ReasoningContent are what the model thought.
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
}

// functionCall is a call in the form of OpenAI.
type functionCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// plain is what was said in a message.
func (in *reading) plain(m *plainMessage, where string) Message {
	text, earlier := in.spoken(m.Content, where)
	id, earlierID := m.identity()
	out := Message{
		ID: id, EarlierID: earlierID, Role: m.Role, Name: m.Name, Model: m.Model,
		Text: cmp.Or(text, m.Refusal), Earlier: earlier, CallID: m.CallID, Calls: in.calls(m.ToolCalls, where),
	}
	if thought(string(m.Reasoning), string(m.ReasoningContent)) {
		in.report.omit(thinking, where)
	}
	if m.Function != nil {
		out.Calls = append(out.Calls, m.Function.call(""))
	}
	if m.Role == "function" { // the result of such a call
		out.Role = roleTool
	}
	out.At = m.said()
	return out
}

// said is when a message was said; zero if that is not told.
func (m *plainMessage) said() time.Time {
	for _, at := range []time.Time{m.SaidAt.Time, m.Timestamp.Time, m.CreatedAt.Time} {
		if !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// identity is the id of a message, which some databases write as an object, and the id that earlier versions of this
// program took for it; "" if that is the same.
func (m *plainMessage) identity() (id, earlier string) {
	if id = textIn(m.ID); id != "" || nonNull(m.ID) == "" {
		return id, ""
	}
	return canonical(m.ID)
}

// nonNull is a JSON value as text; "" for null.
func nonNull(raw json.RawMessage) string {
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// file reads a file.
func (j *jsonl) file(f *File) error {
	j.loose.empty()
	j.sessions, j.order = make(map[string]*plainSession), nil
	err := j.eachValue(f, func(raw *bulk) error { return j.value(f, raw) })
	if spoilt(err) {
		return err
	}
	return errors.Join(err, j.gather(f)) // of a file that was cut off, too
}

// value takes a conversation, or adds a message to one.
func (j *jsonl) value(f *File, raw *bulk) error {
	var c plainConversation
	if err := j.decodeParts(raw, &c, f.Name, map[string]part{"messages": &c.Messages}); err != nil {
		return err
	}
	switch {
	case c.Root != "":
		return j.archived(f, raw, &c)
	case c.Session != "":
		return j.single(f, raw, &c)
	case !c.Messages.given:
		j.report.unknown("value without messages", f.Name)
		return nil
	}
	out := &Conversation{
		System: "jsonl", Title: string(c.Title), Model: c.Model, Key: c.Key, File: f, Started: c.StartedAt.Time,
	}
	out.identify(string(c.ID), raw)
	if out.Started.IsZero() {
		out.Started = c.CreatedAt.Time
	}
	err := c.Messages.each(func(_ int, m *plainMessage) error { return j.add(out, m, f.Name+", conversation "+out.ID) })
	if err != nil {
		return err
	}
	return j.take(out)
}

// add adds a message to a conversation.
func (j *jsonl) add(to *Conversation, m *plainMessage, where string) error {
	if said := j.plain(m, where); j.speaks(&said, where) {
		to.Messages = append(to.Messages, said)
	}
	return j.say(to)
}

// lastActive is the time of the newest message of a conversation in an export of this program. An export that was written by
// hand may not tell it.
func (j *jsonl) lastActive(f *File, c *plainConversation) (time.Time, error) {
	if at := j.within(c.Active.Time); !at.IsZero() {
		return at, nil
	}
	var newest time.Time
	err := c.Messages.each(func(_ int, m *plainMessage) error {
		if at := j.within(m.said()); at.After(newest) {
			newest = at
		}
		return nil
	})
	for _, at := range []time.Time{c.StartedAt.Time, f.Modified, j.now} {
		if newest.IsZero() {
			newest = j.within(at)
		}
	}
	return newest, err
}

// archived takes a line of an export of this program as it is.
func (j *jsonl) archived(f *File, raw *bulk, c *plainConversation) error {
	if !j.opt.Since.IsZero() {
		active, err := j.lastActive(f, c)
		if err != nil {
			return err
		}
		if active.Before(j.opt.Since) {
			j.omitEarlier(f.Name + ", conversation " + string(c.ID))
			return nil
		}
	}
	if j.opt.KeyGiven && !j.toldKey {
		j.toldKey = true
		j.report.Note(f.Name, "An export of this program keeps its session keys. --key does not change them.")
	}
	if _, err := raw.Write([]byte("\n")); err != nil {
		return err
	}
	return j.keepArchived(Line{rest: raw, Started: j.within(c.StartedAt.Time), Replaces: -1}, &kept{messages: c.Messages.len(), key: c.Key})
}

// single adds a message to the session that it names.
func (j *jsonl) single(f *File, raw *bulk, c *plainConversation) error {
	id := string(c.Session)
	s := j.sessions[id]
	if s == nil {
		s = &plainSession{key: c.Key}
		j.sessions[id] = s
		j.order = append(j.order, id)
	}
	var m plainMessage
	text, err := raw.whole()
	if err != nil {
		return err
	}
	where := f.Name + ", session " + id
	if err := j.decode(text, &m, f.Name); err != nil {
		return err
	}
	said := j.plain(&m, where)
	if !j.speaks(&said, where) {
		return nil
	}
	packed := said.pack(nil)
	s.messages = append(s.messages, span{j.loose.size, int64(len(packed))})
	_, err = j.loose.Write(packed)
	return err
}

// gather takes the sessions of a file whose messages stand a line each.
func (j *jsonl) gather(f *File) error {
	for _, id := range j.order {
		s := j.sessions[id]
		c := &Conversation{System: "jsonl", ID: id, Key: s.key, File: f}
		for _, m := range s.messages {
			packed := j.room(m.size)
			if _, err := io.ReadFull(io.NewSectionReader(j.loose, m.at, m.size), packed); err != nil {
				return err
			}
			said, err := unpackMessage(string(packed))
			if err != nil {
				return err
			}
			c.Messages = append(c.Messages, said)
			if err := j.say(c); err != nil {
				return err
			}
		}
		if err := j.take(c); err != nil {
			return err
		}
	}
	return nil
}
