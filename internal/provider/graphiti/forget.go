package graphiti

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// Forget implements run.Provider.
func (g *Provider) Forget(ctx context.Context, p run.Place, ids []int64) (run.Passed, error) {
	group := provider.Joined(p)
	g.sure.Leave(group)
	if ids == nil {
		return g.forgetGroup(ctx, group)
	}
	stored, whole, err := g.episodes(ctx, group)
	if err != nil {
		return run.Passed{}, err
	}
	stays := 0
	for _, id := range ids {
		n, err := g.forgetMessage(ctx, group, id, stored, whole)
		if err != nil {
			return run.Passed{}, err
		}
		stays += n
	}
	if stored, _, err = g.episodes(ctx, group); err != nil {
		return run.Passed{}, err
	}
	for _, id := range ids {
		for part := 1; part <= provider.MaxTold; part++ {
			if stored[episodeOf(group, id, part)] {
				stays++
			}
		}
	}
	return passed(stays, len(ids)), nil
}

// forgetGroup deletes a group, and looks what is left of it.
func (g *Provider) forgetGroup(ctx context.Context, group string) (run.Passed, error) {
	if _, err := g.remove(ctx, "/group/"+url.PathEscape(group)); err != nil && !provider.NoRow(err) {
		return run.Passed{}, err
	}
	stored, _, err := g.episodes(ctx, group)
	if err != nil {
		return run.Passed{}, err
	}
	return passed(len(stored), 1), nil
}

// mostAbsent is how many parts of a message are looked for behind its last one: an earlier attempt
// may have been interrupted when it had deleted some.
const mostAbsent = 8

// forgetMessage deletes the pieces of a message. The list has the newest episodes only. If it is
// not whole, the others are deleted by their ids, which are ours; one that can be deleted twice
// stays.
func (g *Provider) forgetMessage(ctx context.Context, group string, id int64, stored map[string]bool, whole bool) (stays int, err error) {
	absent := 0
	for part := 1; part <= provider.MaxTold && (whole || absent < mostAbsent); part++ {
		uuid := episodeOf(group, id, part)
		if whole && !stored[uuid] {
			continue
		}
		there, err := g.remove(ctx, "/episode/"+uuid)
		if err != nil {
			return 0, err
		}
		if !there {
			absent++
			continue
		}
		absent = 0
		if stored[uuid] {
			continue // the second list tells
		}
		if there, err = g.remove(ctx, "/episode/"+uuid); err != nil {
			return 0, err
		}
		if there {
			return 1, nil
		}
	}
	return 0, nil
}

// absent matches what Graphiti says of an episode that it does not have. Of a path that it does not
// know, its router says "Not Found" alone.
var absent = regexp.MustCompile(`(?i)^(node|episode)\b.*\bnot found\b`)

// remove deletes something. there is false if the server says that it did not have it.
func (g *Provider) remove(ctx context.Context, path string) (there bool, err error) {
	err = g.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: path, Absent: absent})
	if provider.Absent(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("delete: %w", err)
	}
	return true, nil
}

// passed is the outcome of forgetting: what was confirmed, or what stays.
func passed(stays, confirmed int) run.Passed {
	if stays > 0 {
		return run.Passed{Left: fmt.Sprintf("Graphiti still has %d episodes.", stays)}
	}
	return run.Passed{Confirmed: max(1, confirmed)}
}

// episodeOf is the id of a part of a message.
func episodeOf(group string, id int64, part int) string {
	piece := provider.Piece{Said: run.Said{ID: id}, Part: part}
	return episode(group, piece.Mark())
}
