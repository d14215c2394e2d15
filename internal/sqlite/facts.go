package sqlite

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
)

const (
	factColumns = storage.FactColumns
	insertFact  = `INSERT INTO facts (number, owner_id, scope_id, root_id, seq, id, session_id, kind, role, speaker,
		quote, quote_start, quote_end, statement, subject, attribute, value, because, said_at, recorded_at, when_from, when_to,
		superseded_by, superseded_at, links, doubted_by, section, weight) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	supersedeFact = `UPDATE facts SET superseded_by = ?, superseded_at = ?, links = ?
		WHERE owner_id = ? AND root_id = ? AND seq = ? AND id = ?`
	markFact = `UPDATE facts SET doubted_by = ?, section = ?, weight = ? WHERE number = ? AND owner_id = ? RETURNING scope_id`
)

// numbering gives the facts of messages their numbers.
type numbering map[int64]int

// next is the number of the next fact of a message.
func (n numbering) next(message int64) (memory.FactNumber, error) {
	part := n[message]
	if part > memory.MaxPart {
		return 0, fmt.Errorf("store a fact: message %d has more than %d", message, memory.MaxPart+1)
	}
	n[message]++
	return memory.NumberOf(message, part), nil
}

// factSource is the message that a fact gets its number, scope and time of recording
// from.
type factSource struct {
	id, scope int64
	recorded  time.Time
}

// keepChanges stores the changes that a step caused in memory.
func (t *tx) keepChanges(o owner.Owner, step *lineage.Step, scopes []written) error {
	if len(step.Messages) == 0 || len(step.Changes) == 0 {
		return nil
	}
	first := step.Messages[0].Seq
	from := func(f *memory.Fact) (factSource, bool) {
		at := f.Source.Seq - first
		if at < 0 || at >= int64(len(step.Messages)) {
			return factSource{}, false
		}
		m := &step.Messages[at]
		return factSource{m.ID, idOf(scopes, scopeOf(m)), m.RecordedAt}, true
	}
	numbers := make(numbering, len(step.Messages))
	for i := range step.Changes {
		if err := t.keepChange(o, &step.Changes[i], numbers, from); err != nil {
			return err
		}
	}
	return nil
}

// keepChange stores one change.
func (t *tx) keepChange(o owner.Owner, c *memory.Change, numbers numbering, from func(*memory.Fact) (factSource, bool)) error {
	marks := marksByNumber(c.Marks)
	for j := range c.Learned {
		f := &c.Learned[j]
		m, found := from(f)
		if !found {
			return fmt.Errorf("store fact %s: it quotes no message of its step", f.ID)
		}
		if err := t.insertFact(o, m, f, numbers, marks); err != nil {
			return err
		}
	}
	for j := range c.Superseded {
		f := &c.Superseded[j]
		links, err := linksOf(f)
		if err != nil {
			return err
		}
		if _, err := t.exec(supersedeFact, null(f.SupersededBy), millis(f.SupersededAt), links, o.ID(), string(f.Source.Root), f.Source.Seq,
			string(f.ID)); err != nil {
			return fmt.Errorf("supersede fact: %w", err)
		}
	}
	return t.markFacts(o, c.Marks, marks, make(touched)) // the step has raised the version
}

// marksByNumber are marks by the number of their fact.
func marksByNumber(list []memory.Mark) map[memory.FactNumber]*memory.Mark {
	if len(list) == 0 {
		return nil
	}
	marks := make(map[memory.FactNumber]*memory.Mark, len(list))
	for i := range list {
		marks[list[i].Number] = &list[i]
	}
	return marks
}

// markFacts stores the marks in rest: those of facts that are stored already.
func (t *tx) markFacts(o owner.Owner, list []memory.Mark, rest map[memory.FactNumber]*memory.Mark, scopes touched) error {
	for i := range list {
		m := &list[i]
		if rest[m.Number] != m {
			continue
		}
		section, weight := placeOf(m)
		var scope int64
		err := t.row(markFact, null(m.DoubtedBy), section, weight, int64(m.Number), o.ID()).Scan(&scope)
		if isNoRows(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("mark fact: %w", err)
		}
		scopes.add(scope, false)
	}
	return nil
}

// placeOf is the stored form of a mark's place on the shelf.
func placeOf(m *memory.Mark) (section, weight any) {
	if m.Section == memory.Nowhere {
		return nil, nil
	}
	return int64(m.Section), int64(m.Weight)
}

// linksOf are a fact's links in stored form.
func linksOf(f *memory.Fact) (any, error) {
	if len(f.Links) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(f.Links)
	if err != nil {
		return nil, fmt.Errorf("encode links: %w", err)
	}
	return string(text), nil
}

// insertFact stores a fact with its mark, and removes the mark from marks.
func (t *tx) insertFact(
	o owner.Owner, from factSource, f *memory.Fact, numbers numbering, marks map[memory.FactNumber]*memory.Mark,
) error {
	number, err := numbers.next(from.id)
	if err != nil {
		return err
	}
	links, err := linksOf(f)
	if err != nil {
		return err
	}
	statement := f.Statement
	if statement == f.Quote {
		statement = ""
	}
	mark := marks[number]
	delete(marks, number)
	if mark == nil {
		mark = &memory.Mark{Section: memory.Nowhere}
	}
	section, weight := placeOf(mark)
	src := &f.Source
	_, err = t.exec(insertFact, int64(number), o.ID(), from.scope, string(src.Root), src.Seq, string(f.ID), string(src.SessionID),
		string(f.Kind), string(src.Role), null(src.Speaker), f.Quote, src.Start, src.End, null(statement), null(f.Subject),
		null(f.Attribute), null(f.Value), null(f.Because), bound.Millis(f.SaidAt), bound.Millis(from.recorded), millis(f.When.From),
		millis(f.When.To), null(f.SupersededBy), millis(f.SupersededAt), links, null(mark.DoubtedBy), section, weight)
	if err != nil {
		return fmt.Errorf("insert fact: %w", err)
	}
	return nil
}

// unlinkFacts removes the links that lead to facts of a lineage, before they are erased: what is
// left is what a rebuild learns.
func (t *tx) unlinkFacts(o owner.Owner, root session.ID) error {
	const lost = ` (SELECT e.id FROM facts e WHERE e.owner_id = ?1 AND e.root_id = ?2 AND e.scope_id = f.scope_id)`
	const unlink = `UPDATE facts AS f SET links = (SELECT CASE WHEN count(*) > 0 THEN json_group_array(json(l.value)) END
			FROM json_each(f.links) l WHERE l.value ->> 'To' NOT IN` + lost + `)
		WHERE f.owner_id = ?1 AND f.root_id <> ?2 AND f.scope_id IN (SELECT scope_id FROM facts WHERE owner_id = ?1 AND root_id = ?2)
		AND json_valid(f.links) AND EXISTS (SELECT 1 FROM json_each(f.links) l WHERE l.value ->> 'To' IN` + lost + `)`
	if _, err := t.exec(unlink, o.ID(), string(root)); err != nil {
		return fmt.Errorf("unlink facts: %w", err)
	}
	return nil
}

// restoreFacts undoes the supersession by facts of a lineage before they are erased. If
// such a fact was itself superseded, its successor takes its place; otherwise the older
// fact holds again. Facts of several lineages meet only under a session key.
func (t *tx) restoreFacts(o owner.Owner, root session.ID) error {
	const restore = `UPDATE facts AS f SET (superseded_by, superseded_at) =
		(SELECT e.superseded_by, e.superseded_at FROM facts e
			WHERE e.owner_id = ?1 AND e.root_id = ?2 AND e.id = f.superseded_by)
		WHERE f.owner_id = ?1 AND f.root_id <> ?2
		AND f.scope_id IN (SELECT scope_id FROM facts WHERE owner_id = ?1 AND root_id = ?2)
		AND f.superseded_by IN (SELECT id FROM facts WHERE owner_id = ?1 AND root_id = ?2)`
	// Each pass shortens the chains by one fact. Chains have no cycles, but a damaged
	// file might, so the number of passes is bounded by the number of facts.
	var facts int64
	if err := t.row(`SELECT count(*) FROM facts WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root)).Scan(&facts); err != nil {
		return fmt.Errorf("count facts: %w", err)
	}
	for range facts {
		res, err := t.exec(restore, o.ID(), string(root))
		if err != nil {
			return fmt.Errorf("restore facts: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("restore facts: %w", err)
		}
		if n == 0 {
			break
		}
	}
	return nil
}
