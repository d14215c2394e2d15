package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/transfer"
)

// importReply is the outcome of an import.
type importReply struct {
	Imported  int `json:"imported"`
	Unchanged int `json:"unchanged"`
	Failed    int `json:"failed"`
	Messages  int `json:"messages"`
	Errors    []struct {
		Line    int    `json:"line"`
		ID      string `json:"id,omitempty"`
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
	// Grown to Deleted are conversations of other programs that were neither new nor unchanged.
	Grown   int `json:"grown,omitempty"`
	Changed int `json:"changed,omitempty"`
	Apart   int `json:"apart,omitempty"`
	Deleted int `json:"deleted,omitempty"`
	// Undone counts messages, Edited and Absent memories, and Cut stored messages that lack what was forgotten.
	Undone    int                   `json:"undone,omitempty"`
	Edited    int                   `json:"edited,omitempty"`
	Absent    int                   `json:"absent,omitempty"`
	Cut       int                   `json:"cut,omitempty"`
	Notes     []importNote          `json:"notes,omitempty"`
	OtherKeys []transfer.SessionKey `json:"other_keys,omitempty"`
}

// importNote tells a conversation that changed in both programs, or was deleted here.
type importNote struct {
	ID      string `json:"id"`
	Fate    string `json:"fate"`
	Session string `json:"session_id"`
}

// text is the note for a person.
func (n *importNote) text() string {
	switch {
	case n.Fate != "deleted":
		return "It went on here and in the other program. The other program's version is the session " + n.Session + "."
	case n.Session != "":
		return "It went on here, and that stays: the session " + n.Session + ". The session with the other program's version was deleted here. " +
			"That version was left out. To take it again, import with --restore."
	}
	return "It was deleted here, and was left out."
}

// stored is the number of conversations that the import has changed.
func (out *importReply) stored() int { return out.Imported + out.Grown + out.Changed + out.Apart }

// lines is the number of lines that the server has judged.
func (out *importReply) lines() int { return out.stored() + out.Unchanged + out.Deleted + out.Failed }

// interrupted is the error of an import that was ended behind a line, of a number of lines if that is known.
func (out *importReply) interrupted(lines int) error {
	what := countOf(out.stored()+out.Unchanged, "conversation", "conversations")
	if lines > 0 {
		what = fmt.Sprintf("%d of %s", out.stored()+out.Unchanged, countOf(lines, "conversation", "conversations"))
	}
	return fault.New(fault.Canceled, "interrupted",
		"The import was interrupted when "+what+" had been stored. Run it again: it goes on behind them.")
}

// postImport sends lines to the server. An interruption ends the lines and not the request, so that the server
// says what it has stored.
func postImport(ctx context.Context, cl *client, path string, body io.Reader) (*importReply, error) {
	answer, err := cl.stream(context.WithoutCancel(ctx), http.MethodPost, path, body)
	out := &importReply{}
	if err == nil {
		err = errors.Join(json.NewDecoder(answer).Decode(out), answer.Close())
	}
	if _, known := errors.AsType[*fault.Error](err); err != nil && !known {
		err = fault.Wrap(fault.Unavailable, "import_broken",
			"The server ended before it had answered. The conversations that it had stored stay. Run the import again: it goes on behind them.", err)
	}
	return out, err
}

// placeOfFull says of a full disk where the data is.
func (a *app) placeOfFull(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	cfg, broken := a.load()
	if !ok || f.Code != "disk_full" || broken != nil || cfg.Database.URL != "" {
		return err
	}
	return fault.Wrap(f.Kind, f.Code, f.Msg+" The database is "+cfg.DatabaseFile()+".", err)
}

// cutLines returns a stream of lines that an interruption ends.
func (a *app) cutLines(ctx context.Context, lines io.Reader, p *progress) *lineCut {
	return &lineCut{Reader: lines, ctx: ctx, tell: func() {
		p.done()
		a.tell("Stopping behind this conversation. Interrupt again to stop at once.")
	}}
}

// lineCut is a stream of lines that ends behind the line that is being read once its context is done. What reads
// the stream thus gets whole lines only.
type lineCut struct {
	io.Reader
	ctx    context.Context
	tell   func() // says that the end is near
	told   bool
	within bool // the line that is being read is not at its end
	ended  bool // the stream was ended
}

// Read implements io.Reader.
func (l *lineCut) Read(b []byte) (int, error) {
	done := l.ctx.Err() != nil
	if done && !l.told {
		l.told = true
		l.tell()
	}
	if done && !l.within {
		l.ended = true
	}
	if l.ended {
		return 0, io.EOF
	}
	n, err := l.Reader.Read(b)
	if done {
		n = l.upToEnd(b[:n])
	}
	if n > 0 {
		l.within = b[n-1] != '\n'
	}
	return n, err
}

// upToEnd is the number of bytes up to the end of the line, with which the stream ends.
func (l *lineCut) upToEnd(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		return len(b)
	}
	l.ended = true
	return end + 1
}
