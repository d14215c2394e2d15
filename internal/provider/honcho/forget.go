package honcho

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// newest is a page of a session's messages, the newest first.
func (h *Provider) newest(ctx context.Context, p run.Place, number int) (page[message], error) {
	return list[message](ctx, h, &wanted{path: sessionPath(p) + "/messages/list", number: number, reverse: true, in: struct{}{}})
}

// conclusion is something that Honcho has concluded about a peer.
type conclusion struct {
	ID      string  `json:"id"`
	Session *string `json:"session_id"`
}

// maxPages is how many pages of conclusions are read.
const maxPages = 1000

// errMuch says that a peer has more conclusions than are read.
var errMuch = fault.New(fault.Upstream, "provider_answer", "Honcho has more conclusions about the user than hermes reads.")

// conclusions are the first conclusions about the user of a place, as parts of paths. With a
// pinned peer, only those from the place count.
func (h *Provider) conclusions(ctx context.Context, p run.Place) ([]string, error) {
	in := map[string]any{"filters": map[string]string{"observer_id": p.User, "observed_id": p.User}}
	for n := 1; n <= maxPages; n++ {
		out, err := list[conclusion](ctx, h, &wanted{path: workspace(p) + "/conclusions/list", number: n, in: in})
		switch {
		case provider.Absent(err):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("list conclusions: %w", err)
		}
		var mine []string
		for _, c := range out.Items {
			part, err := provider.Part(c.ID)
			if err != nil {
				return nil, err
			}
			if !h.pinned || c.Session != nil && *c.Session == p.Session {
				mine = append(mine, part)
			}
		}
		if len(mine) > 0 || n >= out.Pages {
			return mine, nil
		}
	}
	return nil, errMuch
}

// maxRounds bounds how many pages of conclusions one call deletes.
const maxRounds = 50

// Forget implements run.Provider. Honcho deletes a session some time after the request, and
// some conclusions and the card of the user outlive their session, so all are searched afterwards.
func (h *Provider) Forget(ctx context.Context, p run.Place, ids []int64) (run.Passed, error) {
	if ids != nil {
		return run.Passed{}, run.ErrWholePlace
	}
	h.leave(p)
	err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: sessionPath(p)})
	if err != nil && !provider.NoRow(err) {
		return run.Passed{}, fmt.Errorf("delete a session: %w", err)
	}
	left, err := h.deleteConclusions(ctx, p)
	if err != nil {
		return run.Passed{}, err
	}
	lines, err := h.clearCard(ctx, p)
	if err != nil {
		return run.Passed{}, err
	}
	rest, err := h.newest(ctx, p, 1)
	switch {
	case provider.Absent(err):
	case err != nil:
		return run.Passed{}, fmt.Errorf("search what is left: %w", err)
	case rest.Total > 0:
		return run.Passed{Left: fmt.Sprintf("Honcho has taken the request and still has %d messages.", rest.Total)}, nil
	}
	switch {
	case left > 0:
		return run.Passed{Left: fmt.Sprintf("Honcho still has %d conclusions.", left)}, nil
	case lines > 0:
		return run.Passed{Left: fmt.Sprintf("Honcho still has %d lines on the card of the user.", lines)}, nil
	}
	return run.Passed{Confirmed: 1}, nil
}

// deleteConclusions deletes what Honcho has concluded from a place, and returns how much it
// still has.
func (h *Provider) deleteConclusions(ctx context.Context, p run.Place) (left int, err error) {
	var asked provider.Asked
	for range maxRounds {
		found, err := h.conclusions(ctx, p)
		if err != nil || len(found) == 0 {
			return 0, err
		}
		left = len(found)
		if found = asked.New(found); len(found) == 0 {
			return left, nil
		}
		for _, part := range found {
			path := workspace(p) + "/conclusions/" + part
			if err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: path}); err != nil && !provider.NoRow(err) {
				return 0, fmt.Errorf("delete a conclusion: %w", err)
			}
		}
	}
	found, err := h.conclusions(ctx, p)
	return len(found), err
}

// clearCard empties the card of the user of a place, on which Honcho writes what it takes for lasting
// facts, and returns how many lines it still has. A line does not say which session it is from, so with
// a pinned peer the lines of other places go, too; Honcho writes new ones.
func (h *Provider) clearCard(ctx context.Context, p run.Place) (left int, err error) {
	if left, err = h.card(ctx, p); err != nil || left == 0 {
		return 0, err
	}
	in := map[string]any{"peer_card": []string{}}
	if err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodPut, Path: cardPath(p), In: in}); err != nil {
		return 0, fmt.Errorf("empty a card: %w", err)
	}
	return h.card(ctx, p)
}

func cardPath(p run.Place) string {
	return workspace(p) + "/peers/" + url.PathEscape(p.User) + "/card"
}

// card is how many lines the card of the user of a place has.
func (h *Provider) card(ctx context.Context, p run.Place) (int, error) {
	var out struct {
		Card jsontext.Value `json:"peer_card"`
	}
	err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodGet, Path: cardPath(p), Out: &out, Absent: absent})
	switch {
	case provider.Absent(err):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read a card: %w", err)
	case string(out.Card) == "null": // the published answer for none
		return 0, nil
	}
	var lines []string
	if jsonv2.Unmarshal(out.Card, &lines) != nil || lines == nil {
		return 0, provider.Misshapen("a card that is no list of lines")
	}
	return len(lines), nil
}
