package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// reset ends the session and begins a new one with the same memory. A session without
// messages is kept as it is.
func (t *talk) reset(ctx context.Context, _ string) error {
	if t.begun && !t.told {
		t.quiet("Nothing was said in this session yet.")
		return nil
	}
	var next sessionRow
	if err := t.call(ctx, http.MethodPost, t.path("/reset"), nil, &next); err != nil {
		return err
	}
	t.moveTo(next, true)
	t.quiet("A new session, " + t.session.ID + ".")
	return nil
}

// moveTo makes another session the one in use.
func (t *talk) moveTo(s sessionRow, begun bool) {
	t.enter(s, begun)
	t.names = nil
}

// title shows or sets the session's title.
func (t *talk) title(ctx context.Context, text string) error {
	s := t.session
	if text == "" {
		if err := t.call(ctx, http.MethodGet, t.path(""), nil, &s); err != nil {
			return err
		}
	} else if err := t.call(ctx, http.MethodPatch, t.path(""), map[string]string{"title": text}, &s); err != nil {
		return err
	}
	t.session.Title = s.Title
	if s.Title == "" {
		t.quiet("The session has no title. /title TEXT gives it one.")
	} else {
		t.app.say("%s", s.Title)
	}
	return nil
}

// switchTo ends the session and continues another one.
func (t *talk) switchTo(ctx context.Context, name string) error {
	if name == "" {
		t.quiet("/resume takes an id, the beginning of one, or a title:")
		return t.listSessions(ctx, "")
	}
	to := &conversation{api: t.api}
	err := t.term.During(ctx, "looking", func(ctx context.Context) error { return to.resume(ctx, name) })
	if err != nil {
		return err
	}
	if to.session.RootID == t.session.RootID {
		t.quiet("That is this session.")
		return nil
	}
	if _, err := leave(ctx, t.conversation); err != nil {
		return err
	}
	t.moveTo(to.session, false)
	return t.recap(ctx)
}

// listed is how many sessions are listed if no number is given.
const listed = 10

// listSessions lists the newest sessions of the terminal.
func (t *talk) listSessions(ctx context.Context, number string) error {
	n := listed
	if number != "" {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 1 || n > 200 {
			return usageError{errors.New("/sessions takes a number from 1 to 200")}
		}
	}
	var list page[sessionRow]
	if err := t.call(ctx, http.MethodGet, fmt.Sprintf("/api/sessions?source=cli&include=undone&limit=%d", n), nil, &list); err != nil {
		return err
	}
	t.names = nil
	for i := range list.Data {
		s := &list.Data[i]
		mark := " "
		if s.RootID == t.session.RootID {
			mark = "*"
		}
		t.app.say("%s %s  %s  %4s messages  %s", block(mark), s.ID, s.LastActive.Local().Format("2006-01-02 15:04"), s.said(), sessionNote(s))
	}
	return nil
}

// compress folds older turns now.
func (t *talk) compress(ctx context.Context, _ string) error {
	var out struct {
		Compressed bool   `json:"compressed"`
		Reason     string `json:"reason"`
		sessionRow
	}
	if err := t.call(ctx, http.MethodPost, t.path("/compress"), nil, &out); err != nil {
		return err
	}
	if !out.Compressed {
		if out.Reason == "" {
			out.Reason = "There is nothing to fold yet."
		}
		t.quiet(out.Reason)
		return nil
	}
	if out.ID != "" {
		t.session.ID = out.ID
	}
	t.quiet("Older turns were folded into a summary; the session goes on as " + t.session.ID + ".")
	return nil
}

// showStatus shows the session and what the last turn sent.
func (t *talk) showStatus(ctx context.Context, _ string) error {
	var s sessionRow
	if err := t.call(ctx, http.MethodGet, t.path("?include=undone"), nil, &s); err != nil {
		return err
	}
	row := func(name, value string) {
		if value != "" {
			t.app.say("%-12s %s", name, value)
		}
	}
	row("session", s.ID)
	row("title", string(s.Title))
	memory := "the session's own"
	if s.Key != "" {
		memory = "session key " + strconv.Quote(string(s.Key))
	}
	row("memory", memory)
	row("begun", s.StartedAt.Local().Format("2006-01-02 15:04"))
	row("messages", s.said())
	if s.Compressions > 0 {
		row("compressed", fmt.Sprintf("%d times", s.Compressions))
	}
	row("model", t.model)
	row("responder", t.responder)
	if t.last != nil {
		c := &t.last.Context
		row("last turn", fmt.Sprintf("sent %d tokens, %d by memory; the whole history would have been %d", c.Sent, c.Sent-c.Client, c.Naive))
		row("receipt", t.last.ReceiptID)
	}
	return nil
}

// fork continues in a copy of the session up to a message.
func (t *talk) fork(ctx context.Context, arg string) error {
	in := map[string]int64{}
	if arg != "" {
		id, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
		if err != nil {
			return usageError{errors.New("/fork takes the id of the last message to copy")}
		}
		in["message_id"] = id
	}
	var next sessionRow
	if err := t.call(ctx, http.MethodPost, t.path("/fork"), in, &next); err != nil {
		return err
	}
	from := t.session.ID
	if _, err := leave(ctx, t.conversation); err != nil {
		return err
	}
	t.moveTo(next, false)
	t.told = true
	t.quiet("A copy of " + from + "; it goes on as " + t.session.ID + ".")
	return nil
}

// takeBack undoes the last exchange and returns the user's text.
func (t *talk) takeBack(ctx context.Context) (string, error) {
	var out struct {
		Undone int    `json:"undone"`
		Text   string `json:"text"`
	}
	if err := t.call(ctx, http.MethodPost, t.path("/undo"), nil, &out); err != nil {
		return "", err
	}
	if out.Undone == 0 {
		return "", fault.New(fault.NotFound, "nothing_to_undo", "There is nothing to take back.")
	}
	t.last = nil
	return out.Text, nil
}

// undo undoes the last exchange.
func (t *talk) undo(ctx context.Context, _ string) error {
	text, err := t.takeBack(ctx)
	if err == nil {
		t.quiet("Taken back: " + shorten(text))
	}
	return err
}

// retry asks the last question again.
func (t *talk) retry(ctx context.Context, _ string) error {
	text, err := t.takeBack(ctx)
	if err != nil {
		return err
	}
	t.quiet("Again: " + shorten(text))
	return t.say(ctx, text)
}

// export writes the session to a new file.
func (t *talk) export(ctx context.Context, name string) error {
	if name == "" {
		name = "hermes-" + t.session.ID + ".jsonl"
	}
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fault.Wrap(fault.Invalid, "cannot_write", "Cannot make the file "+name+"; choose another name: /export FILE", err)
	}
	var n int64
	err = t.term.During(ctx, "writing", func(ctx context.Context) error {
		res, err := t.api.send(ctx, http.MethodGet, "/api/sessions/export?session_id="+url.QueryEscape(t.session.ID), nil, nil)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		_, n, err = copyExport(out, res.Body, func(int, int64) {})
		return err
	})
	if err := errors.Join(err, out.Close()); err != nil {
		err = errors.Join(err, os.Remove(name)) // removes a partial export
		return unwritten(name, err)
	}
	t.quiet(fmt.Sprintf("Wrote %d bytes to %s.", n, name))
	return nil
}
