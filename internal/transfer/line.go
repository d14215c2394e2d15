package transfer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	System   string   `json:"system"`
	ID       string   `json:"id"`
	Formerly []string `json:"formerly,omitempty"`
	Marks    []byte   `json:"marks"`
	// Texts are marks of what the messages say. Where each mark is of its message only, the marks tell that,
	// and Texts are over the ids alone.
	Texts []byte `json:"texts,omitempty"`
	// Adds says that each mark is of its message only.
	Adds bool `json:"adds,omitempty"`
	// Earlier are the marks of the conversation as earlier versions of this program read it, if they read other
	// messages or texts.
	Earlier   *lineMarks `json:"earlier,omitempty"`
	ChangedAt time.Time  `json:"changed_at,omitzero"`
}

// lineMarks are the marks of another reading of a conversation.
type lineMarks struct {
	Marks []byte `json:"marks"`
	Texts []byte `json:"texts"`
}

// lineMessage is a message of a line.
type lineMessage struct {
	Role       string     `json:"role"`
	Name       string     `json:"name,omitempty"`
	Content    string     `json:"content"`
	Note       string     `json:"note,omitempty"`
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

// memoryNote is the note of messages that are memories: each statement in them is kept as a fact.
const memoryNote = "note"

// take gives a conversation to the import. It is changed.
func (in *reading) take(c *Conversation) error {
	where := c.File.Name + ", conversation " + c.ID
	if err := in.say(c); err != nil {
		return err
	}
	left := in.report.since(in.began)
	defer func() { in.spare, in.began = c.said, in.report.tally() }()
	switch {
	case c.said.n == 0 && c.Damaged > 0:
		in.report.Fail(where, "None of its messages can be read: they are not JSON. The conversation was left out; the others were read.")
		return nil
	case c.said.n == 0:
		in.report.omit("conversation without messages", where)
		return nil
	}
	w, err := in.write(c)
	switch {
	case err != nil:
		return err
	case w.before.Before(in.opt.Since):
		in.report.less(left)
		in.omitEarlier(where)
		return nil
	}
	in.line = append(in.line[:0], w.head...)
	if int64(len(in.line))+in.body.size > maxConversation {
		in.report.blame(where, errTooLarge())
		return nil
	}
	if c.Undated {
		w.retimed = c.said.n
	}
	now := kept{left: left, messages: c.said.n, retimed: w.retimed, key: in.ownKey(c), file: c.File.Modified.UnixMilli()}
	if !w.known.IsZero() {
		now.last = w.known.UnixMilli()
	}
	if changed := in.within(c.Changed); !changed.IsZero() {
		now.changed = changed.UnixMilli()
	}
	return in.keepNewest(c, now, where)
}

// omitEarlier counts a conversation whose last message is older than --since asks for. The count is not part of what is left out
// of the next conversation.
func (in *reading) omitEarlier(where string) {
	in.report.omit("conversation before --since", where)
	in.began = in.report.tally()
}

// writing is a conversation while its messages are written to the body of its line.
type writing struct {
	*reading
	*said
	// called are the names of the calls that have a result, by their ids.
	called map[string]string
	// before is the time of the message before, and begun that of the first one. known is the newest time that a
	// message has of its own, and retimed counts those that have none that can be.
	before, begun, known time.Time
	retimed              int
	// now are the marks, and earlier are those of what earlier versions of this program read.
	now, earlier marking
	note         string
	buf          bytes.Buffer
	enc          *json.Encoder
	head         []byte
}

// write writes the line of a conversation: its messages to the body, and then its head, which
// tells about all of them. What is too large is not written to its end.
func (in *reading) write(c *Conversation) (*writing, error) {
	if in.body == nil {
		in.body = in.newBulk()
	}
	in.body.empty()
	w := &writing{reading: in, said: c.said, called: make(map[string]string)}
	w.enc = json.NewEncoder(&w.buf)
	w.enc.SetEscapeHTML(false)
	w.now = marking{marks: make([]byte, 0, c.said.n*markSize), texts: make([]byte, 0, c.said.n*markSize), adds: c.Adds}
	w.begun = in.start(c)
	if c.Memories {
		w.note = memoryNote
	}
	err := c.said.each(w.message)
	if err == nil {
		_, err = in.body.Write([]byte("]}\n"))
	}
	if err != nil {
		return nil, err
	}
	c.Started = w.begun
	return w, w.encodeHead(c)
}

// message writes a message.
func (w *writing) message(m *Message) error {
	w.pair(m)
	if m.Dropped {
		w.markEarlier(m)
		return nil
	}
	w.time(m)
	w.now.mark(m)
	if w.reread {
		w.markEarlier(m)
	}
	if w.body.size > maxConversation {
		return nil
	}
	w.buf.Reset()
	if w.body.size > 0 {
		w.buf.WriteByte(',')
	}
	if err := w.enc.Encode(w.lineOf(m)); err != nil {
		return err
	}
	_, err := w.body.Write(bytes.TrimSuffix(w.buf.Bytes(), []byte("\n")))
	return err
}

// pair makes texts of the calls without a result, and of the results without a call: a
// model must not be sent one without the other.
func (w *writing) pair(m *Message) {
	if m.Role == roleTool {
		m.Name = cmp.Or(m.Name, w.called[m.CallID])
		if _, known := w.called[m.CallID]; !known {
			m.CallID = ""
		}
		return
	}
	var answered []Call
	var texts, earlier strings.Builder
	for _, call := range m.Calls {
		read := arguments(cmp.Or(call.Earlier, call.Arguments))
		if call.Arguments = arguments(call.Arguments); call.Earlier != "" {
			call.Earlier = read
		}
		if _, twice := w.called[call.ID]; w.results[call.ID] > 0 && !twice {
			w.called[call.ID] = call.Name
			answered = append(answered, call)
			continue
		}
		texts.WriteString("\n[" + cmp.Or(call.Name, "tool") + ": " + call.Arguments + "]")
		earlier.WriteString("\n[" + cmp.Or(call.Name, "tool") + ": " + read + "]")
	}
	m.Calls = answered
	if texts.Len() > 0 {
		m.Earlier = strings.TrimSpace(cmp.Or(m.Earlier, m.Text) + earlier.String())
		m.Text = strings.TrimSpace(m.Text + texts.String())
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

// time gives a message a time behind the one before.
func (w *writing) time(m *Message) {
	switch {
	case !m.At.IsZero() && !m.At.Before(w.before):
		w.known = m.At
	case w.before.IsZero():
		m.At = w.begun
		w.retimed++
	default:
		m.At = w.before.Add(time.Millisecond)
		w.retimed++
	}
	if w.before.IsZero() {
		w.begun = m.At
	}
	w.before = m.At
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
	begun, said := in.within(c.Started), c.said.first
	switch {
	case !said.IsZero() && (begun.IsZero() || begun.After(said)):
		return said
	case !begun.IsZero():
		return begun
	}
	if at := in.within(c.File.Modified); !at.IsZero() {
		return at
	}
	return in.now.Truncate(time.Millisecond)
}

// encodeHead encodes the head of a line.
func (w *writing) encodeHead(c *Conversation) error {
	title := title(c.Title)
	head := lineHead{
		ID: sessionID(c.System, c.ID), SessionKey: cmp.Or(w.ownKey(c), w.opt.Key), Source: "import", Title: title, Model: name(c.Model),
		StartedAt: c.Started, LastActive: w.before,
		Origin: lineOrigin{
			System: c.System, ID: shortID(c.ID), Marks: w.now.marks, Texts: w.now.texts, Adds: c.Adds, ChangedAt: w.within(c.Changed),
		},
	}
	if w.reread {
		head.Origin.Earlier = &lineMarks{Marks: w.earlier.marks, Texts: w.earlier.texts}
	}
	if title != "" {
		head.TitleSource = "model"
	}
	for _, id := range c.Former {
		head.Origin.Formerly = append(head.Origin.Formerly, shortID(id))
	}
	w.buf.Reset()
	if err := w.enc.Encode(head); err != nil {
		return err
	}
	w.head = append(bytes.TrimSuffix(w.buf.Bytes(), []byte("}\n")), `,"messages":[`...)
	return nil
}

// ownKey is the session key that a conversation brings from the other program; "" if it gets that of the import.
func (in *reading) ownKey(c *Conversation) string {
	if in.opt.KeyGiven {
		return ""
	}
	return c.Key
}

func errTooLarge() error {
	return fault.New(fault.TooLarge, "conversation_too_large", "The conversation is larger than 64 MiB, and was not taken. Ask the other program for it in parts, or without its files.")
}

// lineOf is a message as a line has it.
func (w *writing) lineOf(m *Message) lineMessage {
	out := lineMessage{
		Role: m.Role, Content: m.Text, Note: w.note, Model: name(m.Model), SaidAt: m.At, RecordedAt: m.At, ToolCallID: m.CallID,
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
