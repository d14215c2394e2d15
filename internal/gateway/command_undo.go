package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// undoing is the plan of a command that takes messages back.
type undoing struct {
	Session session.ID `json:"session"`
	From    int64      `json:"from"` // Seq; -1 if there is nothing to take back
	To      int64      `json:"to"`
	// Before are the messages of the same turn that were said before the last one.
	Before []saying `json:"before,omitempty"`
	saying          // the last message of the user that is taken back
}

// saying is a message that can be asked again.
type saying struct {
	Name    string           `json:"name,omitempty"`
	Content string           `json:"content,omitempty"`
	Wire    json.RawMessage  `json:"wire,omitempty"`
	Files   []session.FileID `json:"files,omitempty"`
}

// all are the messages that are taken back, in their order.
func (u *undoing) all() []saying { return append(slices.Clone(u.Before), u.saying) }

func (o *call) planUndo(ctx context.Context) (string, error) {
	if _, _, err := o.stopRun(ctx); err != nil {
		return "", err
	}
	u := undoing{Session: o.chat.Session, From: -1}
	if u.Session == "" {
		return planned(u)
	}
	last, err := o.curator.LastInput(ctx, o.owner, u.Session)
	if err != nil {
		return "", err
	}
	if last == nil {
		return planned(u)
	}
	u.From, u.To = last.From, last.To
	if u.saying, err = o.sayingOf(ctx, &last.Message); err != nil {
		return "", err
	}
	before, err := o.gatheredBefore(ctx, &last.Message)
	if err != nil {
		return "", err
	}
	for i := range before {
		one, err := o.sayingOf(ctx, &before[i])
		if err != nil {
			return "", err
		}
		u.Before = append(u.Before, one)
		u.From = min(u.From, before[i].Seq)
	}
	return planned(u)
}

// gatheredBefore are the messages right before one that were gathered into the same turn: they were
// stored together.
func (o *call) gatheredBefore(ctx context.Context, last *session.Message) ([]session.Message, error) {
	if last.Seq == 0 {
		return nil, nil
	}
	before := session.Range{To: last.Seq, Limit: mostEvents - 1, Newest: true, Standing: true}
	list, err := o.sessions.Messages(ctx, o.owner, last.RootID, before)
	if err != nil {
		return nil, fmt.Errorf("read the messages of a turn: %w", err)
	}
	first := len(list)
	for first > 0 && storedWith(&list[first-1], last) {
		first--
	}
	return list[first:], nil
}

// storedWith reports whether a message of the user was stored together with another one.
func storedWith(m, other *session.Message) bool {
	return m.Role == session.User && !m.Aside() && m.RecordedAt.Equal(other.RecordedAt)
}

// sayingOf is a stored message as it is asked again.
func (o *call) sayingOf(ctx context.Context, m *session.Message) (saying, error) {
	files, err := o.filesOf(ctx, o.owner, m)
	return saying{Name: m.Name, Content: m.Content, Wire: m.Wire, Files: files}, err
}

// takeBack takes the planned messages back. It does nothing the second time.
func (o *call) takeBack(ctx context.Context) (undoing, int, error) {
	var u undoing
	if err := o.read(&u); err != nil || u.From < 0 {
		return u, 0, err
	}
	back, err := o.curator.UndoFrom(ctx, o.owner, u.Session, u.From, u.To)
	return u, back.Messages, err
}

func (o *call) undo(ctx context.Context) (reply, error) {
	u, _, err := o.takeBack(ctx)
	if err != nil || u.From < 0 {
		return reply{text: "There is nothing to take back."}, err
	}
	const most = 80 // characters of a message
	var names []string
	for _, s := range u.all() {
		names = append(names, "“"+shortened(secret.Mask(s.Content), most)+"”")
	}
	return reply{text: "Taken back, and no longer remembered: " + strings.Join(names, ", ")}, nil
}

// retry takes the last exchange back and asks the same again.
func (o *call) retry(ctx context.Context) (reply, error) {
	u, _, err := o.takeBack(ctx)
	if err != nil || u.From < 0 {
		return reply{text: "There is nothing to ask again."}, err
	}
	return reply{run: runID(o.owner, &o.event.Event)}, nil
}

// again are the messages that a /retry asks again; nil for other events.
func (e *Inbound) again() []session.Message {
	var u undoing
	if e.Plan == "" || json.Unmarshal([]byte(e.Plan), &u) != nil || u.Content == "" {
		return nil
	}
	var out []session.Message
	for _, s := range u.all() {
		out = append(out, session.Message{Role: session.User, Name: s.Name, Content: s.Content, Wire: s.Wire, SaidAt: e.At, Files: s.Files})
	}
	return out
}
