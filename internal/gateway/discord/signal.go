package discord

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Emojis of the marks.
const (
	emojiWaits = "⏳"
	emojiWorks = "👀"
	emojiBroke = "❌"
)

// emojiOf is the emoji of a mark; "" for none. A mark takes the emojis of the others away.
func emojiOf(m gateway.Mark) string {
	switch m {
	case gateway.Waits:
		return emojiWaits
	case gateway.Works:
		return emojiWorks
	case gateway.Broke:
		return emojiBroke
	case gateway.Typing, gateway.Clear:
	}
	return ""
}

// marks remembers the emojis at messages, so that none is taken away that is not there.
type marks struct {
	mu    sync.Mutex
	of    map[gateway.MessageID][]string
	order []gateway.MessageID
}

const maxMarks = 1000

// at returns the emojis that are at a message. A message that is not known may have all.
func (k *marks) at(m gateway.MessageID) (list []string, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list, known = k.of[m]
	return slices.Clone(list), known
}

// set remembers the emojis that are at a message.
func (k *marks) set(m gateway.MessageID, list []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = make(map[gateway.MessageID][]string)
	}
	if _, ok := k.of[m]; !ok {
		k.order = append(k.order, m)
	}
	k.of[m] = list
	if len(k.order) > maxMarks {
		delete(k.of, k.order[0])
		k.order = k.order[1:]
	}
}

// Signal shows what becomes of a message.
func (a *Adapter) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	channel := channelOf(at)
	if !isID(channel) {
		return refused("The place is not a channel of Discord.")
	}
	if mark == gateway.Typing {
		return a.api.do(ctx, rest.SendTyping.Compile(nil, channel), nil, nil)
	}
	if !isID(string(m)) {
		return nil // a command has no message
	}
	return a.mark(ctx, channel, m, emojiOf(mark))
}

// mark leaves one emoji of the bot at a message; "" leaves none.
func (a *Adapter) mark(ctx context.Context, channel string, m gateway.MessageID, want string) error {
	there, known := a.marks.at(m)
	shown := known && slices.Contains(there, want)
	if !known {
		there = leftBefore(want)
	}
	var left []string
	var failed error
	if want != "" {
		if !shown {
			failed = a.react(ctx, rest.AddReaction, channel, m, want)
		}
		if failed == nil {
			left = append(left, want)
		}
	}
	for _, emoji := range there {
		if emoji == want {
			continue
		}
		if err := unlessHopeless(a.react(ctx, rest.RemoveOwnReaction, channel, m, emoji)); err != nil {
			left, failed = append(left, emoji), errors.Join(failed, err)
		}
	}
	a.marks.set(m, left)
	return failed
}

// leftBefore are the emojis that an earlier process has perhaps left at a message that gets
// its next one.
func leftBefore(want string) []string {
	switch want {
	case emojiWaits: // the first mark of a message
		return nil
	case "":
		return []string{emojiWaits, emojiWorks, emojiBroke}
	}
	return []string{emojiWaits, emojiWorks}
}

// longestPause is how long a mark waits for its turn. Discord takes few reactions in a
// second.
const longestPause = 2 * time.Second

// react adds or removes an emoji. A request that is over the limit is made again, once.
func (a *Adapter) react(ctx context.Context, e *rest.Endpoint, channel string, m gateway.MessageID, emoji string) error {
	path := e.Compile(nil, channel, m, url.PathEscape(emoji))
	err := a.api.do(ctx, path, nil, nil)
	limited, ok := errors.AsType[*gateway.SendError](err)
	if !ok || limited.Reason != gateway.Limited || limited.After > longestPause {
		return err
	}
	if !pause(ctx, limited.After) {
		return err
	}
	return a.api.do(ctx, path, nil, nil)
}

// pause waits, and reports whether the context goes on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
