package transcript

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// The bounds of what is read from the store at a time.
const (
	pageMessages = 256
	pageBytes    = 4 << 20
)

// writer brings files up to date.
type writer struct {
	store Store
	files *files
}

// written is what was done for a change.
type written struct {
	// path is the file; "" if there is none any more.
	path string
	// unsynced says that the file is not durable yet.
	unsynced bool
	// routes says that the change may have changed a route.
	routes bool
	// session is the session; zero if it is gone.
	session session.Session
}

// write brings the file of a changed session up to date. behind says that messages were
// only added to those of the file.
func (w *writer) write(ctx context.Context, c Change, behind bool) (written, error) {
	if c.ID == "" {
		return written{routes: true}, nil
	}
	s, err := w.store.Session(ctx, c.Owner, c.ID)
	if fault.KindOf(err) == fault.NotFound {
		return written{routes: true}, w.erase(c.Owner, c.ID)
	}
	if err != nil {
		return written{}, fmt.Errorf("read a session: %w", err)
	}
	name, err := w.place(c.Owner, c.ID)
	if err != nil {
		return written{}, err
	}
	out := written{path: name, routes: c.Led || s.Key != "", session: s}
	if behind {
		if out.unsynced, err = w.extend(ctx, c.Owner, &s, name); err != nil || out.unsynced {
			return out, err
		}
	}
	if err := w.files.makeDir(dirOf(c.Owner)); err != nil {
		return out, err
	}
	_, err = w.files.replace(name, func(to io.Writer) error { return w.whole(ctx, c.Owner, &s, to) })
	return out, err
}

// place is the path of a session's file: the one that there is, or the one to be made. The
// plain name may be another session's, or a file of another program: both are left alone.
func (w *writer) place(o owner.Owner, id session.ID) (string, error) {
	begin, err := headOfID(id)
	if err != nil {
		return "", err
	}
	hashed, plain := at(o, hashedName(id)), plainName(id)
	if plain == "" {
		return hashed, nil
	}
	plain = at(o, plain)
	if mine, err := w.files.begins(hashed, begin); err != nil || mine {
		return hashed, err
	}
	size, err := w.files.size(plain)
	if err != nil || size == 0 {
		return plain, err
	}
	mine, err := w.files.begins(plain, begin)
	if err == nil && !mine {
		plain = hashed
	}
	return plain, err
}

// erase removes the files of a session.
func (w *writer) erase(o owner.Owner, id session.ID) error {
	begin, err := headOfID(id)
	if err != nil {
		return err
	}
	names := []string{hashedName(id)}
	if plain := plainName(id); plain != "" {
		names = append(names, plain)
	}
	for _, name := range names {
		mine, err := w.files.begins(at(o, name), begin)
		if err == nil && mine {
			err = w.files.remove(at(o, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole writes all lines of a session.
func (w *writer) whole(ctx context.Context, o owner.Owner, s *session.Session, to io.Writer) error {
	head, err := headOf(s)
	if err != nil {
		return err
	}
	if _, err := to.Write(head); err != nil {
		return fmt.Errorf("write a transcript: %w", err)
	}
	return w.messages(ctx, o, s, first(s), to)
}

// first is the number of the first message of a session.
func first(s *session.Session) int64 { return max(s.NextSeq-int64(s.MessageCount), 0) }

// messages writes the lines of a session from a message on.
func (w *writer) messages(ctx context.Context, o owner.Owner, s *session.Session, from int64, to io.Writer) error {
	l := &lines{out: to}
	for from < s.NextSeq {
		page, err := w.store.Messages(ctx, o, s.RootID, session.Range{From: from, To: s.NextSeq, Limit: pageMessages, Bytes: pageBytes})
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		for i := range page {
			if page[i].SessionID != s.ID {
				continue
			}
			if err := l.message(&page[i]); err != nil {
				return err
			}
		}
		if len(page) == 0 {
			break
		}
		from = page[len(page)-1].Seq + 1
	}
	return l.end(s)
}

// extend adds to a session's file what it lacks. done is false if that is not enough,
// because what is there has changed, too.
func (w *writer) extend(ctx context.Context, o owner.Owner, s *session.Session, name string) (done bool, err error) {
	head, err := headOf(s)
	if err != nil {
		return false, err
	}
	if same, err := w.files.begins(name, head); err != nil || !same {
		return false, err
	}
	line, err := w.files.lastLine(name)
	if err != nil {
		return false, err
	}
	next := nextAfter(line, first(s))
	switch {
	case next < 0, next > s.NextSeq:
		return false, nil
	case next == s.NextSeq && !s.Ended():
		return true, nil
	}
	return true, w.files.add(name, func(to io.Writer) error { return w.messages(ctx, o, s, next, to) })
}

// strays removes the files of sessions that are not there any more.
func (w *writer) strays(ctx context.Context, owners []owner.Owner) error {
	known := map[string]owner.Owner{".": owner.Local()}
	for _, o := range owners {
		known[dirOf(o)] = o
	}
	err := w.files.each(".", func(e fs.DirEntry) error {
		if _, ok := known[e.Name()]; ok || !e.IsDir() || !strings.HasPrefix(e.Name(), ownerPrefix) {
			return nil
		}
		return w.dropOwner(e.Name())
	})
	for dir, o := range known {
		if err == nil {
			err = w.straysOf(ctx, o, dir)
		}
	}
	return err
}

// dropOwner removes the directory of an owner without sessions.
func (w *writer) dropOwner(dir string) error {
	err := w.files.each(dir, func(e fs.DirEntry) error {
		name := dir + "/" + e.Name()
		if mine, err := w.mine(name); err != nil || !mine {
			return err
		}
		return w.files.remove(name)
	})
	if err == nil {
		_ = w.files.remove(dir) // unless it has a file of another program
	}
	return err
}

// mine reports whether a file is one of this package.
func (w *writer) mine(name string) (bool, error) {
	if strings.HasSuffix(name, "/"+indexName) || name == indexName {
		return true, nil
	}
	if !strings.HasSuffix(name, extension) {
		return false, nil
	}
	return w.files.begins(name, []byte(marker))
}

// straysOf removes the files of an owner's sessions that are not there any more, and those
// that the session does not use.
func (w *writer) straysOf(ctx context.Context, o owner.Owner, dir string) error {
	return w.files.each(dir, func(e fs.DirEntry) error {
		name := at(o, e.Name())
		if e.IsDir() || e.Name() == indexName {
			return nil
		}
		if mine, err := w.mine(name); err != nil || !mine {
			return err
		}
		used, err := w.used(ctx, o, name)
		if err == nil && !used {
			err = w.files.remove(name)
		}
		return err
	})
}

// used reports whether a file is the one of a session that is there.
func (w *writer) used(ctx context.Context, o owner.Owner, name string) (bool, error) {
	id, err := w.files.headID(name)
	if err != nil || id == "" {
		return false, err
	}
	switch _, err := w.store.Session(ctx, o, id); {
	case fault.KindOf(err) == fault.NotFound:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read a session: %w", err)
	}
	place, err := w.place(o, id)
	return place == name, err
}
