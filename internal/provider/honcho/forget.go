package honcho

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// pageSize is how many rows a page of a list has.
const pageSize = 100

// newest is a page of a session's messages, the newest first.
func (h *Provider) newest(ctx context.Context, p run.Place, number int) (page[message], error) {
	var out page[message]
	query := url.Values{"reverse": {"true"}, "size": {strconv.Itoa(pageSize)}, "page": {strconv.Itoa(number)}}
	err := h.client.Do(ctx, &provider.Exchange{
		Method: http.MethodPost, Path: sessionPath(p) + "/messages/list", Query: query, In: struct{}{}, Out: &out,
	})
	if err == nil && out.Total == nil {
		err = provider.Misshapen("a list without a total")
	}
	return out, err
}

// conclusion is something that Honcho has concluded about a peer.
type conclusion struct {
	ID      string  `json:"id"`
	Session *string `json:"session_id"`
}

// conclusions are the first conclusions about the user of a place. With a pinned peer, only
// those from the place count.
func (h *Provider) conclusions(ctx context.Context, p run.Place) ([]conclusion, error) {
	var mine []conclusion
	for n := 1; len(mine) == 0; n++ {
		var out page[conclusion]
		query := url.Values{"size": {strconv.Itoa(pageSize)}, "page": {strconv.Itoa(n)}}
		in := map[string]any{"filters": map[string]string{"observer_id": p.User, "observed_id": p.User}}
		err := h.client.Do(ctx, &provider.Exchange{
			Method: http.MethodPost, Path: workspace(p) + "/conclusions/list", Query: query, In: in, Out: &out,
		})
		switch {
		case provider.Absent(err):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("list conclusions: %w", err)
		case out.Total == nil:
			return nil, provider.Misshapen("a list without a total")
		}
		for _, c := range out.Items {
			if !h.pinned || c.Session != nil && *c.Session == p.Session {
				mine = append(mine, c)
			}
		}
		if n >= out.Pages {
			break
		}
	}
	return mine, nil
}

// maxRounds bounds how many pages of conclusions one call deletes.
const maxRounds = 50

// Forget implements run.Provider. Honcho deletes a session some time after the request, and
// some conclusions outlive their session, so both are searched afterwards.
func (h *Provider) Forget(ctx context.Context, p run.Place, ids []int64) (run.Passed, error) {
	if ids != nil {
		return run.Passed{}, run.ErrWholePlace
	}
	h.leave(p)
	err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: sessionPath(p)})
	if err != nil && !provider.Absent(err) {
		return run.Passed{}, fmt.Errorf("delete a session: %w", err)
	}
	left, err := h.deleteConclusions(ctx, p)
	if err != nil {
		return run.Passed{}, err
	}
	rest, err := h.newest(ctx, p, 1)
	switch {
	case provider.Absent(err):
	case err != nil:
		return run.Passed{}, fmt.Errorf("search what is left: %w", err)
	case *rest.Total > 0:
		return run.Passed{Left: fmt.Sprintf("Honcho has taken the request and still has %d messages.", *rest.Total)}, nil
	}
	if left > 0 {
		return run.Passed{Left: fmt.Sprintf("Honcho still has %d conclusions.", left)}, nil
	}
	return run.Passed{Confirmed: 1}, nil
}

// deleteConclusions deletes what Honcho has concluded from a place, and returns how much it
// still has.
func (h *Provider) deleteConclusions(ctx context.Context, p run.Place) (left int, err error) {
	for range maxRounds {
		list, err := h.conclusions(ctx, p)
		if err != nil || len(list) == 0 {
			return 0, err
		}
		for _, c := range list {
			path := workspace(p) + "/conclusions/" + url.PathEscape(c.ID)
			if err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: path}); err != nil && !provider.Absent(err) {
				return 0, fmt.Errorf("delete a conclusion: %w", err)
			}
		}
	}
	list, err := h.conclusions(ctx, p)
	return len(list), err
}
