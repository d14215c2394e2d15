package postgres

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// The results of turns repeat facts: those they learnt, and those they ended. A fact may
// be learnt from half of a name that only the whole message has, so the matcher does not
// find the results. They are therefore found by their facts.

// toldFact is a fact as results repeat it.
type toldFact struct {
	id    memory.FactID
	quote string
}

// toldFacts are the facts of messages.
func (t *tx) toldFacts(o owner.Owner, w *curate.Rewrite) (map[toldFact]bool, error) {
	const query = `SELECT f.id, f.quote FROM facts f WHERE f.owner_id = ? AND (f.root_id, f.seq) IN (SELECT * FROM unnest(?::text[], ?::bigint[]))`
	out := make(map[toldFact]bool)
	if len(w.Messages) == 0 {
		return out, nil
	}
	roots, seqs := make([]string, len(w.Messages)), make([]int64, len(w.Messages))
	for i := range w.Messages {
		roots[i], seqs[i] = string(w.Messages[i].RootID), w.Messages[i].Seq
	}
	err := t.rows(func(rows *rows) error {
		var f toldFact
		err := rows.Scan(&f.id, &f.quote)
		out[f] = true
		return err
	}, query, o.ID(), roots, seqs)
	if err != nil {
		return nil, fmt.Errorf("read facts of messages: %w", err)
	}
	return out, nil
}

// dropRepeats deletes the results that repeat facts which rewritten messages no longer
// have. before are the facts they had.
func (t *tx) dropRepeats(o owner.Owner, w *curate.Rewrite, before map[toldFact]bool) error {
	if len(before) == 0 {
		return nil
	}
	after, err := t.toldFacts(o, w)
	if err != nil {
		return err
	}
	gone := repeated{ids: make(map[memory.FactID]bool), quotes: make(map[string]bool)}
	for f := range before {
		if !after[f] {
			gone.ids[f.id], gone.quotes[f.quote] = true, true
		}
	}
	if len(gone.ids) == 0 {
		return nil
	}
	if err := t.dropOutcomes(o, &gone); err != nil {
		return err
	}
	return t.dropResults(o, &gone)
}

// repeated are facts that results may repeat.
type repeated struct {
	ids    map[memory.FactID]bool
	quotes map[string]bool
}

// in reports whether a stored result repeats one of the facts.
func (r *repeated) in(text []byte) bool {
	var result run.Result
	if json.Unmarshal(text, &result) != nil {
		return false
	}
	return slices.ContainsFunc(result.Learned, func(l run.Learned) bool { return r.ids[l.ID] }) ||
		slices.ContainsFunc(result.Reversals, func(v run.Reversal) bool { return r.quotes[v.Was] || r.quotes[v.Now] })
}

// dropOutcomes deletes the outcomes of requests that repeat facts.
func (t *tx) dropOutcomes(o owner.Owner, facts *repeated) error {
	var routes, keys []string
	err := t.rows(func(rows *rows) error {
		var route, key string
		var outcome []byte
		err := rows.Scan(&route, &key, &outcome)
		if err == nil && facts.in(outcome) {
			routes, keys = append(routes, route), append(keys, key)
		}
		return err
	}, `SELECT route, key, outcome FROM requests WHERE owner_id = ? AND outcome IS NOT NULL`, o.ID())
	if err != nil {
		return fmt.Errorf("look for outcomes: %w", err)
	}
	t.send("delete outcomes", `DELETE FROM requests WHERE owner_id = ? AND (route, key) IN (SELECT * FROM unnest(?::text[], ?::text[]))`, o.ID(), routes, keys)
	return nil
}

// dropResults deletes the runs whose results repeat facts, with their events.
func (t *tx) dropResults(o owner.Owner, facts *repeated) error {
	var ids []string
	err := t.rows(func(rows *rows) error {
		var id string
		var result []byte
		err := rows.Scan(&id, &result)
		if err == nil && facts.in(result) {
			ids = append(ids, id)
		}
		return err
	}, `SELECT id, result FROM runs WHERE owner_id = ? AND result IS NOT NULL`, o.ID())
	if err != nil {
		return fmt.Errorf("look for results: %w", err)
	}
	t.send("delete events", `DELETE FROM run_events WHERE owner_id = ? AND run_id = ANY(?)`, o.ID(), ids)
	t.send("delete runs", `DELETE FROM runs WHERE owner_id = ? AND id = ANY(?)`, o.ID(), ids)
	return nil
}
