package httpapi

import (
	"bytes"
	"encoding/json"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// An import is data of its writer. The columns of a message are what the transcript
// shows. Its raw parts repeat the columns in the form that is sent to models. They are
// kept only where they agree with the columns, and only the members that a transcript
// shows: others would be words to the model that the reader of the transcript never saw.

// checkRaw drops the raw parts of an imported message that contradict its columns or
// cannot be read. Without them, the message is sent as the transcript shows it.
func checkRaw(m *session.Message) {
	m.ToolCalls = checkedCalls(m)
	m.Wire = checkedWire(m)
	m.Receipt = checkedReceipt(m)
	if (m.ReceiptID == "") != (m.Receipt == nil) {
		m.ReceiptID, m.Receipt = "", nil
	}
}

// checkedCalls are the tool calls of an answer if they are valid.
func checkedCalls(m *session.Message) []byte {
	if m.ToolCalls == nil || m.Role != session.Assistant {
		return nil
	}
	raw, err := json.Marshal(map[string]json.RawMessage{"role": json.RawMessage(`"assistant"`), "tool_calls": m.ToolCalls})
	if err != nil {
		return nil
	}
	parsed, problem := openai.ParseStored(raw)
	if problem != nil || parsed.ToolCalls == nil {
		return nil
	}
	return m.ToolCalls
}

// checkedWire is the raw form of a message if it agrees with the columns.
func checkedWire(m *session.Message) []byte {
	if m.Wire == nil {
		return nil
	}
	parsed, problem := openai.ParseStored(m.Wire)
	if problem != nil {
		return nil
	}
	said := message(&parsed)
	type fields struct {
		role                   session.Role
		content, name, answers string
	}
	same := fields{said.Role, said.Content, said.Name, said.ToolCallID} == fields{m.Role, m.Content, m.Name, m.ToolCallID}
	if !same || !sameJSON(said.ToolCalls, m.ToolCalls) {
		return nil
	}
	shown, err := openai.Shown(m.Wire)
	if err != nil || len(shown) == len(m.Wire) {
		return shown
	}
	if parsed, problem = openai.ParseStored(shown); problem != nil { // nothing else was in it
		return nil
	}
	return message(&parsed).Wire
}

// sameJSON reports whether two texts are the same JSON, ignoring white space.
func sameJSON(a, b []byte) bool {
	var one, other bytes.Buffer
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return json.Compact(&one, a) == nil && json.Compact(&other, b) == nil && bytes.Equal(one.Bytes(), other.Bytes())
}

// checkedReceipt returns a receipt if it is valid: it is decoded and encoded again, and
// its numbers are added up.
func checkedReceipt(m *session.Message) []byte {
	var r lineage.Receipt
	if m.Receipt == nil || json.Unmarshal(m.Receipt, &r) != nil || r.ID != m.ReceiptID {
		return nil
	}
	_, err := bound.Time(r.At)
	c := &r.Context
	for _, n := range []int{c.Sent, c.Budget, c.Naive, c.Client, c.System, c.Memory, c.Tail, c.Input, c.Tools} {
		if n < 0 || n > bound.MaxTokens {
			return nil
		}
	}
	if err != nil || min(r.Seq, r.TailFrom, r.InputTo) < 0 || max(r.Seq, r.TailFrom, r.InputTo) > bound.MaxCount {
		return nil
	}
	return m.Receipt
}
