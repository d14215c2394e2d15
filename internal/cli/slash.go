package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// errLeave ends a talk.
var errLeave = errors.New("leave")

// slash is a command of the chat.
type slash struct {
	name, args, note string
	run              func(*talk, context.Context, string) error
}

// slashes are the commands, in the order they are shown.
func slashes() []slash {
	return []slash{
		{"/new", "", "end this session and begin a new one", (*talk).reset},
		{"/reset", "", "the same", (*talk).reset},
		{"/title", "[TEXT]", "show or set the session's title", (*talk).title},
		{"/resume", "[ID|TITLE]", "go on with another session", (*talk).switchTo},
		{"/sessions", "[N]", "list the newest sessions of the terminal", (*talk).listSessions},
		{"/compress", "", "fold older turns into a summary now", (*talk).compress},
		{"/status", "", "show this session and what the last turn sent", (*talk).showStatus},
		{"/state", "", "show what is known, as a model is shown it", (*talk).showState},
		{"/why", "[RECEIPT]", "show what the last answer was given", (*talk).why},
		{"/forget", "THING", "erase everything about a thing, with proof", (*talk).forget},
		{"/fork", "[MESSAGE]", "go on in a copy, up to a message's id", (*talk).fork},
		{"/undo", "", "take the last exchange back", (*talk).undo},
		{"/retry", "", "ask the last question again", (*talk).retry},
		{"/model", "[NAME]", "show the models, or choose one", (*talk).chooseModel},
		{"/export", "[FILE]", "write the session to a file (JSON lines)", (*talk).export},
		{"/help", "", "show this", (*talk).help},
		{"/exit", "", "end the session and leave", (*talk).exit},
		{"/quit", "", "the same", (*talk).exit},
	}
}

// command runs a line that begins with a slash.
func (t *talk) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(line, " ")
	all := slashes()
	i := slices.IndexFunc(all, func(s slash) bool { return s.name == strings.ToLower(name) })
	if i < 0 {
		return usageError{fmt.Errorf("there is no %s. %s", name, suggest(name, all))}
	}
	if all[i].args == "" && strings.TrimSpace(arg) != "" {
		return usageError{fmt.Errorf("%s takes nothing behind it. To say something that begins so, put a word before it", name)}
	}
	return all[i].run(t, ctx, strings.TrimSpace(arg))
}

// suggest names the commands most similar to an unknown one.
func suggest(name string, all []slash) string {
	var near []string
	best := 3
	for _, s := range all {
		d := language.Distance(strings.ToLower(name), s.name)
		if len(name) > 1 && strings.HasPrefix(s.name, name) {
			d = 0
		}
		if d < best {
			best, near = d, nil
		}
		if d == best && d < 3 {
			near = append(near, s.name)
		}
	}
	if len(near) == 0 {
		return "/help shows the commands"
	}
	return "Did you mean " + strings.Join(near, " or ") + "?"
}

// complete completes commands, and the argument of /resume.
func (t *talk) complete(ctx context.Context) func(string) []terminal.Choice {
	return func(text string) []terminal.Choice {
		if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
			return nil
		}
		var out []terminal.Choice
		if rest, ok := strings.CutPrefix(text, "/resume "); ok {
			for _, c := range t.resumable(ctx) {
				if strings.HasPrefix(c.Text, rest) {
					out = append(out, terminal.Choice{Text: "/resume " + c.Text, Note: c.Note})
				}
			}
			return out
		}
		for _, s := range slashes() {
			if strings.HasPrefix(s.name, text) && s.name != text {
				out = append(out, terminal.Choice{Text: s.name, Note: s.note})
			}
		}
		return out
	}
}

// lookAround is the timeout for a completion.
const lookAround = 500 * time.Millisecond

// resumable are the sessions that /resume completes, cached until the list is shown
// again.
func (t *talk) resumable(ctx context.Context) []terminal.Choice {
	if t.names != nil {
		return t.names
	}
	ctx, cancel := context.WithTimeout(ctx, lookAround)
	defer cancel()
	list, err := t.newest(ctx)
	if err != nil {
		return nil // a completion shows no errors
	}
	t.names = []terminal.Choice{}
	for _, s := range list {
		if s.ID != t.session.ID && s.Messages > 0 {
			t.names = append(t.names, terminal.Choice{Text: s.ID, Note: sessionNote(&s)})
		}
	}
	return t.names
}

// sessionNote describes a session in a list.
func sessionNote(s *sessionRow) string {
	if s.Title != "" {
		return string(s.Title)
	}
	return shorten(string(s.Preview))
}

// call is an API call that the user can cancel.
func (t *talk) call(ctx context.Context, method, path string, in, out any) error {
	return t.term.During(ctx, "working", func(ctx context.Context) error {
		return t.api.call(ctx, method, path, in, out)
	})
}

func (t *talk) help(context.Context, string) error {
	for _, s := range slashes() {
		t.app.say("  %-10s %-11s %s", s.name, s.args, s.note)
	}
	t.quiet("Tab completes. The arrows walk through what you wrote before; begin with a blank to keep a line out of it.")
	t.quiet("Ctrl-C stops an answer. Anything without a slash is said.")
	return nil
}

func (t *talk) exit(context.Context, string) error { return errLeave }

// chooseModel shows the models, or sets the model for the next turns.
func (t *talk) chooseModel(ctx context.Context, name string) error {
	if name != "" {
		t.model = name
		if name == "hermes" {
			t.model = ""
		}
		t.quiet("From now on " + name + " is asked.")
		return nil
	}
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	if err := t.call(ctx, http.MethodGet, "/v1/models", nil, &list); err != nil {
		return err
	}
	for _, m := range list.Data {
		mark := " "
		if m.ID == t.model || m.ID == "hermes" && t.model == "" {
			mark = "*"
		}
		t.app.say("%s %-40s %s", block(mark), m.ID, m.OwnedBy)
	}
	return nil
}

// why shows the context of an answer; without a receipt's id, of the last one.
func (t *talk) why(ctx context.Context, id string) error {
	if id == "" {
		if t.last == nil || t.last.ReceiptID == "" {
			return usageError{errors.New("there is no answer yet; /why RECEIPT shows an older one")}
		}
		id = t.last.ReceiptID
	}
	var r receipt
	if err := t.call(ctx, http.MethodGet, "/api/receipts/"+url.PathEscape(id), nil, &r); err != nil {
		return err
	}
	t.app.printReceipt(&r)
	return nil
}

// showState shows the state of the session's scope.
func (t *talk) showState(ctx context.Context, _ string) error {
	var s sessionState
	if err := t.call(ctx, http.MethodGet, t.path("/state"), nil, &s); err != nil {
		return err
	}
	t.app.printState(&s)
	return nil
}

// forget erases a thing, after counting and confirmation.
func (t *talk) forget(ctx context.Context, about string) error {
	if about == "" {
		return usageError{errors.New("say what to forget: /forget THING")}
	}
	var would, done certified
	if err := t.call(ctx, http.MethodPost, "/api/memory/forget", map[string]any{"about": about, "dry_run": true}, &would); err != nil {
		return err
	}
	if err := t.app.printForgotten(&would); err != nil {
		return err
	}
	if yes, err := t.term.Confirm(ctx, "Erase it for good?"); !yes || err != nil {
		t.quiet("Nothing was erased.")
		return err
	}
	if err := t.call(ctx, http.MethodPost, "/api/memory/forget", map[string]any{"about": about}, &done); err != nil {
		return err
	}
	return t.app.printForgotten(&done)
}
