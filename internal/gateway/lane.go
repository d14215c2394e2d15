package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// task is a kind of work on a chat. Work of one kind is done one thing at a time in a chat.
type task int

const (
	answering  task = iota // takes turns
	commanding             // obeys commands
	sending                // sends messages
	resetting              // resets the session when it is due
)

// laneKey names a lane.
type laneKey struct {
	task  task
	owner string
	place Place
}

// lane does one kind of work for one chat, in one goroutine that lives as long as there is
// work.
type lane struct {
	owner owner.Owner
	place Place
	bell  *claim.Bell
	// again says that the lane was asked for while it was busy. known is all that there was to do when it was
	// asked for first, as the store would tell; nil if that is not known. Both are guarded by lanes.mu.
	again bool
	known any
}

// lanes are the lanes that have work.
type lanes struct {
	now func() time.Time
	log *slog.Logger
	do  func(ctx context.Context, t task, l *lane) error

	mu      sync.Mutex
	ctx     context.Context // of all work; nil while none is done
	active  map[laneKey]*lane
	working sync.WaitGroup
}

// ask asks for the work of a kind on a chat, or wakes the lane that does it.
func (ls *lanes) ask(t task, o owner.Owner, at Place) { ls.askKnowing(t, o, at, nil) }

// askKnowing is ask for a caller that has just stored all that there is to do.
func (ls *lanes) askKnowing(t task, o owner.Owner, at Place, known any) {
	key := laneKey{t, o.ID(), at}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.ctx == nil {
		return // the store has the work, and the next server does it
	}
	if l := ls.active[key]; l != nil {
		l.again, l.known = true, nil // there is more to do
		l.bell.Ring()
		return
	}
	l := &lane{owner: o, place: at, bell: claim.NewBell(ls.now), known: known}
	ls.active[key] = l
	ctx := ls.ctx
	ls.working.Go(recovery.Func(func() { ls.run(ctx, key, l) }, recovery.Logged(ctx, ls.log, "a chat")))
}

// known takes what a lane was asked to do; nil if the store must tell.
func (ls *lanes) known(l *lane) any {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	known := l.known
	l.known = nil
	return known
}

// askedAgain reports whether a lane was asked for since it began its present work.
func (ls *lanes) askedAgain(l *lane) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return l.again
}

// run works until nothing more was asked for.
func (ls *lanes) run(ctx context.Context, key laneKey, l *lane) {
	for failures := 0; ; {
		ls.mu.Lock()
		l.again = false
		ls.mu.Unlock()
		err := recovery.Do(func() error { return ls.do(ctx, key.task, l) })
		if err != nil && ctx.Err() == nil {
			recovery.Log(ctx, ls.log, "a chat", err)
			ls.log.Warn("work on a chat failed; it is tried again", "platform", key.place.Platform, "err", err)
			failures++
			l.bell.Sleep(ctx, ls.now().Add(backoff(failures)))
		} else {
			failures = 0
		}
		ls.mu.Lock()
		over := ctx.Err() != nil || err == nil && !l.again
		if over {
			delete(ls.active, key)
		}
		ls.mu.Unlock()
		if over {
			return
		}
	}
}

// aside does something that nobody waits for. It ends with the lanes.
func (ls *lanes) aside(work func(context.Context)) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.ctx == nil {
		return
	}
	ctx := ls.ctx
	ls.working.Go(recovery.Func(func() { work(ctx) }, recovery.Logged(ctx, ls.log, "a chat")))
}

// open lets the lanes work until ctx ends.
func (ls *lanes) open(ctx context.Context) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.ctx = ctx
}

// close takes no more work, and waits for the lanes to end.
func (ls *lanes) close() {
	ls.mu.Lock()
	ls.ctx = nil
	ls.mu.Unlock()
	ls.working.Wait()
}

// backoff is the wait before another try: a second, doubling, up to a minute.
func backoff(failures int) time.Duration {
	return claim.Backoff(failures, time.Second, time.Minute)
}
