package gatewaytest

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tgQueue are the updates that the bot has not acknowledged.
type tgQueue struct {
	lastUpdate int64
	pending    []tgUpdate
	again      []tgUpdate // delivered once more, whatever the offset
	past       map[int64]tgUpdate
	polled     chan struct{} // closed to end the poll that waits
	pushed     chan struct{} // closed and made anew by each push
	acked      func(eventID string)
	shuffle    func(n int, swap func(i, j int))
	dropped    int
	webhook    TelegramWebhook
	failure    string // of the last delivery to the webhook
}

// TelegramWebhook is what the bot has registered.
type TelegramWebhook struct {
	URL, Secret string
}

// tgUpdate is one update.
type tgUpdate struct {
	id  int64
	raw json.RawMessage
}

func newTgQueue() tgQueue {
	return tgQueue{lastUpdate: 1000, past: map[int64]tgUpdate{}, pushed: make(chan struct{})}
}

// Push adds an update, an object without update_id, and returns its update_id.
func (s *Telegram) Push(update map[string]any) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.push(update)
}

func (s *Telegram) push(update map[string]any) int64 {
	s.lastUpdate++
	update["update_id"] = s.lastUpdate
	raw, err := json.Marshal(update)
	if err != nil {
		panic(err)
	}
	u := tgUpdate{s.lastUpdate, raw}
	s.pending = append(s.pending, u)
	if !s.opt.Quiet {
		s.past[u.id] = u
	}
	s.wake()
	return u.id
}

// wake ends the waiting of a poll.
func (s *Telegram) wake() {
	close(s.pushed)
	s.pushed = make(chan struct{})
}

// Repeat delivers updates once more, in the order given. One that is not acknowledged comes
// again by itself, and once more after that: an offset above it would acknowledge what the
// bot has not seen.
func (s *Telegram) Repeat(ids ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.again = append(s.again, s.past[id])
	}
	s.wake()
}

// LastUpdate is the id of the newest update.
func (s *Telegram) LastUpdate() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastUpdate
}

// Restart makes the ids of the next updates begin after n, as Telegram does after a week
// without updates.
func (s *Telegram) Restart(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastUpdate = n
}

// Shuffle sets a function that shuffles the updates of each answer; nil for none.
func (s *Telegram) Shuffle(shuffle func(n int, swap func(i, j int))) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shuffle = shuffle
}

// OnAck sets a function that is called for each update that the bot acknowledges, before
// the fake forgets it.
func (s *Telegram) OnAck(acked func(updateID string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked = acked
}

// Pending is how many updates the bot has not acknowledged, and Dropped how many the bot
// has told the fake to throw away.
func (s *Telegram) Pending() (pending, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending), s.dropped
}

// Webhook is the registered webhook; the zero value if there is none.
func (s *Telegram) Webhook() TelegramWebhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.webhook
}

// getUpdates answers a poll. A poll ends the one before it with code 409, as Telegram does.
func (s *Telegram) getUpdates(ctx context.Context, req *TelegramRequest) tgAnswer {
	s.mu.Lock()
	if s.webhook.URL != "" {
		s.mu.Unlock()
		return tgFailure(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	if s.polled != nil {
		close(s.polled)
	}
	mine := make(chan struct{})
	s.polled = mine
	s.ack(req.Int("offset"))
	s.mu.Unlock()
	defer s.leave(mine)

	timer := time.NewTimer(time.Duration(req.Int("timeout")) * time.Second)
	defer timer.Stop()
	for {
		s.mu.Lock()
		batch, pushed := s.batch(req.Int("limit")), s.pushed
		s.mu.Unlock()
		if len(batch) > 0 {
			return tgAnswer{result: batch}
		}
		select {
		case <-pushed:
		case <-timer.C:
			return tgAnswer{result: []any{}}
		case <-ctx.Done():
			return tgFailure(499, "gone")
		case <-s.closed:
			return tgFailure(502, "Bad Gateway")
		case <-mine:
			return tgFailure(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
		}
	}
}

// leave says that a poll is over.
func (s *Telegram) leave(mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.polled == mine {
		s.polled = nil
	}
}

// ack forgets the updates below an offset. An offset far above the newest update is taken
// for none, as in Telegram.
func (s *Telegram) ack(offset int64) {
	if offset > s.lastUpdate+10 {
		return
	}
	i := 0
	for i < len(s.pending) && s.pending[i].id < offset {
		if s.acked != nil {
			s.acked(strconv.FormatInt(s.pending[i].id, 10))
		}
		i++
	}
	s.pending = s.pending[i:]
}

// batch is the answer to a poll: repeated updates, and the oldest that are pending.
func (s *Telegram) batch(limit int64) []json.RawMessage {
	if limit < 1 || limit > 100 {
		limit = 100
	}
	var list []json.RawMessage
	s.again = slices.DeleteFunc(s.again, func(u tgUpdate) bool {
		if len(s.pending) > 0 && u.id >= s.pending[0].id || len(list) >= int(limit)/2 {
			return false
		}
		list = append(list, u.raw)
		return true
	})
	for _, u := range s.pending[:min(len(s.pending), int(limit)-len(list))] {
		list = append(list, u.raw)
	}
	if s.shuffle != nil {
		s.shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}

// setWebhook registers a webhook.
func (s *Telegram) setWebhook(req *TelegramRequest) (any, error) {
	if !strings.HasPrefix(req.Params["url"], "https://") {
		return nil, tgBad("bad webhook: An HTTPS URL must be provided for webhook")
	}
	s.drop(req)
	s.webhook = TelegramWebhook{URL: req.Params["url"], Secret: req.Params["secret_token"]}
	s.wake()
	return true, nil
}

// deleteWebhook takes the webhook away.
func (s *Telegram) deleteWebhook(req *TelegramRequest) (any, error) {
	s.drop(req)
	s.webhook = TelegramWebhook{}
	return true, nil
}

// drop throws the pending updates away, if a request says so.
func (s *Telegram) drop(req *TelegramRequest) {
	if req.Params["drop_pending_updates"] == "true" {
		s.dropped += len(s.pending)
		s.pending = nil
	}
}

// SetWebhook lets another program register a webhook. failure is what Telegram says of its last
// delivery; "" for nothing.
func (s *Telegram) SetWebhook(url, failure string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook, s.failure = TelegramWebhook{URL: url}, failure
}

// getWebhookInfo tells where updates are delivered.
func (s *Telegram) getWebhookInfo(*TelegramRequest) (any, error) {
	out := map[string]any{"url": s.webhook.URL, "has_custom_certificate": false, "pending_update_count": 0}
	if s.failure != "" {
		out["pending_update_count"], out["last_error_date"], out["last_error_message"] = 3, 1764384000, s.failure
	}
	return out, nil
}
