package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/session"
)

// move is the plan of a command that leads a chat to another session.
type move struct {
	From session.ID `json:"from"`
	To   session.ID `json:"to"`
	// Refusal says why there is no other session; "" if there is one.
	Refusal string `json:"refusal,omitempty"`
}

// planned encodes a plan.
func planned(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode a plan: %w", err)
	}
	return string(b), nil
}

// read decodes the order's plan.
func (o *call) read(v any) error {
	if err := json.Unmarshal([]byte(o.plan), v); err != nil {
		return fmt.Errorf("decode a plan: %w", err)
	}
	return nil
}

func (o *call) planReset(context.Context) (string, error) {
	return planned(move{From: o.chat.Session, To: session.NewID(o.now())})
}

// reset stops what runs, and says so, ends the session, and begins one under the same key.
func (o *call) reset(ctx context.Context) (reply, error) {
	var m move
	if err := o.read(&m); err != nil {
		return reply{}, err
	}
	if m.From == "" {
		return reply{text: "Nothing has been said in this session yet."}, nil
	}
	_, told, err := o.stopRun(ctx)
	if err != nil {
		return reply{}, err
	}
	if err := o.rotate(ctx, o.owner, o.chat, m, session.EndReset, ""); err != nil {
		return reply{}, err
	}
	told += "A new session has begun. What was said is kept, and memory stays. "
	return reply{text: told + o.named("resume") + " brings the old session back."}, nil
}

func (o *call) title(ctx context.Context) (reply, error) {
	tip, err := o.tip(ctx)
	if err != nil {
		return reply{}, err
	}
	if o.arg != "" {
		title := oneLine(o.arg)
		if tip, err = o.curator.Edit(ctx, o.owner, tip.ID, session.Patch{Title: &title, At: o.moment()}, nil); err != nil {
			return reply{}, err
		}
	}
	if tip.Title == "" {
		return reply{text: "The session has no title. " + o.named("title") + " TEXT gives it one."}, nil
	}
	return reply{text: "Title: " + plain(tip.Title)}, nil
}

func (o *call) compress(ctx context.Context) (reply, error) {
	tip, err := o.tip(ctx)
	if err != nil {
		return reply{}, err
	}
	folded, err := o.curator.Compress(ctx, o.owner, tip.ID)
	if err != nil {
		return reply{}, err
	}
	if !folded.Compressed {
		return reply{text: folded.Reason}, nil
	}
	return reply{text: "Older messages are folded into a summary. Nothing of them is lost."}, nil
}

// tip is the session of the chat. NotFound before the first turn.
func (o *call) tip(ctx context.Context) (session.Session, error) {
	if o.chat.Session == "" {
		return session.Session{}, fault.New(fault.NotFound, "", "Nothing has been said in this session yet.")
	}
	tip, err := o.sessions.Tip(ctx, o.owner, o.chat.Session)
	if fault.KindOf(err) == fault.NotFound {
		return tip, fault.New(fault.NotFound, "", "Nothing has been said in this session yet.")
	}
	return tip, err
}

func (o *call) status(ctx context.Context) (reply, error) {
	tip, err := o.tip(ctx)
	if err != nil {
		return reply{}, err
	}
	said, err := o.said(ctx, &tip)
	if err != nil {
		return reply{}, err
	}
	lines := []string{
		"Session: `" + string(tip.ID) + "`", "Memory: `" + string(o.chat.Key) + "`", "Messages: " + strconv.Itoa(said), fmt.Sprintf("Tokens: %d in, %d out", tip.InputTokens, tip.OutputTokens),
	}
	if tip.Title != "" {
		lines = append(lines, "Title: "+plain(tip.Title))
	}
	rec, err := o.underWay(ctx)
	if err != nil && fault.KindOf(err) != fault.NotFound { // deleted meanwhile
		return reply{}, err
	}
	lines = append(lines, o.progress(&rec)...)
	if due := o.settings.Resets.of(o.chat).due(o.chat.Active, o.zone(o.bot, o.chat)); !due.IsZero() {
		lines = append(lines, "Next reset: "+due.In(o.zone(o.bot, o.chat)).Format("Mon 2 Jan 15:04 MST"))
	}
	return reply{text: strings.Join(lines, "\n")}, nil
}

// progress says what is under way, and what of it waits for a decision of a person. rec is the turn.
func (o *call) progress(rec *live.Run) []string {
	if o.drafts.of(o.owner, o.chat.Place) == nil {
		return nil
	}
	lines := []string{"An answer is under way. " + o.named("stop") + " ends it."}
	for i := range rec.Approvals {
		lines = append(lines, fmt.Sprintf("Waits for an approval: %d. %s. %s or %s decides.",
			i+1, plain(cite.Line(rec.Approvals[i].Name)), o.named("approve"), o.named("deny")))
	}
	return lines
}

// said is how many messages of a session people count: neither those that were taken back nor those
// of turns that this server took for itself, such as the one before a reset.
func (o *call) said(ctx context.Context, s *session.Session) (int, error) {
	counts, err := o.sessions.SpokenCounts(ctx, o.owner, []session.ID{s.RootID})
	return counts[s.RootID], err
}

// sessionsShown is how many sessions are listed unless a number is given.
const sessionsShown = 5

// siblings are the newest sessions under the chat's key, newest first: all of them, or those in which
// people talk.
func (o *call) siblings(ctx context.Context, most int, all bool) ([]session.Session, error) {
	var out []session.Session
	var before session.Cursor
	for pages := 0; pages < 20 && len(out) < most; pages++ {
		list, err := o.sessions.Sessions(ctx, o.owner, session.Filter{Before: before, Limit: 100})
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, s := range list {
			wanted := all || o.isConversation(&s)
			if wanted && s.Key == o.chat.Key && s.NextSeq > 0 && len(out) < most {
				out = append(out, s)
			}
		}
		if len(list) < 100 {
			break
		}
		last := list[len(list)-1]
		before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
	}
	return out, nil
}

// isConversation reports whether people talk in a session: it holds neither notes nor the runs of
// a job.
func (o *call) isConversation(s *session.Session) bool {
	return s.Source != session.SourceCron && s.RootID != curate.Notebook(o.chat.Key)
}

func (o *call) list(ctx context.Context) (reply, error) {
	n, ok := o.number(sessionsShown, 50)
	if !ok {
		return reply{text: "Give a number from 1 to 50: " + o.named("sessions") + " 10"}, nil
	}
	list, err := o.siblings(ctx, n, false)
	if err != nil || len(list) == 0 {
		return reply{text: "There are no sessions here yet."}, err
	}
	roots := make([]session.ID, len(list))
	for i := range list {
		roots[i] = list[i].RootID
	}
	said, err := o.sessions.SpokenCounts(ctx, o.owner, roots)
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	for i, s := range list {
		name := s.Title
		if name == "" {
			name = string(s.ID)
		}
		fmt.Fprintf(&b, "%d. %s, %s, %s\n", i+1, plain(name), s.LastActive.In(o.zone(o.bot, o.chat)).Format("2 Jan 15:04"), amount(said[s.RootID], "message"))
	}
	return reply{text: b.String() + "\n" + o.named("resume") + " N goes on with one of them."}, nil
}

func (o *call) planResume(ctx context.Context) (string, error) {
	if o.arg == "" {
		return planned(move{From: o.chat.Session})
	}
	n, noNumber := strconv.Atoi(o.arg)
	list, err := o.siblings(ctx, 200, noNumber != nil) // numbers are those of /sessions
	if err != nil {
		return "", err
	}
	m := move{From: o.chat.Session}
	if noNumber == nil && n >= 1 && n <= len(list) {
		m.To = list[n-1].RootID
		return planned(m)
	}
	m.To, m.Refusal = sessionNamed(list, o.arg, noNumber == nil)
	return planned(m)
}

// What /resume answers if it finds no session, or several. The command that lists them follows.
const (
	textNotCalled = "No session of this chat is called that."
	textNotListed = "There is no conversation of this number."
	textSeveral   = "The ids of several sessions begin with that. Write more of the id, or a number."
	textTooShort  = "No session of this chat is called that. Of an id, write four characters or more."
)

// sessionNamed is the session that has an id or a title, or whose id alone begins with a name. Without
// one it says why. A number that is not listed begins no id: ids begin with the year.
func sessionNamed(list []session.Session, name string, number bool) (session.ID, string) {
	const least = 4 // characters
	if s := sessionCalled(list, name); s != nil {
		return s.RootID, ""
	}
	if number {
		return "", textNotListed
	}
	begun := slices.DeleteFunc(slices.Clone(list), func(s session.Session) bool { return !strings.HasPrefix(string(s.ID), name) })
	switch {
	case len(begun) == 0:
		return "", textNotCalled
	case len(name) < least:
		return "", textTooShort
	case len(begun) > 1:
		return "", textSeveral
	}
	return begun[0].RootID, ""
}

// sessionCalled is the first session of a list that has an id or a title; nil if there is none. A
// fold numbers the title that a person gave: "Plan" then stands for "Plan #2".
func sessionCalled(list []session.Session, name string) *session.Session {
	for _, called := range []func(*session.Session) bool{
		func(s *session.Session) bool { return string(s.ID) == name || string(s.RootID) == name },
		func(s *session.Session) bool { return strings.EqualFold(s.Title, name) },
		func(s *session.Session) bool { return strings.EqualFold(session.TitleBase(s.Title), name) },
	} {
		for i := range list {
			if called(&list[i]) {
				return &list[i]
			}
		}
	}
	return nil
}

// resumeOther leads the chat to another session of its key.
func (o *call) resumeOther(ctx context.Context) (reply, error) {
	var m move
	if err := o.read(&m); err != nil {
		return reply{}, err
	}
	switch {
	case o.arg == "":
		return o.list(ctx)
	case m.To == "":
		return reply{text: cmp.Or(m.Refusal, textNotCalled) + " " + o.named("sessions") + " lists them."}, nil
	}
	_, told, err := o.stopRun(ctx)
	if err != nil {
		return reply{}, err
	}
	err = o.store.LeadChat(ctx, o.owner, o.chat.Place, m.From, m.To, "")
	if err != nil && fault.KindOf(err) != fault.Conflict { // a conflict: it was done before
		return reply{}, err
	}
	tip, err := o.sessions.Tip(ctx, o.owner, m.To)
	if err != nil {
		return reply{}, err
	}
	said, err := o.said(ctx, &tip)
	if err != nil {
		return reply{}, err
	}
	name := tip.Title
	if name == "" {
		name = string(tip.ID)
	}
	return reply{text: told + fmt.Sprintf("Going on with %s, %s.", plain(name), amount(said, "message"))}, nil
}

// textUnsaid is told of a turn that is stopped before its first words.
const textUnsaid = "Stopped, before there was an answer. What you said is kept."

// stopRun stops the turn that is under way, and keeps its part. It reports whether there was one, and what people are told
// of it, as a paragraph: nothing if they see the part, which ends where it was stopped.
func (o *call) stopRun(ctx context.Context) (stopped bool, told string, err error) {
	d := o.drafts.of(o.owner, o.chat.Place)
	if d == nil || d.silent() {
		told = textUnsaid + "\n\n"
	}
	stopped, err = o.stopTurn(ctx, o.owner, o.chat.Place)
	if err != nil || !stopped {
		return false, "", err
	}
	return true, told, nil
}

func (o *call) stop(ctx context.Context) (reply, error) {
	stopped, told, err := o.stopRun(ctx)
	if err != nil || !stopped {
		return reply{text: "Nothing is under way."}, err
	}
	return reply{text: strings.TrimSpace(told)}, nil
}
