package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// talk is a conversation with a user at a terminal.
type talk struct {
	*conversation
	// app prints to the terminal and makes control characters visible.
	app       *app
	term      *terminal.Terminal
	history   *terminal.History
	responder string
	// who is the responder's name, as reported by the server.
	who string
	// names are the ids and titles that /resume completes.
	names []terminal.Choice
}

// historyFile is where the inputs of the terminal are kept.
func historyFile(home string) string { return filepath.Join(home, "chat_history") }

// converse runs until the user leaves. The last line names the session.
func (a *app) converse(ctx context.Context, f *chatFlags) (err error) {
	api, err := a.connectChat(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.close()) }()
	conv := &conversation{api: api, key: f.key, model: f.model}
	past, err := f.open(ctx, conv)
	if err != nil {
		return err
	}
	talkErr := a.talk(ctx, conv, past, f)
	kept, leaveErr := leave(ctx, conv)
	switch {
	case fault.CodeOf(leaveErr) == serverGone:
		a.say("The server has ended; session %s is kept. Go on with: hermes -r %s", conv.session.ID, conv.session.ID)
		leaveErr = nil
	case leaveErr != nil:
	case kept:
		a.say("Session %s ended. Go on with: hermes -r %s", conv.session.ID, conv.session.ID)
	default:
		a.say("Nothing was said in session %s, so it is not kept.", conv.session.ID)
	}
	return errors.Join(talkErr, leaveErr)
}

// talk takes over the terminal for the conversation.
func (a *app) talk(ctx context.Context, conv *conversation, past bool, f *chatFlags) (err error) {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	history, err := terminal.OpenHistory(historyFile(cfg.Home))
	if err != nil {
		return err
	}
	term, err := terminal.Open(a.process.Stdin, a.process.Stdout, a.process.Getenv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, term.Close()) }()
	shown := *a
	shown.out = term.Text()
	t := &talk{conversation: conv, app: &shown, term: term, history: history}
	if err := t.greet(ctx, cfg.Home); err != nil {
		return err
	}
	conv.api.moved = t.moved
	switch {
	case past:
		if err := t.recap(ctx); err != nil {
			return err
		}
	case f.goOn:
		t.quiet("There is no earlier session, so this is a new one.")
	}
	return t.loop(ctx)
}

// greet prints the responder and the server.
func (t *talk) greet(ctx context.Context, home string) error {
	version, err := t.meet(ctx)
	if err != nil {
		return err
	}
	t.strong("hermes " + version)
	t.introduce()
	if t.api.embedded != nil {
		t.quiet("data        " + home + ", opened here")
	}
	t.quiet("/help shows the commands, Ctrl-C stops an answer, Ctrl-D leaves.")
	return nil
}

// meet asks the server for its version and responder.
func (t *talk) meet(ctx context.Context) (version string, err error) {
	var server struct {
		Model    string `json:"model"`
		Version  string `json:"version"`
		Features struct {
			Responder string `json:"responder"`
		} `json:"features"`
	}
	once := *t.api
	once.again = nil
	if err := once.call(ctx, http.MethodGet, "/v1/capabilities", nil, &server); err != nil {
		return "", err
	}
	t.responder, t.who = server.Features.Responder, cmp.Or(server.Model, server.Features.Responder)
	return server.Version, nil
}

// introduce names the responder.
func (t *talk) introduce() {
	if s := t.api.embedded; s != nil {
		t.quiet("responder   " + terminal.OneLine(describe(s)))
		return
	}
	t.quiet("responder   " + t.who + ", through the server at " + t.api.through.Address)
}

// moved reports that the server of the chat has changed, and names the new responder.
func (t *talk) moved(ctx context.Context) {
	if t.api.embedded != nil {
		t.quiet("The chat that had the data open has ended; the data is opened here now.")
	} else {
		t.quiet("The server has ended; going on through the one that runs now.")
	}
	if _, err := t.meet(ctx); err == nil {
		t.introduce()
	}
}

// quiet and strong print a line of the program, set apart from the conversation.
func (t *talk) quiet(text string)  { t.term.Line(terminal.Dim, text) }
func (t *talk) strong(text string) { t.term.Line(terminal.Bold, text) }

// loop reads and answers inputs until the user leaves. It reports failures and
// continues.
func (t *talk) loop(ctx context.Context) error {
	for {
		text, err := t.term.Read(ctx, &terminal.Prompt{
			Mark: "> ", Status: t.status(), Complete: t.complete(ctx), History: t.history, Leave: true,
		})
		if errors.Is(err, io.EOF) || over(ctx) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.history.Add(text); err != nil {
			t.app.explainTo(t.term.Text(), err)
		}
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if strings.HasPrefix(text, "/") {
			err = t.command(ctx, text)
		} else {
			err = t.say(ctx, text)
		}
		switch {
		case errors.Is(err, errLeave):
			return nil
		case errors.Is(err, terminal.ErrStopped):
			t.quiet("Stopped. The part that arrived is kept.")
		case over(ctx):
			return nil
		case err != nil:
			t.app.explainTo(t.term.Text(), err)
		}
	}
}

// over reports whether the program was told to end, which also ends the chat.
func over(ctx context.Context) bool { return ctx.Err() != nil }

// maxStatusTitle is the length of a title in the status, in characters: the line must
// fit into eighty columns.
const maxStatusTitle = 20

// status is the line below the prompt: the session, the tokens of the last turn, the
// budget, and the responder.
func (t *talk) status() string {
	parts := []string{t.session.ID}
	if t.session.Title != "" {
		parts[0] = shortened(string(t.session.Title), maxStatusTitle) + " " + parts[0]
	}
	who := t.responder
	if t.last != nil {
		who = t.last.Responder
		parts = append(parts, fmt.Sprintf("%d tokens, %d by memory", t.last.Context.Sent, t.last.Context.Sent-t.last.Context.Client))
	}
	if t.model != "" && who != "recall" {
		who = t.model
	}
	return strings.Join(append(parts, who), " · ")
}

// say sends a message and shows the answer as it arrives, then the changes in memory.
func (t *talk) say(ctx context.Context, text string) error {
	md := t.term.Markdown()
	err := t.term.During(ctx, "thinking", func(ctx context.Context) error {
		defer md.Close()
		return t.ask(ctx, text, func(p openai.Piece) {
			md.WriteString(p.Content + p.Refusal)
			for _, call := range p.ToolCalls {
				if call.Function.Name != "" {
					md.WriteString("\n(asks for the tool `" + call.Function.Name + "`, which a terminal has not)\n")
				}
			}
		})
	})
	if err != nil {
		return err
	}
	t.notes()
	_, _ = fmt.Fprintln(t.term)
	return nil
}

// notes shows the tools that the server ran, and the changes in memory.
func (t *talk) notes() {
	if t.last == nil {
		return
	}
	for _, r := range t.last.Reversals {
		t.strong(fmt.Sprintf("changed  was: %s", shorten(r.Was)))
		t.strong(fmt.Sprintf("         now: %s", shorten(r.Now)))
		if r.Why != "" {
			t.quiet("         because " + shorten(r.Why))
		}
	}
	for _, use := range t.last.Tools {
		line := "used     " + use.Name
		if !use.OK {
			line += ", which failed"
		}
		t.quiet(line)
	}
	if n := len(t.last.Learned); n > 0 && len(t.last.Reversals) == 0 {
		line := "learnt   " + t.last.Learned[0].Statement
		if n > 1 {
			line += fmt.Sprintf(", and %d more", n-1)
		}
		t.quiet(shorten(line))
	}
	if t.last.Compressed {
		t.quiet("Older turns were folded into a summary; the session goes on as " + t.session.ID + ".")
	}
}

// recapped is how many messages are shown when a session is resumed.
const recapped = 6

// recap shows the end of the transcript, and the number of earlier messages.
func (t *talk) recap(ctx context.Context) error {
	var page struct {
		Data []message `json:"data"`
	}
	path := t.path(fmt.Sprintf("/messages?order=latest&limit=%d", recapped))
	if err := t.api.call(ctx, http.MethodGet, path, nil, &page); err != nil {
		return err
	}
	var s sessionRow
	if err := t.api.call(ctx, http.MethodGet, t.path("?include=undone"), nil, &s); err != nil {
		return err
	}
	head := "Resumed " + t.session.ID
	if t.session.Title != "" {
		head += ", " + string(t.session.Title)
	}
	t.quiet(fmt.Sprintf("%s; last spoken in %s.", head, t.session.LastActive.Local().Format("2006-01-02 15:04")))
	if earlier := s.Messages - s.Undone - int64(len(page.Data)); earlier > 0 {
		t.quiet(fmt.Sprintf("%d earlier messages are not shown here; memory has them.", earlier))
	}
	for _, m := range page.Data {
		switch m.Role {
		case "user":
			t.app.say("> %s", block(strings.ReplaceAll(m.Content, "\n", "\n  ")))
		case "assistant":
			md := t.term.Markdown()
			md.WriteString(m.Content)
			md.Close()
		default:
			t.quiet("(" + m.Role + ") " + shorten(m.Content))
		}
	}
	return nil
}
