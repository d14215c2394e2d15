package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// searched is how many turns are looked for by their words.
const searched = 200

// askEveryID takes one more turn under each id that there ever was, and counts
// those that came to the right place.
func askEveryID(ctx context.Context, s *subject, all []*grower) (took, asked int) {
	var asking sync.WaitGroup
	taken, had := make([]int, len(all)), make([]int, len(all))
	for i, g := range all {
		asking.Go(func() {
			if g.pending != nil {
				g.grow(ctx, s.addr)
			}
			ids := append([]string{}, g.ids...)
			had[i] = len(ids)
			for _, id := range ids {
				g.n++
				if misses := len(g.t.misses); g.take(ctx, s.addr, &growth{session: id, text: g.say()}) && len(g.t.misses) == misses {
					taken[i]++
				} else {
					g.t.miss("the id %s took no turn", id)
				}
			}
		})
	}
	asking.Wait()
	for i := range all {
		took, asked = took+taken[i], asked+had[i]
	}
	return took, asked
}

// findAgain looks for turns by their words, in the lineage of the first id.
func findAgain(ctx context.Context, s *subject, all []*grower, t *tally) (found int) {
	for range searched {
		g := all[rand.IntN(len(all))]
		if len(g.told) == 0 {
			continue
		}
		mark := markOf.FindString(g.told[rand.IntN(len(g.told))])
		var out struct {
			Data []struct{ Matches []struct{ Snippet string } }
		}
		path := fmt.Sprintf("/api/search?q=%s&session_id=grow%%2F%d", mark, g.id)
		if err := get(ctx, s.addr, path, &out); err != nil {
			t.miss("search: %v", err)
			continue
		}
		if len(out.Data) > 0 && len(out.Data[0].Matches) > 0 && strings.Contains(out.Data[0].Matches[0].Snippet, mark) {
			found++
		} else {
			t.miss("%s is not found", mark)
		}
	}
	return found
}

// compareGrown compares the file with what was told: every text with its answer,
// once, in the order of the turns.
func compareGrown(all []*grower, rows []stored, t *tally) (lost, turns, again int) {
	logs := make(map[string][]stored)
	for _, m := range rows {
		logs[m.root] = append(logs[m.root], m)
	}
	for _, g := range all {
		t.misses = append(t.misses, g.t.misses...)
		turns, again = turns+len(g.told), again+g.again
		log, at := logs[g.ids[0]], 0
		for _, text := range g.told {
			for at < len(log) && log[at].text != text {
				at++
			}
			if answer := "Noted " + markOf.FindString(text) + "."; at+1 >= len(log) || log[at+1].text != answer || log[at+1].finish != "stop" {
				lost++
				t.miss("%s is not there, or not in its place", markOf.FindString(text))
				at = 0
			}
		}
		seen := make(map[string]bool)
		for _, m := range log {
			if m.role == "user" && seen[m.text] {
				t.miss("%s is stored twice", markOf.FindString(m.text))
			}
			seen[m.text] = true
		}
	}
	return lost, turns, again
}

// folds is what was found about compressions.
type folds struct {
	count, undue, idle, lies, drawn int
	least                           float64 // that one of them saved, as a part of the tail
}

// room is what a tail of so small a context may have before it is folded, but for
// the new input: what is left by state (a quarter), quotes (an eighth) and summary
// (a sixteenth).
const room = growBudget - growBudget/4 - growBudget/8 - growBudget/16

// checkFolds goes over all compressions: was one due, and what did it save?
func checkFolds(ctx context.Context, path string, t *tally) (*folds, error) {
	db, err := openFile(path, true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	f := &folds{least: 1}
	rows, err := db.QueryContext(ctx, `
		WITH fold AS (SELECT c.owner_id AS own, c.root_id AS root, c.id AS id, coalesce(c.summary, '') AS summary,
				p.tail_from AS tail_from, c.tail_from AS tail_to, p.next_seq AS at
			FROM sessions c JOIN sessions p ON p.owner_id = c.owner_id AND p.id = c.parent_session_id AND p.root_id = c.root_id)
		SELECT id, summary,
			(SELECT coalesce(sum(token_count + 4), 0) FROM messages m WHERE m.owner_id = own AND m.root_id = root AND seq >= tail_from AND seq < at),
			(SELECT coalesce(sum(token_count + 4), 0) FROM messages m WHERE m.owner_id = own AND m.root_id = root AND seq >= tail_to AND seq < at),
			(SELECT token_count + 4 FROM messages m WHERE m.owner_id = own AND m.root_id = root AND role = 'user' AND seq <= at
			ORDER BY seq DESC LIMIT 1)
		FROM fold`)
	if err != nil {
		return nil, fmt.Errorf("read compressions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := f.check(rows, t); err != nil {
			return nil, err
		}
	}
	return f, rows.Err()
}

// check looks at one compression.
func (f *folds) check(rows *sql.Rows, t *tally) error {
	var id, summary string
	var before, kept, input int
	if err := rows.Scan(&id, &summary, &before, &kept, &input); err != nil {
		return fmt.Errorf("read compression: %w", err)
	}
	f.count++
	f.drawn += strings.Count("\n"+summary, "\n~ ")
	if before <= room-input {
		f.undue++
		t.miss("%s: compressed at %d tokens with %d coming, which is below its mark", id, before, input)
	}
	saved := 1 - float64(kept)/float64(max(before, 1))
	if f.least = min(f.least, saved); saved < 0.2 {
		f.idle++
		t.miss("%s: %d of %d tokens are left", id, kept, before)
	}
	if strings.Contains(summary, lie) {
		f.lies++
		t.miss("%s: its summary has text that was never said", id)
	}
	return nil
}
