package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// The end reasons of sessions that were reset by a policy.
const (
	endIdle  session.EndReason = "idle"
	endDaily session.EndReason = "daily"
)

// due is when the session of a chat is reset that was last active at a time; the zero time
// for never.
func (p Policy) due(active time.Time, zone *time.Location) time.Time {
	at, _ := p.next(active, zone)
	return at
}

// next is when a session is reset, and why.
func (p Policy) next(active time.Time, zone *time.Location) (time.Time, session.EndReason) {
	if active.IsZero() {
		return time.Time{}, ""
	}
	idle, daily := active.Add(p.Idle), nextHour(active, p.Hour, zone)
	switch p.Mode {
	case ResetIdle:
		return idle, endIdle
	case ResetDaily:
		return daily, endDaily
	case ResetBoth:
		if daily.Before(idle) {
			return daily, endDaily
		}
		return idle, endIdle
	case ResetNone:
	}
	return time.Time{}, ""
}

// quarter divides the offsets of all time zones, so that an hour of the day begins with a quarter of an
// hour everywhere.
const quarter = 15 * time.Minute

// current is a time behind which no reset of the policy can have been due until now, whatever the time
// zone of the chat is: a chat that was active after it keeps its session. The zero time says so of all.
func (p Policy) current(now time.Time) time.Time {
	idle, daily := now.Add(-p.Idle), now.Truncate(quarter)
	switch p.Mode {
	case ResetIdle:
		return idle
	case ResetDaily:
		return daily
	case ResetBoth:
		return latest(idle, daily)
	case ResetNone:
	}
	return time.Time{}
}

// nextHour is the next beginning of an hour of the day after a time. An hour that the clock
// skips begins at the first instant after the gap, and one that it repeats begins at its
// first.
func nextHour(after time.Time, hour int, zone *time.Location) time.Time {
	y, m, d := after.In(zone).Date()
	for add := range 3 {
		if at := beginningOf(y, m, d+add, hour, zone); at.After(after) {
			return at
		}
	}
	return beginningOf(y, m, d+3, hour, zone)
}

// beginningOf is the first instant of a day whose wall clock shows an hour or a later one.
func beginningOf(y int, m time.Month, d, hour int, zone *time.Location) time.Time {
	want := time.Date(y, m, d, hour, 0, 0, 0, time.UTC) // wall time, read as UTC
	low := want.Add(-26 * time.Hour)                    // the wall clock shows less, in every zone
	high := want.Add(26 * time.Hour)
	for at := low; at.Before(high); at = at.Add(quarter) {
		if !wall(at, zone).Before(want) {
			return precisely(at.Add(-quarter), at, want, zone)
		}
	}
	return high
}

// precisely finds the first instant after low, up to high, whose wall clock shows want or later.
func precisely(low, high, want time.Time, zone *time.Location) time.Time {
	for high.Sub(low) > time.Second {
		if middle := low.Add(high.Sub(low) / 2).Truncate(time.Second); wall(middle, zone).Before(want) {
			low = middle
		} else {
			high = middle
		}
	}
	return high.UTC()
}

// wall is the wall clock's time in a zone, read as UTC.
func wall(at time.Time, zone *time.Location) time.Time {
	_, offset := at.In(zone).Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// zone is the time zone of a chat.
func (g *Gateway) zone(b *Bot, c *Chat) *time.Location {
	if c.Zone != "" {
		if z, err := time.LoadLocation(c.Zone); err == nil {
			return z
		}
	}
	if b.Zone != nil {
		return b.Zone
	}
	return time.UTC
}

// date is a time for people of the chat.
func (o *call) date(at time.Time) string { return at.In(o.zone(o.bot, o.chat)).Format("2 Jan 2006") }

// resetDue has the sessions reset that are due, and returns when to look again; the zero time
// for never.
func (g *Gateway) resetDue(ctx context.Context) (time.Time, error) {
	now := g.moment()
	idle, err := g.store.IdleChats(ctx, now)
	if err != nil {
		return time.Time{}, fmt.Errorf("find idle chats: %w", err)
	}
	var next time.Time
	for _, d := range idle {
		bot := g.botOf(d.Place)
		if bot == nil {
			continue
		}
		r, err := g.lookAt(ctx, bot, d.Owner, d.Place)
		if err != nil {
			g.log.Warn("a session could not be reset", "platform", d.Place.Platform, "err", err)
			continue
		}
		if r.now { // the chats do not wait for each other
			g.owed.put(laneKey{resetting, d.Owner.ID(), d.Place}, &r)
			g.lanes.ask(resetting, d.Owner, d.Place)
		}
		if at := r.again; !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, nil
}

// resetLane resets the session of a lane's chat, if it is due.
func (g *Gateway) resetLane(ctx context.Context, l *lane) error {
	bot := g.botOf(l.place)
	if bot == nil {
		return nil
	}
	again, err := g.resetIfDue(ctx, bot, l.owner, l.place)
	if !again.IsZero() { // something came between
		g.bell.Ring()
	}
	return err
}

// resetting reports whether a reset of a chat is under way or owed.
func (g *Gateway) resetting(o owner.Owner, at Place) bool {
	key := laneKey{resetting, o.ID(), at}
	return g.owed.has(key) || g.resets.busy(key)
}

// resetBefore resets the session of a chat before a turn, if that was due while the server
// was down.
func (g *Gateway) resetBefore(ctx context.Context, bot *Bot, o owner.Owner, at Place) error {
	_, err := g.resetIfDue(ctx, bot, o, at)
	return err
}

// resetIfDue resets the session of a chat if it is due and nothing is under way. Otherwise it
// returns when to look again.
//
// A model may save memories before, which takes a while. A message that comes meanwhile waits,
// and begins the new session. Something that comes between ends the attempt.
func (g *Gateway) resetIfDue(ctx context.Context, bot *Bot, o owner.Owner, at Place) (time.Time, error) {
	key := laneKey{resetting, o.ID(), at}
	leave, err := g.resets.enter(ctx, key)
	if err != nil {
		return time.Time{}, err
	}
	defer leave()
	r, owed := g.owed.take(key)
	if !owed {
		r, err = g.lookAt(ctx, bot, o, at)
	}
	if err != nil || !r.now {
		return r.again, err
	}
	if g.saves() {
		if again, stands, err := g.stands(ctx, o, &r); !stands {
			return again, err
		}
		g.save(ctx, o, r.tip)
	}
	if again, stands, err := g.stands(ctx, o, &r); !stands {
		return again, err
	}
	return time.Time{}, g.resetNow(ctx, o, &r)
}

// stands reports whether a reset that is due can be done: the chat has the same session, and
// nothing is under way. Otherwise it returns when to look again.
func (g *Gateway) stands(ctx context.Context, o owner.Owner, r *reset) (again time.Time, stands bool, err error) {
	chat, err := g.store.Chat(ctx, o, r.chat.Place)
	if err != nil || chat.Session != r.chat.Session {
		return time.Time{}, false, err
	}
	if g.underWay(ctx, o, &chat) {
		return g.moment().Add(lookAgain), false, nil
	}
	return time.Time{}, true, nil
}

// saves reports whether a model saves memories before a reset.
func (g *Gateway) saves() bool { return g.saver != nil && g.settings.Resets.Save }

// lookAgain is when a session is looked at again in which something is under way.
const lookAgain = time.Second

// reset is what is known of the next reset of a chat.
type reset struct {
	now   bool      // it is due, and nothing is under way
	again time.Time // otherwise: when to look again; zero for never
	chat  Chat
	tip   session.Session
	why   session.EndReason
}

// owed are resets that were found to be due. A message that comes before the reset is done
// does not change that.
type owed struct {
	mu sync.Mutex
	by map[laneKey]reset
}

func (w *owed) put(key laneKey, r *reset) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.by[key] = *r
}

func (w *owed) has(key laneKey) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.by[key]
	return ok
}

func (w *owed) take(key laneKey) (reset, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.by[key]
	delete(w.by, key)
	return r, ok
}

// lookAt finds out whether the session of a chat is to be reset now.
func (g *Gateway) lookAt(ctx context.Context, bot *Bot, o owner.Owner, at Place) (reset, error) {
	chat, err := g.store.Chat(ctx, o, at)
	if err != nil || chat.Session == "" {
		return reset{}, err
	}
	due, why := g.settings.Resets.of(&chat).next(chat.Active, g.zone(bot, &chat))
	now := g.moment()
	if due.IsZero() || due.After(now) {
		return reset{again: due}, nil
	}
	tip, err := g.sessions.Tip(ctx, o, chat.Session)
	if fault.KindOf(err) == fault.NotFound || err == nil && tip.NextSeq == 0 {
		return reset{}, nil // nothing was said since the last reset
	}
	if err != nil {
		return reset{}, fmt.Errorf("find session: %w", err)
	}
	if g.underWay(ctx, o, &chat) {
		return reset{again: now.Add(lookAgain)}, nil
	}
	return reset{now: true, chat: chat, tip: tip, why: why}, nil
}

// resetNow resets the session of a chat.
func (g *Gateway) resetNow(ctx context.Context, o owner.Owner, r *reset) error {
	now, notice := g.moment(), ""
	if g.settings.Resets.Notify {
		notice = noticeOf(r.why, now.Sub(r.chat.Active), g.commandIn(&r.chat, "resume"))
	}
	return g.rotate(ctx, o, &r.chat, move{From: r.chat.Session, To: session.NewID(now)}, r.why, notice)
}

// save lets a model save memories before a reset. Its failure loses nothing: the facts of
// all turns are stored.
func (g *Gateway) save(ctx context.Context, o owner.Owner, tip session.Session) {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := g.saver.Save(ctx, callerOf(o), tip); err != nil {
		g.log.Info("the model saved nothing before a reset", "session_id", tip.ID, "err", err)
	}
}

// underWay reports whether a reset would interrupt something. An error while asking counts as
// yes.
func (g *Gateway) underWay(ctx context.Context, o owner.Owner, c *Chat) bool {
	if g.drafts.of(o, c.Place) != nil {
		return true
	}
	open, err := g.store.OpenEvents(ctx, o, c.Place, maxOpen)
	if err != nil {
		return true
	}
	for i := range open {
		if open[i].State == Taken || isCommand(&open[i].Event) {
			return true
		}
	}
	sends, err := g.store.Sends(ctx, o, c.Place, 1)
	if err != nil || len(sends) > 0 && sends[0].State != Parked {
		return true
	}
	if g.guard == nil {
		return false
	}
	busy, err := g.guard.Busy(ctx, o, c.Session)
	return busy || err != nil
}

// noticeOf tells people of a reset, and which command resumes the old session.
func noticeOf(why session.EndReason, quiet time.Duration, resume string) string {
	resume += " brings the old one back."
	if why == endDaily {
		return "*New session for a new day. " + resume + "*"
	}
	return fmt.Sprintf("*New session (idle for %s). %s*", hoursText(quiet), resume)
}

// hoursText is a duration for people.
func hoursText(d time.Duration) string {
	if d < 2*time.Hour {
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// rotate ends the session of a chat, and begins another one under the same key. It can be
// done twice.
func (g *Gateway) rotate(ctx context.Context, o owner.Owner, c *Chat, m move, why session.EndReason, notice string) error {
	_, err := g.curator.ResetTo(ctx, o, m.From, m.To, why)
	if err != nil && fault.KindOf(err) != fault.NotFound { // not found: no turn was taken in it
		return fmt.Errorf("reset a session: %w", err)
	}
	err = g.store.LeadChat(ctx, o, c.Place, m.From, m.To, notice)
	if fault.KindOf(err) == fault.Conflict {
		return nil // it was led before
	}
	return err
}

// stopTurn stops the turn that is under way in a chat. It reports whether there was one.
func (g *Gateway) stopTurn(ctx context.Context, o owner.Owner, at Place) (bool, error) {
	open, err := g.store.OpenEvents(ctx, o, at, maxOpen)
	if err != nil {
		return false, fmt.Errorf("read events: %w", err)
	}
	for i := range open {
		if open[i].State != Taken {
			continue
		}
		_, err := g.runs.Stop(ctx, callerOf(o), open[i].Run)
		if fault.KindOf(err) == fault.NotFound {
			return false, nil
		}
		return err == nil, err
	}
	return false, nil
}
