package provider

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// Bounds of telling.
const (
	tellTime  = 30 * time.Second // of one call
	pageSize  = 200              // messages that are read at once
	pageBytes = 8 << 20
)

// lineage is the telling of one lineage.
type lineage struct {
	*Manager
	o        owner.Owner
	since    time.Time // the provider has been in use; zero if it is not
	task     curate.Task
	tip      session.Session
	progress Progress
}

// tellLineage tells everything of a lineage that the provider is yet to be told.
func (m *Manager) tellLineage(ctx context.Context, o owner.Owner, task curate.Task) error {
	l := &lineage{Manager: m, o: o, since: m.since, task: task}
	for more := true; more; {
		var err error
		if more, err = l.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next tells one batch. It reports whether there may be more.
func (l *lineage) next(ctx context.Context) (more bool, err error) {
	if err := l.read(ctx); err != nil {
		return false, err
	}
	if l.tip.EndReason == session.EndIncomplete {
		return false, nil // a copy or an import that is under way
	}
	if l.tip.Source == session.SourceCron {
		return false, l.pass(ctx, l.tip.NextSeq)
	}
	page, err := l.page(ctx, l.progress.next())
	if err != nil {
		return false, err
	}
	if len(page) == 0 {
		return false, l.pass(ctx, max(l.tip.NextSeq, l.progress.DoneTo))
	}
	b := l.batch(page)
	if len(b.messages) == 0 {
		return true, l.pass(ctx, b.to)
	}
	if err := l.tell(ctx, b); !errors.Is(err, ErrChanged) {
		return true, err
	}
	return true, nil // the next batch begins where the stored progress says
}

// batch is what is told in one call: messages of one place, from a Seq to another.
type batch struct {
	source   Source
	messages []session.Message
	texts    []string
	from, to int64
	pieces   int
}

// full reports whether a message of a place, in some pieces, is for the next batch.
func (b *batch) full(s Source, pieces int) bool {
	return len(b.messages) > 0 && (s != b.source || b.pieces+pieces > MaxTold)
}

// batch takes the first messages of a page that are told together. Nothing between its ends
// is left for a backfill.
func (l *lineage) batch(page []session.Message) *batch {
	next := l.progress.next()
	b := &batch{from: next, to: next}
	for i := range page {
		msg := &page[i]
		s := SourceOf(msg.Key, msg.RootID)
		text, now := "", l.isDue(msg, s)
		if !l.isTold(msg, s) {
			text = textOf(msg)
		}
		n := 1 + utf8.RuneCountInString(text)/MaxPiece
		switch {
		case text == "":
		case b.full(s, n), len(b.messages) > 0 && !now:
			return b
		case !now:
			b.from = msg.Seq + 1
		default:
			b.source, b.pieces = s, b.pieces+n
			b.messages, b.texts = append(b.messages, *msg), append(b.texts, text)
		}
		b.to = msg.Seq + 1
	}
	return b
}

// isTold reports whether the provider was told a message, or never is.
func (l *lineage) isTold(msg *session.Message, s Source) bool {
	switch {
	case msg.Role != session.User && (msg.Role != session.Assistant || l.UserOnly):
		return true
	case msg.Echoes(), msg.Note != "" && msg.Role == session.User: // of this server, or by hand
		return true
	case l.progress.told(s, msg.Seq):
		return true
	}
	return l.skips(msg, func(k Skip) bool { return k.Never })
}

// isDue reports whether a message is told now. What was said before the provider was in use,
// and what was imported, is told only by a backfill. What it may have been told already is told again in
// any case, because other lineages of the place wait until the outcome is known.
func (l *lineage) isDue(msg *session.Message, s Source) bool {
	if l.progress.Backfill || l.progress.unsure(s, msg.Seq) {
		return true
	}
	return l.inUse(msg.RecordedAt) && !l.skips(msg, func(Skip) bool { return true })
}

// inUse reports whether the provider was in use at a time, without a break since.
func (l *lineage) inUse(at time.Time) bool { return !l.since.IsZero() && !at.Before(l.since) }

// skips reports whether a message is in a part of some kind that is not told.
func (l *lineage) skips(msg *session.Message, kind func(Skip) bool) bool {
	return slices.ContainsFunc(l.progress.Skips, func(k Skip) bool { return msg.Seq >= k.From && msg.Seq < k.To && kind(k) })
}

// thoughts matches what a model thinks before it answers, also if the thought has no end.
var thoughts = regexp.MustCompile(strings.ReplaceAll(`(?is)<(?:NAME)>.*?(?:</(?:NAME)>|$)`, "NAME", strings.Join(session.ThoughtNames(), "|")))

// textOf is the text that a provider is told of a message: without a model's thoughts, and
// without secrets. "" for a message of which only the mark of a forgetting is left.
func textOf(msg *session.Message) string {
	text := msg.Content
	if mention.Emptied(text) {
		return ""
	}
	if msg.Role == session.Assistant && strings.Contains(text, "<") {
		text = thoughts.ReplaceAllString(text, "")
	}
	text = strings.ReplaceAll(secret.Mask(text), "\x00", "") // which no database of text takes
	return strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
}

// keep stores how far the lineage was looked at, with marks of what was told.
func (l *lineage) keep(ctx context.Context, doneTo int64, marks ...Mark) error {
	p := Progress{DoneTo: doneTo, ReadDoneTo: l.progress.ReadDoneTo, Backfill: l.progress.Backfill, Marks: marks}
	if err := l.Tellings.KeepTold(context.WithoutCancel(ctx), l.o, l.ID, l.task, &p); err != nil {
		return fmt.Errorf("keep what was told: %w", err)
	}
	return nil
}

// pass stores that everything before a Seq was looked at, with the mark of what was told. If the lineage
// is to be told from its beginning since, only what was told is stored.
func (l *lineage) pass(ctx context.Context, to int64, told ...Mark) error {
	marks := append(l.progress.passed(to), told...) // of two with the same key the last one counts
	err := l.keep(ctx, max(to, l.progress.DoneTo), marks...)
	if !errors.Is(err, ErrChanged) {
		return err
	}
	if err := l.read(ctx); err != nil {
		return err
	}
	return l.keep(ctx, l.progress.DoneTo, l.progress.standing(marks)...)
}

// mark is the mark for a batch: a new one, or the one of the batch before it.
func (l *lineage) mark(b *batch) Mark {
	for _, m := range l.progress.Marks {
		if m.Source == b.source && (m.To == b.from || m.From == b.from) {
			return m
		}
	}
	return Mark{Source: b.source, From: b.from, To: b.from}
}

// tell tells a batch. That it may have been told is stored first, so that whatever is erased
// from then on is erased there, too. What was erased before is left out.
func (l *lineage) tell(ctx context.Context, b *batch) error {
	mark := l.mark(b)
	if mark.To == mark.Sent && slices.Contains(l.progress.Unsure, b.source) {
		return errUnsure // one that finds its own outcome out waits for no other
	}
	mark.Sent = max(mark.Sent, b.to)
	name, err := l.name(ctx, b.source)
	if err != nil {
		return err
	}
	if err := l.keep(ctx, l.progress.DoneTo, mark); err != nil {
		return err
	}
	said, err := l.said(ctx, b, name)
	if err != nil {
		return err
	}
	if len(said) > 0 {
		call, stop := context.WithTimeout(ctx, tellTime)
		defer stop()
		err := l.Provider.Told(call, l.place(l.o, name, name), said)
		l.lately.told(l.o, name, said, l.Now())
		if err != nil {
			return &unanswered{err}
		}
		l.stats.told.Add(int64(len(said)))
	}
	mark.To = max(mark.To, b.to)
	return l.pass(ctx, b.to, mark)
}

// errUnsure says that another lineage may have been told something in the same place. Its
// outcome is found out first, because only the newest messages of a place are searched.
var errUnsure = errors.New("another lineage of the place is told first")

// unanswered is a failure of the provider.
type unanswered struct{ err error }

func (u *unanswered) Error() string { return u.err.Error() }

func (u *unanswered) Unwrap() error { return u.err }

// said are the messages of a batch that still stand as they were read.
func (l *lineage) said(ctx context.Context, b *batch, name string) ([]run.Said, error) {
	first, last := b.messages[0].Seq, b.messages[len(b.messages)-1].Seq
	now, err := l.Sessions.Messages(ctx, l.o, l.task.Root, session.Range{From: first, To: last + 1, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	stands := make(map[int64]string, len(now))
	for i := range now {
		stands[now[i].ID] = now[i].Content
	}
	out := make([]run.Said, 0, len(b.messages))
	for i := range b.messages {
		msg := &b.messages[i]
		if text, ok := stands[msg.ID]; !ok || text != msg.Content {
			continue
		}
		s := run.Said{ID: msg.ID, Role: msg.Role, Text: b.texts[i], At: msg.SaidAt}
		if msg.Role == session.User && msg.Name != "" && l.Peer == "" {
			if s.Speaker, err = l.speaker(ctx, name, msg.Name); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// name is the name of a place. It gets one if it has none.
func (l *lineage) name(ctx context.Context, s Source) (string, error) {
	key := placeKey{owner: l.o.ID(), source: s}
	name, err := l.Names.TakeProviderName(ctx, l.o, l.ID, s, s.Candidates)
	if err != nil {
		return "", fmt.Errorf("name a place: %w", err)
	}
	l.keepName(key, name)
	return name, nil
}

// speaker is the peer of a speaker in the place with a name.
func (l *lineage) speaker(ctx context.Context, name, who string) (string, error) {
	s := speakerIn(name, who)
	key := placeKey{owner: l.o.ID(), source: s}
	peer, err := l.nameOf(ctx, l.o, key)
	if err == nil && peer == "" {
		peer, err = l.Names.TakeProviderName(ctx, l.o, l.ID, s, func(int) []string { return speakerCandidates(name, who) })
	}
	if err != nil {
		return "", fmt.Errorf("name a speaker: %w", err)
	}
	l.keepName(key, peer)
	return userPeer + peer, nil
}
