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
	System   string   `json:"system"`
	ID       string   `json:"id"`
	Formerly []string `json:"formerly,omitempty"`
	Marks    []byte   `json:"marks"`
	// Texts are marks of what the messages say. Where each mark is of its message only, the marks tell that,
	// and Texts are over the ids alone.
	Texts []byte `json:"texts,omitempty"`
	// Adds says that each mark is of its message only.
	Adds      bool      `json:"adds,omitempty"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
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
	if err := in.say(c); err != nil {
		return err
	}
	defer func() { in.spare = c.said }()
	if c.said.n == 0 {
		in.report.omit("conversation without messages", where)
		return nil
	}
	w, err := in.write(c)
	switch {
	case err != nil:
		return err
	case w.before.Before(in.opt.Since):
		in.report.omit("conversation before --since", where)
		return nil
	}
	in.line = append(in.line[:0], w.head...)
	if int64(len(in.line))+in.body.size > maxConversation {
		in.report.blame(where, errTooLarge())
		return nil
	}
	now := kept{last: w.before.UnixMilli(), messages: c.said.n, file: c.File.Modified.UnixMilli()}
	if changed := in.within(c.Changed); !changed.IsZero() {
		now.changed = changed.UnixMilli()
	}
	return in.keepNewest(c, now, where)
}

// writing is a conversation while its messages are written to the body of its line.
type writing struct {
	*reading
	*said
	// called are the names of the calls that have a result, by their ids.
	called map[string]string
	// before is the time of the message before, begun of the first one; sum is the hash over the ids of all
	// messages so far, and marks are the beginnings of these hashes; texts are those of hashes over what
	// the messages say.
	before, begun     time.Time
	sum, marks, texts []byte
	adds              bool // each mark is of its message only
	buf               bytes.Buffer
	enc               *json.Encoder
	head              []byte
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
	w.marks, w.texts = make([]byte, 0, c.said.n*markSize), make([]byte, 0, c.said.n*markSize)
	w.begun, w.adds = in.start(c), c.Adds
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
	w.time(m)
	w.mark(m)
	if w.body.size > maxConversation {
		return nil
	}
	w.buf.Reset()
	if w.body.size > 0 {
		w.buf.WriteByte(',')
	}
	if err := w.enc.Encode(lineOf(m)); err != nil {
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
	for _, call := range m.Calls {
		call.Arguments = arguments(call.Arguments)
		if _, twice := w.called[call.ID]; w.results[call.ID] > 0 && !twice {
			w.called[call.ID] = call.Name
			answered = append(answered, call)
			continue
		}
		m.Text = strings.TrimSpace(m.Text + "\n[" + cmp.Or(call.Name, "tool") + ": " + call.Arguments + "]")
	}
	m.Calls = answered
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
	case w.before.IsZero():
		m.At = w.begun
		w.report.Retimed++
	default:
		m.At = w.before.Add(time.Millisecond)
		w.report.Retimed++
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
	key := w.opt.Key
	if c.Key != "" && !w.opt.KeyGiven {
		key = c.Key
	}
	title := title(c.Title)
	head := lineHead{
		ID: sessionID(c.System, c.ID), SessionKey: key, Source: "import", Title: title, Model: name(c.Model), StartedAt: c.Started,
		LastActive: w.before,
		Origin: lineOrigin{
			System: c.System, ID: shortID(c.ID), Marks: w.marks, Texts: w.texts, Adds: c.Adds, ChangedAt: w.within(c.Changed),
		},
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

// mark adds the mark of a message: the beginning of a hash over the ids of all messages up to
// it. A message without an id counts by its role, time and text. The mark of one that stands alone is
// over its id and text, and a second one over its id.
func (w *writing) mark(m *Message) {
	h := sha256.New()
	h.Write(w.sum)
	switch {
	case w.adds:
		h.Reset()
		h.Write([]byte("id\x00" + m.ID + "\x00" + m.Text))
	case m.ID != "":
		h.Write([]byte("id\x00" + m.ID))
	default:
		h.Write([]byte(m.Role + "\x00" + strconv.FormatInt(m.At.UnixMilli(), 10) + "\x00" + m.Text))
	}
	w.sum = h.Sum(w.sum[:0])
	w.marks = append(w.marks, w.sum[:markSize]...)
	if w.adds {
		id := sha256.Sum256([]byte("id\x00" + m.ID))
		w.texts = append(w.texts, id[:markSize]...)
		return
	}
	w.texts = append(w.texts, w.textMark(m)...)
}

// textMark is the mark of what a message says and calls. The hash begins with the sum over the ids, which
// is not stored whole: the mark of a text that was forgotten later helps no one to guess the text.
func (w *writing) textMark(m *Message) []byte {
	h := sha256.New()
	h.Write(w.sum)
	h.Write([]byte(m.Role + "\x00" + m.Text))
	for _, c := range m.Calls {
		h.Write([]byte("\x00" + c.Name + "\x00" + c.Arguments))
	}
	return h.Sum(nil)[:markSize]
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
