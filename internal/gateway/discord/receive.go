package discord

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// receiver commits what arrives, in order.
type receiver struct {
	a     *Adapter
	in    gateway.Intake
	queue *queue
	at    position       // of what is committed; only the committing goroutine uses it
	tasks sync.WaitGroup // acknowledgements of interactions
}

// restore reads the stored position. It reports false if the context ends before.
func (r *receiver) restore(ctx context.Context) bool {
	return r.persist(ctx, func() error {
		p, err := r.in.Position(ctx)
		r.at = readPosition(p)
		return err
	})
}

// batchSize is how many arrivals share a commit.
const batchSize = 64

// commitAll commits arrivals until the context ends.
func (r *receiver) commitAll(ctx context.Context) {
	for {
		list := r.queue.take(ctx, batchSize)
		if len(list) == 0 {
			return
		}
		var events []gateway.Event
		for i := range list {
			if s := list[i].ready; s != nil {
				r.store(ctx, events)
				events = nil
				r.begin(ctx, s, list[i].seq)
				continue
			}
			events = append(events, r.events(ctx, &list[i])...)
			if ctx.Err() != nil {
				return
			}
			r.at.Seq = max(r.at.Seq, list[i].seq)
		}
		r.store(ctx, events)
	}
}

// events reads an arrival. It asks Discord for the channel until Discord answers: without
// the channel an event has no place.
func (r *receiver) events(ctx context.Context, a *arrival) []gateway.Event {
	var found []gateway.Event
	r.persist(ctx, func() error {
		var list []gateway.Event
		err := recovery.Do(func() (err error) {
			list, err = r.read(ctx, a)
			return err
		})
		if _, asks := errors.AsType[*gateway.SendError](err); asks {
			return err
		}
		if err != nil {
			r.a.cfg.Log.ErrorContext(ctx, "discord: an event cannot be read, and is left out", "event", a.name, "err", err)
			return nil
		}
		found = list
		return nil
	})
	return found
}

// errUnreadable says nothing of the payload, which has words of people.
var errUnreadable = errors.New("the payload is not of the expected form")

// read reads an arrival, which may tell of several events.
func (r *receiver) read(ctx context.Context, a *arrival) ([]gateway.Event, error) {
	if a.name == messageDeleteBulk {
		return r.a.deletedTogether(ctx, a.data)
	}
	e, ok, err := r.readOne(ctx, a)
	if err != nil || !ok {
		return nil, err
	}
	return []gateway.Event{e}, nil
}

// readOne reads an arrival that tells of one event at most. It notes a message as seen.
func (r *receiver) readOne(ctx context.Context, a *arrival) (gateway.Event, bool, error) {
	if a.name == interactionCreate {
		var in interaction
		if json.Unmarshal(a.data, &in) != nil {
			return gateway.Event{}, false, errUnreadable
		}
		return r.a.acted(ctx, &in)
	}
	var m message
	if json.Unmarshal(a.data, &m) != nil {
		return gateway.Event{}, false, errUnreadable
	}
	switch a.name {
	case messageUpdate:
		return r.a.edited(ctx, &m)
	case messageDelete:
		return r.a.deleted(ctx, &m)
	}
	e, ok, err := r.a.said(ctx, &m)
	if err == nil {
		r.at.see(m.ChannelID, m.ID)
	}
	return e, ok, err
}

// begin goes over to a new session, after what was said without one has been fetched.
func (r *receiver) begin(ctx context.Context, s *ready, seq int) {
	r.at.lost()
	for _, channel := range r.at.channels() {
		r.catchUp(ctx, channel)
	}
	if ctx.Err() != nil {
		return // the position has no session: the next process fetches again
	}
	r.at.begin(s, seq)
	if err := r.in.Commit(ctx, nil, r.at.text()); err != nil { // the next event brings the position along
		r.a.cfg.Log.WarnContext(ctx, "discord: the new session is not stored yet", "err", err)
	}
}

// maxPages bounds what is fetched of one channel.
const maxPages = 10

// catchUp commits what was said in a channel after the last message seen.
func (r *receiver) catchUp(ctx context.Context, channel string) {
	for range maxPages {
		var events []gateway.Event
		var found page
		r.persist(ctx, func() (err error) {
			events, found, err = r.a.missed(ctx, channel, r.at.Seen[channel])
			if err != nil && hopeless(err) {
				delete(r.at.Seen, channel)
				return nil
			}
			return err
		})
		if ctx.Err() != nil {
			return
		}
		for i := range found.list {
			r.at.see(channel, found.list[i].ID)
		}
		r.store(ctx, events)
		if !found.full {
			return
		}
	}
	r.a.cfg.Log.WarnContext(ctx, "discord: more was said in a channel than is fetched; the rest is left out", "messages", maxPages*maxCatchUp)
}

// store commits events, and acknowledges the interactions among them. An answer to one of
// them waits for its acknowledgement, also if it is sent before Commit returns.
func (r *receiver) store(ctx context.Context, events []gateway.Event) {
	if len(events) == 0 {
		return
	}
	begun := r.a.deferrals.begin(events)
	stored := r.commit(ctx, events)
	for _, d := range begun {
		if !stored {
			d.end()
			continue
		}
		ctx := context.WithoutCancel(ctx) // bounded by itself
		r.tasks.Go(recovery.Func(func() {
			defer d.end()
			r.a.acknowledge(ctx, d.handle)
		}, recovery.Logged(ctx, r.a.cfg.Log, "discord")))
	}
}

// commitTimeout bounds a commit.
const commitTimeout = 30 * time.Second

// commit commits events with the position after them, until it succeeds. It reports false
// if the context ends before. A commit that has begun is not broken off.
func (r *receiver) commit(ctx context.Context, events []gateway.Event) bool {
	after := r.at.text()
	return r.persist(ctx, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
		defer cancel()
		return r.in.Commit(ctx, events, after)
	})
}

// maxBackoff is the longest wait between two tries of a commit, as a multiple of
// Config.Retry.
const maxBackoff = 10

// persist tries until it succeeds, with growing waits. It reports false if the context
// ends before.
func (r *receiver) persist(ctx context.Context, try func() error) bool {
	wait := backoff{least: r.a.cfg.Retry / 10, most: r.a.cfg.Retry * maxBackoff}
	for {
		if ctx.Err() != nil {
			return false
		}
		err := try()
		if err == nil {
			return true
		}
		d := wait.next()
		if s, ok := errors.AsType[*gateway.SendError](err); ok && s.Reason == gateway.Limited {
			d = max(s.After, time.Millisecond)
		}
		r.a.cfg.Log.WarnContext(ctx, "discord: an event waits, it is tried again", "err", err)
		if !pause(ctx, d) {
			return false
		}
	}
}
