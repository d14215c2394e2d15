package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// Keeper makes and merges the pieces of scopes in the background: no turn waits for it.
type Keeper struct {
	Messages, Facts Sizes

	views *Views
	log   *slog.Logger

	mu     sync.Mutex
	queue  []kept
	queued map[viewKey]bool
	bell   chan struct{}
}

// Sizes are the sizes of the pieces of a kind.
type Sizes struct {
	// Least is the number of messages or facts in the smallest piece. Spare is how many of
	// the newest ones stay out of pieces: they are the ones that are undone.
	Least, Spare int
}

// kept is a scope whose pieces are to be made.
type kept struct {
	owner owner.Owner
	scope Scope
}

const (
	// The usual sizes.
	leastMessages, sparedMessages = 64, 16
	leastFacts, sparedFacts       = 128, 32
	// fan is how many pieces of one size are merged into one.
	fan = 4
	// mostPiece bounds the messages or facts that are read to make a piece.
	mostPiece = 4096
	// mostBlocks bounds the blocks of a merged piece. A store numbers those of a piece with 16 bits, and
	// the merged piece may take some more than its parts, because its lists have larger numbers.
	mostBlocks = 48 << 10
	// keeperCache bounds the blocks that merging reads, in bytes. They are read once, and
	// are not to take the place of those that turns read.
	keeperCache = 4 << 20
	// keepAgain is how long a keeper waits after an error.
	keepAgain = time.Second
)

// NewKeeper returns the keeper of the scopes that are used through some views.
func NewKeeper(views *Views, log *slog.Logger) *Keeper {
	k := &Keeper{
		Messages: Sizes{leastMessages, sparedMessages}, Facts: Sizes{leastFacts, sparedFacts},
		views: views, log: log, queued: make(map[viewKey]bool), bell: make(chan struct{}, 1),
	}
	views.keep, views.log = k.ask, log
	return k
}

// ask queues a scope.
func (k *Keeper) ask(o owner.Owner, s Scope) {
	key := viewKeyOf(o, s)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.queued[key] {
		return
	}
	k.queued[key] = true
	k.queue = append(k.queue, kept{o, s})
	select {
	case k.bell <- struct{}{}:
	default:
	}
}

// next takes a scope from the queue.
func (k *Keeper) next() (kept, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 {
		return kept{}, false
	}
	one := k.queue[0]
	k.queue = slices.Delete(k.queue, 0, 1)
	delete(k.queued, viewKeyOf(one.owner, one.scope))
	return one, true
}

// Run makes pieces until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for {
		one, found := k.next()
		if !found {
			select {
			case <-k.bell:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := recovery.Do(func() error { return k.Keep(ctx, one.owner, one.scope) })
		switch {
		case ctx.Err() != nil:
			return
		case fault.KindOf(err) == fault.Conflict: // the scope has changed meanwhile
			k.ask(one.owner, one.scope)
		case err != nil:
			k.failed(ctx, err)
			select {
			case <-time.After(keepAgain):
			case <-ctx.Done():
				return
			}
		}
	}
}

// failed logs why the pieces of a scope were not made. A piece that was erased while the keeper
// read it is no fault: the scope was deleted or rewritten meanwhile.
func (k *Keeper) failed(ctx context.Context, err error) {
	level := slog.LevelError
	if fault.KindOf(err) == fault.NotFound {
		level = slog.LevelDebug
	}
	k.log.Log(ctx, level, "the index of a scope could not be made; the next turn asks for it again", "error", err)
}

// Keep makes the pieces that a scope lacks, and merges those of one size.
func (k *Keeper) Keep(ctx context.Context, o owner.Owner, scope Scope) error {
	from := &source{ctx: ctx, store: k.views.store, owner: o, scope: scope} // it ends with the work
	for {
		m, err := from.manifest(ctx)
		if err != nil {
			return err
		}
		swap, err := k.step(from, &m, k.views.cached(o, scope))
		if isPiece(err) {
			return errors.Join(k.views.mend(ctx, o, err), err) // the next turn asks again
		}
		if err != nil || len(swap.Add) == 0 {
			return err
		}
		err = k.views.swap(ctx, o, scope, func() error { return k.views.store.Swap(ctx, o, m, swap) })
		if err != nil {
			return fmt.Errorf("take pieces over: %w", err)
		}
	}
}

// step makes the next pieces of a scope, at most one of each kind. The swap adds none if all
// is done. v is the cached view of the scope; nil if there is none.
func (k *Keeper) step(from *source, m *Manifest, v *View) (Swap, error) {
	swap := Swap{Withdrawn: m.Withdrawn}
	if m.Version == Unwritten {
		return swap, nil
	}
	err := k.stepMessages(from, m, &swap, v)
	if err == nil && !m.Stale {
		err = k.stepFacts(from, m, &swap, v)
	}
	return swap, err
}

// mergeable is how many of the newest pieces make one of the next size: at least fan that are
// not larger than one size, and together reach the next; 0 if there are fewer. Without the latter
// a large piece would be written again for every few small ones. least is the number of messages
// or facts in the smallest piece; what is smaller than that is merged for its number alone. No
// pieces are merged that have more than mostBlocks together.
func mergeable(run []Piece, least int) int {
	for size := range sizeOf(most, least) {
		n, count, blocks := 0, 0, 0
		for n < len(run) && sizeOf(run[len(run)-1-n].Count, least) <= size {
			one := &run[len(run)-1-n]
			if blocks += one.Blocks; blocks > mostBlocks {
				break
			}
			count += one.Count
			n++
		}
		if n >= fan && (size == 0 || sizeOf(count, least) > size) {
			return n
		}
	}
	return 0
}

// most is more than a scope has of messages or facts.
const most = 1 << 30

// sizeOf is the size of a piece: each is fan times the one before.
func sizeOf(count, least int) (size int) {
	for next := least * fan; count >= next; next *= fan {
		size++
	}
	return size
}

// merged is the piece that several make, without its blocks.
func merged(run []Piece) Piece {
	whole := run[0]
	whole.Last, whole.Count = run[len(run)-1].Last, 0
	for i := range run {
		whole.Count += run[i].Count
	}
	return whole
}

// next is where the piece after a run begins.
func next(run []Piece) int64 {
	if len(run) == 0 {
		return 0
	}
	return run[len(run)-1].Last + 1
}

// replace adds a piece to a swap, in the place of others.
func (k *Keeper) replace(from *source, m *Manifest, swap *Swap, run []Piece, write func(emitter) error) error {
	if err := k.add(from, m, merged(run), swap, write); err != nil {
		return err
	}
	for i := range run {
		swap.Remove = append(swap.Remove, run[i].ID)
	}
	return nil
}

// emitter takes the blocks of a piece, the first one last.
type emitter = func(n int, block []byte) error

// errRefused ends the making of a piece that the store does not take.
var errRefused = errors.New("the store takes no more blocks")

// add stores a piece while write makes it, so that it is never whole in memory.
func (k *Keeper) add(from *source, m *Manifest, p Piece, swap *Swap, write func(emitter) error) error {
	return k.store(from, m, p, swap, func(yield func(PieceBlock, error) bool) {
		refused := false
		err := write(func(n int, block []byte) error {
			if refused = !yield(PieceBlock{n, block}, nil); refused {
				return errRefused
			}
			return nil
		})
		if err != nil && !refused {
			yield(PieceBlock{}, fmt.Errorf("make a piece: %w", err))
		}
	})
}

// store stores a piece after the others of its kind.
func (k *Keeper) store(from *source, m *Manifest, p Piece, swap *Swap, blocks iter.Seq2[PieceBlock, error]) error {
	id, err := from.store.AddPiece(from.ctx, from.owner, *m, p, blocks)
	if err != nil {
		return fmt.Errorf("store a piece: %w", err)
	}
	swap.Add = append(swap.Add, id)
	return nil
}

// each iterates over blocks.
func each(blocks piece.Blocks) iter.Seq2[PieceBlock, error] {
	return func(yield func(PieceBlock, error) bool) {
		for n, b := range blocks {
			if !yield(PieceBlock{n, b}, nil) {
				return
			}
		}
	}
}
