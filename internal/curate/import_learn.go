package curate

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Memory learns the messages of a session key by rising id. An import of this program's own
// export keeps the ids, and its lineages may come in any order. Messages that come before
// others of their key are therefore stored without being learnt. Their scope is stale from
// then on, also after a crash, and is learnt as a whole at the end of the import. Learning it
// again with each lineage would take a time that grows with the square of their number.

// learners are the views that learn a page of an import.
type learners struct {
	// of has the views by scope. A scope that is to be learnt at the end has none.
	of     map[memory.Scope]*memory.View
	later  []memory.Scope
	leaves []func()
	views  *memory.Views
	// held is the size of the views' facts before they learnt anything, in bytes.
	held int64
}

// learners returns the views for some messages, whose ids are set.
func (im *importer) learners(ctx context.Context, scopes []memory.Scope, ms []session.Message) (*learners, error) {
	l := &learners{of: make(map[memory.Scope]*memory.View, len(scopes)), views: im.curator.views}
	for _, scope := range scopes {
		if err := im.learner(ctx, l, scope, ms); err != nil {
			l.leave()
			return nil, err
		}
	}
	l.held = l.size()
	return l, nil
}

// full reports whether the views hold as much as they may during one step. Each new fact is compared
// with some of the newest facts that share a word with it, and a view holds what it has read until the
// step is stored.
func (l *learners) full() bool { return l.views.Full(l.held, l.size()) }

// size is the size of the views' facts, in bytes.
func (l *learners) size() (bytes int64) {
	for _, view := range l.of {
		bytes += view.Learnt()
	}
	return bytes
}

// learner adds the view of a scope, if the scope can be learnt on.
func (im *importer) learner(ctx context.Context, l *learners, scope memory.Scope, ms []session.Message) error {
	fresh := im.unstored(scope)
	if !fresh {
		continues, err := im.curator.views.Continues(ctx, im.o, scope, firstOf(scope, ms))
		if err != nil {
			return err
		}
		if !continues {
			l.later = append(l.later, scope)
			im.settle(scope)
			return nil
		}
	}
	view, leave, err := im.curator.views.Use(ctx, im.o, scope, fresh)
	if err != nil {
		return fmt.Errorf("read memory: %w", err)
	}
	if im.met == nil {
		im.met = make(map[memory.Scope]bool)
	}
	im.met[scope] = true
	l.of[scope] = view
	l.leaves = append(l.leaves, leave)
	return nil
}

// unstored reports whether a scope is that of a lineage of which nothing is stored.
func (im *importer) unstored(scope memory.Scope) bool {
	return scope.Key == "" && !im.begun && !im.met[scope]
}

// firstOf is the lowest id of the messages of a scope, of which there is one at least.
func firstOf(scope memory.Scope, ms []session.Message) int64 {
	return slices.Min(idsIn(ms, scope))
}

// tell tells a step who has learnt its messages, and who has not.
func (l *learners) tell(step *lineage.Step) {
	step.Unlearnt = l.later
	if len(l.of) == 1 {
		for _, view := range l.of {
			step.LearntBy(view)
		}
	}
}

func (l *learners) leave() {
	for _, leave := range l.leaves {
		leave()
	}
}

// settle notes a scope that is to be learnt at the end of the import.
func (im *importer) settle(scope memory.Scope) {
	if scope.Key != "" && !slices.Contains(im.keys, scope.Key) {
		im.keys = append(im.keys, scope.Key)
	}
}

// touched are the session keys of the messages so far.
func (im *importer) touched() []session.Key {
	for scope := range im.met {
		im.settle(scope)
	}
	return im.keys
}

// unsettled are the keys of sessions whose memory an import that was broken off has left to be
// learnt.
func (c *Curator) unsettled(ctx context.Context, o owner.Owner, rows []session.Session) (keys []session.Key, err error) {
	for i := range rows {
		key := rows[i].Key
		if key == "" || slices.Contains(keys, key) {
			continue
		}
		m, err := c.views.Manifest(ctx, o, memory.Scope{Key: key})
		if err != nil {
			return nil, err
		}
		if m.Stale {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// SettleKeys learns the memory of session keys again whose messages an import has stored and
// not learnt.
func (c *Curator) SettleKeys(ctx context.Context, o owner.Owner, keys []session.Key) error {
	for _, key := range keys {
		if err := c.settleKey(ctx, o, memory.Scope{Key: key}); err != nil {
			return err
		}
	}
	return nil
}

// settleKey learns a stale scope again while no turn adds to it. It repeats if messages of the
// scope are deleted meanwhile.
func (c *Curator) settleKey(ctx context.Context, o owner.Owner, scope memory.Scope) error {
	release, err := c.lineages.Alone(ctx, o, scope)
	if err != nil {
		return err
	}
	defer release()
	for range maxRewrites {
		if err = c.trySettle(ctx, o, scope); fault.KindOf(err) != fault.Conflict {
			break
		}
	}
	return err
}

func (c *Curator) trySettle(ctx context.Context, o owner.Owner, scope memory.Scope) error {
	m, err := c.views.Manifest(ctx, o, scope)
	if err != nil || !m.Stale {
		return err
	}
	var out Rebuilt
	view, err := c.relearn(ctx, o, scope, nil, &out)
	if err != nil {
		return err
	}
	if err := c.store.Rewrite(ctx, o, Rewrite{Scopes: []ScopeFacts{factsOf(view, scope, &out)}}); err != nil {
		return fmt.Errorf("replace facts: %w", err)
	}
	c.views.Drop(o, scope)
	return nil
}
