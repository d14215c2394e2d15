package sqlite

import (
	"encoding/json"
	"fmt"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
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
	out := make(map[toldFact]bool)
	for i := range w.Messages {
		if err := t.toldBy(o, string(w.Messages[i].RootID), w.Messages[i].Seq, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// toldBy adds the facts of one message.
func (t *tx) toldBy(o owner.Owner, root string, seq int64, out map[toldFact]bool) error {
	var list []byte
	const query = `SELECT json_group_array(json_array(id, quote)) FROM facts WHERE owner_id = ? AND root_id = ? AND seq = ?`
	if err := t.row(query, o.ID(), root, seq).Scan(&list); err != nil {
		return fmt.Errorf("read facts of a message: %w", err)
	}
	var facts [][2]string
	if err := json.Unmarshal(list, &facts); err != nil {
		return fmt.Errorf("decode facts of a message: %w", err)
	}
	for _, f := range facts {
		out[toldFact{memory.FactID(f[0]), f[1]}] = true
	}
	return nil
}

// repeats are results, in a column of a table, that repeat a fact: ?2 has the ids of the
// facts, ?3 their quotes, as lists in JSON.
const repeats = ` owner_id = ?1 AND (
	EXISTS (SELECT 1 FROM json_each(%[1]s, '$.learned') l WHERE l.value ->> 'id' IN (SELECT value FROM json_each(?2))) OR
	EXISTS (SELECT 1 FROM json_each(%[1]s, '$.reversals') r WHERE r.value ->> 'was' IN (SELECT value FROM json_each(?3))
		OR r.value ->> 'now' IN (SELECT value FROM json_each(?3))))`

// dropRepeats deletes the results that repeat facts which rewritten messages no longer
// have. before are the facts they had.
func (t *tx) dropRepeats(o owner.Owner, w *curate.Rewrite, before map[toldFact]bool) error {
	after, err := t.toldFacts(o, w)
	if err != nil {
		return err
	}
	var ids []memory.FactID
	var quotes []string
	for f := range before {
		if !after[f] {
			ids, quotes = append(ids, f.id), append(quotes, f.quote)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	idList, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("encode ids: %w", err)
	}
	quoteList, err := json.Marshal(quotes)
	if err != nil {
		return fmt.Errorf("encode quotes: %w", err)
	}
	result := fmt.Sprintf(repeats, "result")
	for _, query := range []string{
		`DELETE FROM requests WHERE` + fmt.Sprintf(repeats, "outcome"),
		`DELETE FROM run_events WHERE owner_id = ?1 AND run_id IN (SELECT id FROM runs WHERE` + result + `)`,
		`DELETE FROM runs WHERE` + result,
	} {
		if _, err := t.exec(query, o.ID(), string(idList), string(quoteList)); err != nil {
			return fmt.Errorf("delete results: %w", err)
		}
	}
	return nil
}
