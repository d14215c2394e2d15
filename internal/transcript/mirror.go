package transcript

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// gathering is how long the mirror waits after a change for further ones: half of the second
	// within which the files follow. One pass then takes the turns of several chats together.
	gathering = 500 * time.Millisecond
	// batch is how many changed sessions are written before others may use the files.
	batch = 256
	// settling is how long written files may wait until they are made durable together,
	// and mostWritten how many of them.
	settling    = 10 * time.Second
	mostWritten = 1024
	// retrying is the wait after a failure.
	retrying = 10 * time.Second
	// A sessions.json that takes longer than quickIndex, because there are many session
	// keys, is written less often: at most one indexShare of the time.
	quickIndex = 50 * time.Millisecond
	indexShare = 10
	// leaving is how long Close may write.
	leaving = 2 * time.Second
)

// Parts are what a Mirror is made of.
type Parts struct {
	Store Store
	Home  string // the directory in which the directory of transcripts is
	Bell  Bell
	Now   func() time.Time
	Log   *slog.Logger
}

// Mirror keeps the files up to date. It is safe for concurrent use.
type Mirror struct {
	store Store
	home  string
	bell  Bell
	now   func() time.Time
	log   *slog.Logger
	step  func(string) error // see files
	end   context.CancelFunc
	ended <-chan error

	// turn is the right to use the files and the fields below.
	turn chan struct{}
	// placed says that the position in the files has been compared with the store's.
	placed bool
	// done are the changes that are written, and still on the store's list; since is when
	// the first of them was written.
	done  map[place]doneChange
	since time.Time
	// due are the owners whose sessions.json is to be written, and paced when it may be.
	due   map[string]owner.Owner
	paced map[string]time.Time
	told  string // the failure that was logged last
	quick int64  // see quickBytes
	count Count
}

// place names a session.
type place struct {
	owner string
	id    session.ID
}

func placeOf(c *Change) place { return place{c.Owner.ID(), c.ID} }

// doneChange is a written change.
type doneChange struct {
	change   Change
	path     string
	unsynced bool
}

// Count counts what was written for an owner.
type Count struct {
	Sessions int   `json:"sessions"`
	Messages int64 `json:"messages"`

	of string
}

// New returns a Mirror. Nothing is written before Start.
func New(p Parts) *Mirror {
	m := &Mirror{
		store: p.Store, home: p.Home, bell: p.Bell, now: p.Now, log: p.Log, turn: make(chan struct{}, 1),
		done: make(map[place]doneChange), due: make(map[string]owner.Owner), paced: make(map[string]time.Time), quick: quickBytes,
	}
	m.turn <- struct{}{}
	return m
}

// Start begins to write behind the commits, with what was left to write before.
func (m *Mirror) Start(ctx context.Context) {
	ctx, m.end = context.WithCancel(context.WithoutCancel(ctx))
	m.ended = recovery.Async(func() error { m.run(ctx); return nil })
}

// Close ends the writing. It writes what has changed, within a bound: the rest is left to
// the next start. A mirror that was not started writes nothing.
func (m *Mirror) Close() error {
	if m.end == nil {
		return nil
	}
	m.end()
	err := <-m.ended
	ctx, stop := context.WithTimeout(context.Background(), leaving)
	defer stop()
	_, late := m.pass(ctx, hasty)
	if late == nil {
		late = m.sign(ctx)
	}
	if late != nil {
		m.tell(ctx, late)
	}
	return err
}

// run writes until ctx ends.
func (m *Mirror) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.bell:
			timer.Reset(gathering)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
		case <-timer.C:
		}
		next, err := m.pass(ctx, behind)
		if err != nil && ctx.Err() == nil {
			m.tell(ctx, err)
			next = retrying
		}
		timer.Stop()
		if next > 0 {
			timer.Reset(next)
		}
	}
}

// tell logs a failure, once as long as it is the same.
func (m *Mirror) tell(ctx context.Context, err error) {
	if text := err.Error(); text != m.told {
		m.told = text
		m.log.WarnContext(ctx, "the transcripts could not be written; it will be tried again. The database has all messages", "err", err)
	}
}

// haste says what a pass may leave for later.
type haste int

const (
	// behind leaves what is to be written in larger pieces.
	behind haste = iota
	// hasty leaves nothing of a batch, and the batches behind it.
	hasty
	// thorough leaves nothing.
	thorough
)

// Flush returns once the files hold what the store holds, and the store's list names none
// of what was changed before. The index of the owner is written in any case.
func (m *Mirror) Flush(ctx context.Context, o owner.Owner) error {
	err := m.alone(ctx, func(f *files) error {
		m.due[o.ID()] = o
		_, err := m.work(ctx, f, thorough)
		return err
	})
	return failure(err)
}

// Rebuild compares all files with the store, and mends them. It counts those of the owner.
func (m *Mirror) Rebuild(ctx context.Context, o owner.Owner) (Count, error) {
	var out Count
	err := m.alone(ctx, func(f *files) error {
		m.count = Count{of: o.ID()}
		defer func() { m.count = Count{} }()
		err := m.relist(ctx, f)
		if err == nil {
			_, err = m.work(ctx, f, thorough)
		}
		out = m.count
		return err
	})
	return out, failure(err)
}

// failure is the fault for people.
func failure(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.Unavailable, "transcripts_failed",
		"The transcripts in the directory sessions could not be written. See the server's log; check the directory and the space on the disk, then run `hermes sessions mirror`.", err)
}

// alone does something with the files that nobody else uses meanwhile.
func (m *Mirror) alone(ctx context.Context, do func(*files) error) error {
	select {
	case <-m.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { m.turn <- struct{}{} }()
	f, err := openFiles(m.home, m.step)
	if err != nil {
		return err
	}
	defer f.close()
	if err := m.takePlace(ctx, f); err != nil {
		return err
	}
	return do(f)
}

// pass writes what has changed. next is when to come again; 0 for the next change.
func (m *Mirror) pass(ctx context.Context, h haste) (next time.Duration, err error) {
	err = m.alone(ctx, func(f *files) error {
		next, err = m.work(ctx, f, h)
		if err == nil {
			m.told = ""
		}
		return err
	})
	return next, err
}

// work is pass for the holder of the turn.
func (m *Mirror) work(ctx context.Context, f *files, h haste) (next time.Duration, err error) {
	w := &writer{store: m.store, files: f}
	for {
		more, err := m.batch(ctx, w)
		if err != nil {
			return 0, err
		}
		if len(m.done) >= mostWritten {
			if err := m.settle(ctx, w); err != nil {
				return 0, err
			}
		}
		if !more {
			break
		}
		if h != thorough {
			next = time.Nanosecond // after others that wait for their turn
			break
		}
	}
	if wait, err := m.indexes(ctx, w, h); err != nil {
		return 0, err
	} else if next == 0 {
		next = wait
	}
	return m.settleInTime(ctx, w, h, next)
}

// settleInTime settles what has waited long enough. It returns the sooner of next and of
// when to come again for the rest.
func (m *Mirror) settleInTime(ctx context.Context, w *writer, h haste, next time.Duration) (time.Duration, error) {
	if len(m.done) == 0 {
		return next, nil
	}
	wait := m.since.Add(settling).Sub(m.now())
	if h != behind || wait <= 0 {
		return next, m.settle(ctx, w)
	}
	if next == 0 || wait < next {
		next = wait
	}
	return next, nil
}

// batch writes the files of changed sessions. more says that others may be left.
func (m *Mirror) batch(ctx context.Context, w *writer) (more bool, err error) {
	limit := len(m.done) + batch
	list, err := m.store.TranscriptChanges(ctx, limit)
	if err != nil {
		return false, err
	}
	for i := range list {
		c := &list[i]
		before, known := m.done[placeOf(c)]
		if known && before.change.Number == c.Number {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := m.write(ctx, w, c, c.Rewritten <= before.change.Number); err != nil {
			return false, err
		}
	}
	return len(list) == limit, nil
}

// write writes the file of one session.
func (m *Mirror) write(ctx context.Context, w *writer, c *Change, added bool) error {
	out, err := w.write(ctx, *c, added)
	if err != nil {
		return err
	}
	if out.routes {
		m.due[c.Owner.ID()] = c.Owner
	}
	if c.Owner.ID() == m.count.of && out.session.ID != "" {
		m.count.Sessions++
		m.count.Messages += int64(out.session.MessageCount)
	}
	if len(m.done) == 0 {
		m.since = m.now()
	}
	before := m.done[placeOf(c)]
	m.done[placeOf(c)] = doneChange{*c, out.path, out.unsynced || before.unsynced && before.path == out.path}
	return nil
}

// indexes writes sessions.json where it is due. wait is when the next one may be written.
func (m *Mirror) indexes(ctx context.Context, w *writer, h haste) (wait time.Duration, err error) {
	for id, o := range m.due {
		if early := m.paced[id].Sub(m.now()); h == behind && early > 0 {
			if wait == 0 || early < wait {
				wait = early
			}
			continue
		}
		began := m.now()
		if err := w.index(ctx, o); err != nil {
			return 0, err
		}
		delete(m.due, id)
		m.pace(id, m.now().Sub(began))
	}
	return wait, nil
}

// pace decides when an index that took some time may be written again.
func (m *Mirror) pace(id string, took time.Duration) {
	delete(m.paced, id)
	if took > quickIndex {
		m.paced[id] = m.now().Add(took * indexShare)
	}
}

// settle makes the written files durable, and takes their sessions off the list.
func (m *Mirror) settle(ctx context.Context, w *writer) error {
	if len(m.done) == 0 {
		return nil
	}
	if _, err := m.indexes(ctx, w, thorough); err != nil { // nothing on the list would ask for them again
		return err
	}
	f := w.files
	list := make([]Change, 0, len(m.done))
	dirs := make(map[string]bool)
	for _, d := range m.done {
		list = append(list, d.change)
		dirs[dirOf(d.change.Owner)] = true
		if !d.unsynced {
			continue
		}
		if err := f.sync(d.path); err != nil {
			return err
		}
	}
	for dir := range dirs {
		if err := f.sync(dir); err != nil {
			return err
		}
	}
	position, err := m.store.SettleTranscripts(ctx, list)
	if err != nil {
		return err
	}
	clear(m.done)
	return writePosition(f, position)
}
