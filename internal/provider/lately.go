package provider

import (
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// Slow is a provider that takes what it is told before it stores it. What it was told lately may
// appear there after it was asked to forget it.
type Slow interface {
	// StoresWithin is how long after it was told it may store something.
	StoresWithin() time.Duration
}

// textStoring says why a forgetting is not confirmed yet.
const textStoring = "The provider may still be storing what it was told a while ago."

// lately remembers what a slow provider was told while it may not be stored. Of what an earlier
// process has told, nothing is known.
type lately struct {
	within time.Duration // 0 for a provider that stores at once
	began  time.Time     // of this process

	mu    sync.Mutex
	tells map[latelyKey][]latelyTold
}

type latelyKey struct{ owner, place string }

// latelyTold are messages that were told together.
type latelyTold struct {
	at          time.Time
	first, last int64
}

// newLately returns what is known at a time.
func newLately(p run.Provider, now time.Time) *lately {
	l := &lately{began: now, tells: make(map[latelyKey][]latelyTold)}
	if slow, ok := p.(Slow); ok {
		l.within = slow.StoresWithin()
	}
	return l
}

// told notes that a place was told messages, perhaps in vain.
func (l *lately) told(o owner.Owner, place string, said []run.Said, now time.Time) {
	if l.within == 0 || len(said) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, list := range l.tells {
		if list = slices.DeleteFunc(list, func(t latelyTold) bool { return now.Sub(t.at) >= l.within }); len(list) == 0 {
			delete(l.tells, key)
			continue
		}
		l.tells[key] = list
	}
	key := latelyKey{o.ID(), place}
	l.tells[key] = append(l.tells[key], latelyTold{now, said[0].ID, said[len(said)-1].ID})
}

// storing reports whether something of a debt may still be on its way to the provider's store.
func (l *lately) storing(o owner.Owner, d *Debt, now time.Time) bool {
	if l.within == 0 {
		return false
	}
	if now.Sub(l.began) < l.within {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.tells[latelyKey{o.ID(), d.Name}], func(t latelyTold) bool {
		return now.Sub(t.at) < l.within && (d.Whole || slices.ContainsFunc(d.IDs, func(id int64) bool { return t.first <= id && id <= t.last }))
	})
}
