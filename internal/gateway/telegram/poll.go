package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// restore reads how far updates were received before.
func (l *loop) restore(ctx context.Context) error {
	position, err := l.in.Position(ctx)
	if err != nil {
		return fmt.Errorf("read the position: %w", err)
	}
	offset, err := strconv.ParseInt(string(position), 10, 64)
	if err != nil {
		offset = 0 // Telegram then begins with the oldest update it has
	}
	l.offset = offset
	return nil
}

// poll receives updates until the context ends. The offset of a poll acknowledges the
// updates below it, so it rises only after a commit.
func (l *loop) poll(ctx context.Context) error {
	for ctx.Err() == nil {
		err := l.round(ctx)
		if err == nil {
			l.failures, l.conflict = 0, false
			continue
		}
		if err := l.failed(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// round is one poll and its commit.
func (l *loop) round(ctx context.Context) error {
	raws, err := l.a.getUpdates(ctx, l.offset, l.timeout())
	if err != nil {
		return err
	}
	l.a.become("connected", "")
	if len(raws) == 0 {
		return nil
	}
	list, err := l.a.readAll(ctx, raws)
	if err != nil {
		return err
	}
	// The ids may begin anew, below the offset. The offset follows them.
	next := int64(0)
	for i := range list {
		next = max(next, list[i].id+1)
	}
	if next == 1 {
		return errNoID
	}
	if err := l.a.commit(ctx, l.in, list, gateway.Position(strconv.FormatInt(next, 10))); err != nil {
		return err
	}
	l.offset = next
	return nil
}

// timeout is how long the next poll may wait for updates. After a failure it does not
// wait, so that the state of the connection is known soon.
func (l *loop) timeout() time.Duration {
	if l.failures > 0 || l.a.Health().State != "connected" {
		return 0
	}
	return l.a.pace.poll
}

// getUpdates is one poll.
func (a *Adapter) getUpdates(ctx context.Context, offset int64, timeout time.Duration) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, a.pace.dead)
	defer cancel()
	body, err := json.Marshal(map[string]any{
		"offset": offset, "limit": 100, "timeout": int(timeout.Seconds()), "allowed_updates": allowedUpdates(),
	})
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.api+"/bot"+a.cfg.Token+"/getUpdates", bytes.NewReader(body))
	if err != nil {
		return nil, a.client.masked(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Result []json.RawMessage `json:"result"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, &broken{sent: true, err: err}
	}
	return answer.Result, nil
}

// readAll reads updates. One that cannot be read is left out, so that it does not stop
// those behind it.
func (a *Adapter) readAll(ctx context.Context, raws []json.RawMessage) ([]update, error) {
	r, err := a.reader()
	if err != nil {
		return nil, err
	}
	var list []update
	for _, raw := range raws {
		u, err := r.read(raw)
		if err != nil {
			a.log.ErrorContext(ctx, "telegram: an update cannot be read and is left out", "update", u.id, "bytes", len(raw))
		}
		list = append(list, u)
	}
	return list, nil
}
