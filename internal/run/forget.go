package run

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Forgotten is the certificate of an erasure: what went, what was searched
// afterwards, and that nothing is left.
type Forgotten struct {
	About     string  `json:"about,omitempty"`
	DryRun    bool    `json:"dry_run"`
	Messages  int     `json:"messages_redacted"`
	Sentences int     `json:"sentences_erased"`
	Facts     int     `json:"facts_erased"`
	Sessions  int     `json:"sessions_deleted"`
	Texts     int     `json:"titles_prompts_summaries_redacted"`
	Searched  []Trace `json:"searched"`
	// Left counts what the search still found: 0 when everything is gone.
	Left int `json:"left"`
}

// minAbout is the shortest thing that can be forgotten by name: shorter texts
// are part of too many words.
const minAbout = 3

// Forget erases everything an owner's memory holds about a thing: the sentences
// that mention it, the facts taken from them, whatever was derived. Sessions
// whose id or key names the thing go whole. With dryRun it only counts.
func (r *Runner) Forget(ctx context.Context, o owner.Owner, about string, dryRun bool) (*Forgotten, error) {
	about = strings.TrimSpace(about)
	if utf8.RuneCountInString(about) < minAbout {
		return nil, fault.New(fault.Invalid, "about_too_short", "Say what to forget in three characters or more.").At("about")
	}
	r.copying.Lock() // a copy that is under way would bring back what goes
	defer r.copying.Unlock()
	out := &Forgotten{About: about, DryRun: dryRun, Searched: []Trace{}}
	err := r.eachLineage(ctx, o, func(tip session.Session) error { return r.forgetIn(ctx, o, tip, out) })
	if !dryRun { // also if it broke off half way: what is gone must not be cached
		r.views.DropOwner(o)
	}
	if err != nil || dryRun {
		return out, err
	}
	erased := memory.NewErasure(o, about, r.config.now())
	if err := r.store.Rewrite(ctx, o, Rewrite{Erased: &erased, Outcomes: memory.Spellings(about)}); err != nil {
		return nil, fmt.Errorf("keep the erasure: %w", err)
	}
	if r.erase != nil && o.ID() == owner.LocalID {
		if err := r.erase(about); err != nil {
			return nil, fmt.Errorf("erase outside the store: %w", err)
		}
	}
	return out, r.certify(ctx, o, out)
}

// certify searches the store's files for what must be gone. They hold the words
// of all owners: to anybody but the one whose machine it is, a count would tell
// what others have said, so for those their own rows are searched again.
func (r *Runner) certify(ctx context.Context, o owner.Owner, out *Forgotten) error {
	if o.ID() != owner.LocalID {
		again := &Forgotten{About: out.About, DryRun: true}
		err := r.eachLineage(ctx, o, func(tip session.Session) error { return r.forgetIn(ctx, o, tip, again) })
		out.Left = again.Sentences + again.Facts + again.Sessions + again.Texts
		out.Searched = []Trace{{File: "messages, facts and sessions of this key's owner", Hits: out.Left}}
		return err
	}
	traces, err := r.store.Traces(ctx, memory.Spellings(out.About))
	if err != nil {
		return fmt.Errorf("search own files: %w", err)
	}
	out.Searched = traces
	for _, t := range traces {
		out.Left += t.Hits
	}
	return nil
}

// eachLineage visits the tip of every lineage of an owner.
func (r *Runner) eachLineage(ctx context.Context, o owner.Owner, visit func(session.Session) error) error {
	f := session.Filter{Limit: 200}
	var all []session.Session
	for {
		page, err := r.sessions.Sessions(ctx, o, f)
		if err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		all = append(all, page...)
		if len(page) < f.Limit {
			break
		}
		last := &page[len(page)-1]
		f.Before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
	}
	for i := range all { // visiting may change the order of the list
		if err := visit(all[i]); err != nil {
			return err
		}
	}
	return nil
}

// forgetIn erases the thing from one lineage, between two turns.
func (r *Runner) forgetIn(ctx context.Context, o owner.Owner, tip session.Session, out *Forgotten) error {
	l, release, err := r.lineages.hold(ctx, o, tip.RootID)
	if err != nil {
		return err
	}
	defer release()
	rows, err := r.sessions.Sessions(ctx, o, session.Filter{Lineage: tip.RootID})
	if err != nil {
		return fmt.Errorf("list lineage: %w", err)
	}
	for i := range rows {
		if memory.Mentions(string(rows[i].ID)+"\n"+string(rows[i].Key), out.About) {
			out.Sessions += len(rows)
			if out.DryRun {
				return nil
			}
			*l = lineage{}
			return r.sessions.DeleteLineage(ctx, o, tip.RootID)
		}
	}
	w, err := r.redactions(ctx, o, tip.RootID, rows, out)
	if err != nil || out.DryRun || len(w.Messages)+len(w.Sessions)+len(w.Scopes) == 0 {
		return err
	}
	l.loaded = false
	if err := r.store.Rewrite(ctx, o, w); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return nil
}

// redactions collects what has to change in a lineage.
func (r *Runner) redactions(ctx context.Context, o owner.Owner, root session.ID, rows []session.Session, out *Forgotten) (Rewrite, error) {
	var w Rewrite
	texts := make(map[memory.Place]string)
	changed := make([]bool, len(rows))
	scopes, err := r.scopesMentioning(ctx, o, root, out.About)
	if err != nil {
		return w, err
	}
	opening, err := r.openingEnd(ctx, o, root)
	if err != nil {
		return w, err
	}
	const page = 500
	for from := int64(0); ; {
		ms, err := r.sessions.Messages(ctx, o, root, session.Range{From: from, Limit: page})
		if err != nil {
			return w, fmt.Errorf("read messages: %w", err)
		}
		for i := range ms {
			m, was := &ms[i], ms[i].Content
			if n := redact(m, out.About); n > 0 {
				for k := range rows {
					changed[k] = trimSummary(&rows[k], was, m.Content) || changed[k]
					if !memory.Mentions(rows[k].Title, out.About) { // else it is redacted itself
						changed[k] = unname(&rows[k], was, m.Content, m.Seq < opening) || changed[k]
					}
				}
				out.Messages++
				out.Sentences += n
				texts[memory.Place{Root: m.RootID, Seq: m.Seq}] = m.Content
				scopes[scopeOf(m)] = true
				w.Messages = append(w.Messages, *m)
			}
		}
		if len(ms) < page {
			break
		}
		from = ms[len(ms)-1].Seq + 1
	}
	for i := range rows {
		if redactSession(&rows[i], out.About) || changed[i] {
			out.Texts++
			w.Sessions = append(w.Sessions, rows[i])
		}
	}
	for scope := range scopes {
		again, facts, err := r.rebuildWithout(ctx, o, scope, retold(texts), out.About)
		if err != nil {
			return w, err
		}
		out.Facts += max(0, again.Stored-again.Facts)
		w.Scopes = append(w.Scopes, ScopeFacts{scope, facts})
	}
	return w, nil
}

// scopeOf is the scope a message was learnt in.
func scopeOf(m *session.Message) memory.Scope {
	if m.Key != "" {
		return memory.Scope{Key: m.Key}
	}
	return memory.Scope{Root: m.RootID}
}

// redact takes the thing out of a message and says of how many places.
func redact(m *session.Message, about string) int {
	text, n := memory.Redact(m.Content, about)
	m.Content = text
	if calls, k := memory.RedactJSON(m.ToolCalls, about); k > 0 {
		m.ToolCalls = calls
		n += k
	}
	if wire, k := memory.RedactJSON(m.Wire, about); k > 0 {
		m.Wire = wire
		n += k
	}
	if memory.Mentions(m.Name, about) {
		m.Name = ""
		n++
	}
	return n
}

// redactSession takes the thing out of a session's texts.
func redactSession(s *session.Session, about string) bool {
	changed := false
	for _, text := range []*string{&s.Title, &s.SystemPrompt, &s.Summary, &s.UserID} {
		if clean, n := memory.Redact(*text, about); n > 0 {
			*text = strings.TrimSpace(clean)
			changed = true
		}
	}
	return changed
}
