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

// Keeper makes and merges the fact pieces of scopes, behind the turns.
type Keeper struct {
	// Least is the number of facts in the smallest piece. Spare is how many of the newest
	// facts stay out of pieces: they are the ones that are undone.
	Least, Spare int

	views *Views
	log   *slog.Logger

	mu     sync.Mutex
	queue  []kept
	queued map[viewKey]bool
	bell   chan struct{}
}

// kept is a scope whose pieces are to be made.
type kept struct {
	owner owner.Owner
	scope Scope
}

const (
	// leastFacts and spared are the usual Least and Spare of a keeper.
	leastFacts = 128
	spared     = 32
	// fan is how many pieces of one size are merged into one.
	fan = 4
	// mostPiece bounds the facts that are read to make a piece.
	mostPiece = 4096
	// keepAgain is how long a keeper waits after an error.
	keepAgain = time.Second
)

// NewKeeper returns the keeper of the scopes that are used through some views.
func NewKeeper(views *Views, log *slog.Logger) *Keeper {
	k := &Keeper{Least: leastFacts, Spare: spared, views: views, log: log, queued: make(map[viewKey]bool), bell: make(chan struct{}, 1)}
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
			k.log.Error("the index of a scope could not be made; the next turn asks for it again", "error", err)
			select {
			case <-time.After(keepAgain):
			case <-ctx.Done():
				return
			}
		}
	}
}

// Keep makes the pieces that a scope lacks, and merges those of one size.
func (k *Keeper) Keep(ctx context.Context, o owner.Owner, scope Scope) error {
	for {
		m, err := k.views.store.Manifest(ctx, o, scope)
		if err != nil {
			return fmt.Errorf("read manifest: %w", err)
		}
		on, err := openStored(ctx, k.views.store, k.views.cache, o, scope, &m)
		if isPiece(err) {
			return errors.Join(k.views.mend(ctx, o, err), err) // the next turn asks again
		}
		if err != nil {
			return err
		}
		swap, err := k.step(ctx, o, scope, &m, on)
		if err != nil || len(swap.Add) == 0 {
			return err
		}
		swap.Withdrawn = m.Withdrawn
		err = k.views.swap(ctx, o, scope, func() error { return k.views.store.Swap(ctx, o, m, swap) })
		if err != nil {
			return fmt.Errorf("take pieces over: %w", err)
		}
	}
}

// step makes the next piece of a scope; the swap adds none if all is done.
func (k *Keeper) step(ctx context.Context, o owner.Owner, scope Scope, m *Manifest, on *stored) (Swap, error) {
	if n := k.mergeable(on.parts); n > 0 {
		return k.merge(ctx, o, m, on.parts[len(on.parts)-n:])
	}
	return k.extend(ctx, o, scope, m, on)
}

// mergeable is how many of the newest pieces make one of the next size: at least fan that
// are not larger than the newest one's size; 0 if there are fewer.
func (k *Keeper) mergeable(parts []factPart) int {
	for size := range k.sizeOf(mostFacts) {
		n := 0
		for n < len(parts) && k.sizeOf(parts[len(parts)-1-n].Count) <= size {
			n++
		}
		if n >= fan {
			return n
		}
	}
	return 0
}

// mostFacts is more than a scope has.
const mostFacts = 1 << 30

// sizeOf is the size of a piece: each is fan times the one before.
func (k *Keeper) sizeOf(facts int) (size int) {
	for most := k.Least * fan; facts >= most; most *= fan {
		size++
	}
	return size
}

// merge makes one piece of several.
func (k *Keeper) merge(ctx context.Context, o owner.Owner, m *Manifest, parts []factPart) (Swap, error) {
	whole := Piece{Kind: FactPiece, Format: factFormat, Span: Span{parts[0].First, parts[len(parts)-1].Last}}
	var swap Swap
	var readers []*factReader
	for i := range parts {
		whole.Count += parts[i].Count
		swap.Remove = append(swap.Remove, parts[i].ID)
		readers = append(readers, parts[i].factReader)
	}
	err := k.add(ctx, o, m, whole, &swap, func(emit emitter) error { return mergeFacts(readers, emit) })
	return swap, err
}

// extend makes a piece of the facts after the others.
func (k *Keeper) extend(ctx context.Context, o owner.Owner, scope Scope, m *Manifest, on *stored) (Swap, error) {
	facts, err := k.views.store.FactsSince(ctx, o, scope, on.last(), mostPiece)
	if err != nil {
		return Swap{}, fmt.Errorf("read facts: %w", err)
	}
	facts = facts[:max(0, len(facts)-k.Spare)]
	facts = facts[:lastWhole(facts)]
	if len(facts) == 0 || len(facts) < k.Least {
		return Swap{}, nil
	}
	s := NewState()
	s.rest(on, on.last())
	s.take(facts)
	p := Piece{Kind: FactPiece, Format: factFormat, Count: len(facts), Span: Span{Last: facts[len(facts)-1].Number.Message()}}
	if n := len(on.parts); n > 0 {
		p.First = on.parts[n-1].Last + 1
	}
	var swap Swap
	err = k.add(ctx, o, m, p, &swap, s.writeFacts)
	return swap, errors.Join(err, on.failed())
}

// lastWhole is the number of facts up to the end of the last message but one, all of whose
// facts are there.
func lastWhole(facts []StoredFact) int {
	n := len(facts)
	for n > 0 && facts[n-1].Number.Message() == facts[len(facts)-1].Number.Message() {
		n--
	}
	return n
}

// emitter takes the blocks of a piece, the first one last.
type emitter = func(n int, block []byte) error

// add stores a piece.
func (k *Keeper) add(ctx context.Context, o owner.Owner, m *Manifest, p Piece, swap *Swap, write func(emitter) error) error {
	var made piece.Blocks
	if err := write(made.Emit); err != nil {
		return fmt.Errorf("make a piece: %w", err)
	}
	id, err := k.views.store.AddPiece(ctx, o, *m, p, each(made))
	if err != nil {
		return fmt.Errorf("store a piece: %w", err)
	}
	swap.Add = append(swap.Add, id)
	return nil
}

// each iterates over blocks.
func each(blocks piece.Blocks) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, b := range blocks {
			if !yield(b, nil) {
				return
			}
		}
	}
}
