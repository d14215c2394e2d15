package gateway

import (
	"context"
	"errors"
	"time"
)

const (
	// tendEach is how long the sessions of chats go untended at most.
	tendEach = time.Minute
	// sweepEach is how often old things are erased. The first time is one tendEach after the start: a server
	// that has just started has more urgent work.
	sweepEach = time.Hour
	// chatsKept is how long finished work on chats is kept.
	chatsKept = 30 * 24 * time.Hour
)

// keepTending tends chats, and erases what is old, until ctx ends. The sessions have been tended, and are to
// be again at next.
func (g *Gateway) keepTending(ctx context.Context, next time.Time) error {
	swept := g.now().Add(tendEach - sweepEach)
	for g.bell.Sleep(ctx, next); ctx.Err() == nil; g.bell.Sleep(ctx, next) {
		next = g.tend(ctx)
		if g.now().Sub(swept) < sweepEach {
			continue
		}
		swept = g.now()
		err := errors.Join(g.store.SweepChats(ctx, g.moment().Add(-chatsKept)), g.sweepFiles(ctx))
		g.warn(ctx, "what is old in chats could not be erased", err)
	}
	return nil
}

// tend resets the sessions that are due, and returns when to look again.
func (g *Gateway) tend(ctx context.Context) time.Time {
	next, err := g.resetDue(ctx)
	g.warn(ctx, "the sessions of chats could not be tended", err)
	if limit := g.now().Add(tendEach); next.IsZero() || next.After(limit) {
		return limit
	}
	return next
}

// warn logs an error, unless the server stops.
func (g *Gateway) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		g.log.Warn(what, "err", err)
	}
}
