package curate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// Note is a statement that a person adds to memory.
type Note struct {
	Owner   owner.Owner
	Session session.ID
	Key     session.Key
	Text    string
	// Kind is the kind of the fact; "" derives it from the text.
	Kind memory.Kind
	// Replaces is the fact that this note replaces; "" for none.
	Replaces memory.FactID
}

// maxNote bounds a note, in bytes: a note is one statement, not a document.
const maxNote = 4096

// Remember adds a note to the memory of a scope and returns its facts. A note is stored
// as a message, so its facts have a quote, a time and a position. With a key alone, the
// note goes to a session that belongs to the key. A fact that was replaced already is not
// replaced again: fault.Conflict.
func (c *Curator) Remember(ctx context.Context, n *Note) ([]memory.Fact, error) {
	text := strings.TrimSpace(n.Text)
	if text == "" || len(text) > maxNote {
		return nil, fault.New(fault.Invalid, "invalid_statement", fmt.Sprintf("A statement has 1–%d bytes.", maxNote)).At("statement")
	}
	if secret.Mask(text) != text {
		return nil, fault.New(fault.Invalid, "secret_statement",
			"The statement contains what looks like a password, a key or a code. Those are not remembered.").At("statement")
	}
	if n.Kind != "" && !n.Kind.Asserted() {
		return nil, fault.New(fault.Invalid, "invalid_kind", "\"kind\" is one of fact, decision, preference, instruction, identity, event, cause, number.").At("kind")
	}
	scope, err := c.Scope(ctx, n.Owner, n.Session, n.Key)
	if err != nil {
		return nil, err
	}
	add := &Addition{
		Owner: n.Owner, Session: n.Session, Key: n.Key, Source: session.SourceAPI,
		Messages: []session.Message{{Role: session.User, Content: text, Note: memory.FormatNote(n.Kind, n.Replaces)}},
		Check:    n.check,
	}
	if add.Session == "" {
		add.Session = Notebook(n.Key)
	}
	_, kept, err := c.Append(ctx, add)
	if err != nil {
		return nil, err
	}
	scope.Root = kept[0].RootID
	facts, err := c.Facts(ctx, n.Owner, scope)
	if err != nil {
		return nil, err
	}
	var out []memory.Fact
	for i := range facts {
		if s := &facts[i].Source; s.Root == kept[0].RootID && s.Seq == kept[0].Seq {
			out = append(out, facts[i])
		}
	}
	return out, nil
}

// check refuses a note that replaces what is not there, or was replaced already.
func (n *Note) check(v *memory.View) error {
	if n.Replaces == "" {
		return nil
	}
	fact, err := FactIn(v, n.Replaces)
	if err != nil {
		return err
	}
	if !fact.Current() {
		return fault.New(fault.Conflict, "fact_replaced", fmt.Sprintf("The fact no longer holds: %s has replaced it. Read that one, and edit it in its place.", fact.SupersededBy))
	}
	return nil
}

// Notebook is the session for notes of a key without a session.
func Notebook(key session.Key) session.ID {
	id := "memory:" + string(key)
	if _, err := session.ParseID(id); err != nil { // the key is too long with the prefix
		sum := sha256.Sum256([]byte(key))
		id = "memory:" + hex.EncodeToString(sum[:8])
	}
	return session.ID(id)
}
