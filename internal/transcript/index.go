package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Entry is what sessions.json says of a route.
type Entry struct {
	Key      session.Key `json:"session_key"`
	Session  session.ID  `json:"session_id"`
	Started  time.Time   `json:"created_at"`
	Active   time.Time   `json:"updated_at"`
	Origin   Origin      `json:"origin"`
	Display  *string     `json:"display_name"`
	Platform string      `json:"platform"`
	Type     *string     `json:"chat_type"`
}

func entryOf(r *Route) Entry {
	return Entry{
		Key: r.Key, Session: r.Session, Started: r.Started, Active: r.Active, Origin: r.Origin,
		Display: optional(r.Display), Platform: r.Platform, Type: optional(r.Type),
	}
}

// optional is a text that is null in JSON if it is empty.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// index writes sessions.json of an owner: an object with an entry on each line.
func (w *writer) index(ctx context.Context, o owner.Owner) error {
	if err := w.files.makeDir(dirOf(o)); err != nil {
		return err
	}
	var names routeNames
	write := func(to io.Writer) error { return w.routes(ctx, o, &names, to) }
	_, err := w.files.replace(at(o, indexName), write)
	if errors.Is(err, errShared) { // hardly ever, so that names are not read in advance
		_, err = w.files.replace(at(o, indexName), write)
	}
	return err
}

// routes writes the routes of an owner. It fails with errShared if several routes have one name that was not known to be
// shared. The names are known then.
func (w *writer) routes(ctx context.Context, o owner.Owner, names *routeNames, to io.Writer) error {
	names.begin()
	before := "{\n"
	err := w.store.EachRoute(ctx, o, func(r *Route) error {
		name := names.of(r)
		err := entry(to, before, name, r)
		before = ",\n"
		return err
	})
	if err == nil && !names.known {
		err = names.conclude()
	}
	if err != nil {
		return fmt.Errorf("write the routes: %w", err)
	}
	end := "\n}\n"
	if before != ",\n" {
		end = "{}\n"
	}
	_, err = io.WriteString(to, end)
	return err
}

// entry writes one entry.
func entry(to io.Writer, before, name string, r *Route) error {
	e := entryOf(r)
	text, err := route(name, &e)
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, before+text)
	return err
}

// route is an entry with its name.
func route(name string, e *Entry) (string, error) {
	first, errName := encode(name)
	second, errEntry := encode(e)
	if err := errors.Join(errName, errEntry); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s", bytes.TrimSpace(first), bytes.TrimSpace(second)), nil
}
