package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

type clawEvent struct {
	Type      string      `json:"type"`
	ID        string      `json:"id"`
	Parent    *string     `json:"parentId"`
	Timestamp stamp       `json:"timestamp"`
	Message   clawMessage `json:"message"`
}

type clawMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Timestamp stamp           `json:"timestamp"`
	Model     string          `json:"model"`
	CallID    string          `json:"toolCallId"`
	ToolName  string          `json:"toolName"`
	IsError   bool            `json:"isError"`
}

type clawPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// clawLog is a transcript while it is read: its events, and their tree.
type clawLog struct {
	tree

	id     string
	former []string // other ids that an import may have stored the transcript under
	at     time.Time
	// first stands for the first message, and firstEarlier did in earlier versions of this program.
	first, firstEarlier string

	events shelf[clawEvent]
	marks  []clawMark
	leaf   string // the last event of the conversation
	linked bool
	// damaged counts the events that cannot be read, and gap is the event before the last of them.
	damaged int
	gap     string
}

// clawMark is what an event lacks in itself.
type clawMark struct {
	id string
	at time.Time
}

// newLog returns a transcript without events.
func (o *openclaw) newLog(f *File, id string) *clawLog {
	if o.log == nil {
		o.log = o.newBulk()
	}
	o.log.empty()
	l := &clawLog{id: id}
	l.events.open(o.reading, o.log, "", f.Name)
	return l
}

// add adds an event, which was read from raw.
func (l *clawLog) add(e clawEvent, raw []byte) error {
	if e.Type == "session" {
		l.id, l.at = cmp.Or(e.ID, l.id), e.Timestamp.Time
		return nil
	}
	i := l.events.len()
	e.ID = cmp.Or(e.ID, fmt.Sprintf("#%d", i))
	n := node{id: e.ID, said: e.Timestamp.Time, item: i}
	if e.Parent != nil {
		n.parent, l.linked = l.parent(*e.Parent), true
	}
	l.tree.add(n)
	l.marks = append(l.marks, clawMark{e.ID, e.Timestamp.Time})
	if e.Type == "message" && l.first == "" {
		content, earlier := canonical(e.Message.Content)
		l.first, l.firstEarlier = e.first(content), e.first(cmp.Or(earlier, content))
	}
	// Marks that stand apart from the conversation, without a parent, are not its end.
	if i == 0 || e.Parent != nil || e.Type == "message" {
		l.leaf = e.ID
	}
	return l.events.keep(&e, raw)
}

// first stands for an event that is the first message of its transcript.
func (e *clawEvent) first(content string) string {
	return hashID(e.ID + "\x00" + e.Message.Role + "\x00" + content)[:8]
}

// skip notes an event that cannot be read.
func (l *clawLog) skip() { l.damaged, l.gap = l.damaged+1, l.leaf }

// parent is the event that an event with this parent follows: the one before the gap, if the parent cannot be read. What
// was said before the gap stays in the conversation.
func (l *clawLog) parent(id string) string {
	if l.gap != "" && !l.has(id) {
		return l.gap
	}
	return id
}

// clawTalk makes a conversation of events.
type clawTalk struct {
	*openclaw
	out   *Conversation
	where string
	shown map[string]bool
	// beat says that the event belongs to a heartbeat. Earlier versions of this program saw only heartbeats without
	// an envelope: plain says that this is one.
	beat, plain bool
}

// event adds an event, or counts why it is left out.
func (t *clawTalk) event(e *clawEvent) {
	switch {
	case e.Type != "message": // some kinds stand in no branch
		t.other(e.Type, t.where)
		return
	case !t.shown[e.ID]:
		t.report.omit("message of another branch", t.where)
		return
	case e.Message.Role == roleUser && !t.opt.All:
		text := strings.TrimSpace(texts(e.Message.Content))
		words, _, _ := clawWords(text, e.Message.Timestamp.Time)
		t.plain, t.beat = isHeartbeat(text), isHeartbeat(words)
	}
	if t.plain {
		t.report.omit("heartbeat", t.where)
		return
	}
	n := len(t.out.Messages)
	t.message(t.out, e, t.where)
	if len(t.out.Messages) == n {
		return
	}
	if m := &t.out.Messages[n]; !t.beat {
		t.unwrap(m, t.where)
	} else {
		m.Dropped = true
		t.report.omit("heartbeat", t.where)
	}
}

func isHeartbeat(text string) bool { return strings.HasPrefix(text, "Read HEARTBEAT.md") }

// shown are the events of the branch of the last event; all if they are not linked.
func (l *clawLog) shown() map[string]bool {
	nodes := l.nodes
	if l.linked {
		nodes = l.branch(l.leaf)
	}
	out := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		out[n.id] = true
	}
	return out
}
