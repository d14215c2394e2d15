package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// The answers to questions about memory that find nothing.
const (
	noChange   = "I was told of no change."
	noReversal = "I was told of no reversal."
	noDecision = "I was told of no decision."
	noEvent    = "I was told of nothing from that time."
)

// status is a state of facts: what a question without a topic asks for.
type status struct {
	// odds are the log odds that a fact belongs to the answer. Those below zero only fill an
	// answer about a time.
	odds    func(*memory.Fact, memory.News) float32
	nothing string // said if no fact does; "" leaves the question to passages
}

// statuses are the states by what is asked for; never written.
var statuses = [...]status{
	aimReversed: {reversedOdds, noReversal},
	aimChanged:  {changedOdds, noChange},
	aimDecided:  {kindOdds(settles), noDecision},
	aimHappened: {kindOdds(holds), noEvent},
	aimOrder:    {kindOdds(func(f *memory.Fact) bool { return holds(f) && (f.Kind == memory.Event || !f.When.IsZero()) }), ""},
	aimList:     {kindOdds(holds), ""},
	aimAbout:    {worthOdds, ""},
	aimCount:    {},
	aimLast:     {},
	aimSome:     {},
	aimSelf:     {kindOdds(holds), ""},
	aimSaid:     {kindOdds(func(f *memory.Fact) bool { return f.Kind.Asserted() }), ""}, // what was replaced since was said, too
}

// never are the odds of a fact that does not belong to an answer at all.
const never = -100

// holds takes all that is so.
func holds(f *memory.Fact) bool { return f.Kind.Asserted() && f.Current() }

// settles takes decisions: those that memory knows, and statements with such a word.
func settles(f *memory.Fact) bool {
	return f.Kind == memory.Decision || f.Kind.Asserted() && decides(f.Quote)
}

// replaces takes facts that replaced others.
func replaces(f *memory.Fact) bool {
	return slices.ContainsFunc(f.Links, func(l memory.Link) bool { return l.Kind == memory.Supersedes })
}

// kindOdds takes facts that pass, all alike.
func kindOdds(passes func(*memory.Fact) bool) func(*memory.Fact, memory.News) float32 {
	return func(f *memory.Fact, _ memory.News) float32 { return truth(passes(f)) - 0.5 }
}

// changedOdds orders what holds by how probably it is news.
func changedOdds(f *memory.Fact, n memory.News) float32 {
	const probably = 0.5 // above the odds of a statement without any sign of a change
	if !holds(f) {
		return never
	}
	return novelty.Score(NewsValues(f, n)) + probably
}

// reversedOdds takes facts that replaced others, and those by which something is again as
// it was, if they also have another sign of a change.
func reversedOdds(f *memory.Fact, n memory.News) float32 {
	back := n&memory.Returned != 0 && f.Kind.Asserted()
	changes := len(f.Links) > 0 || f.Kind == memory.Decision || n&memory.Turned != 0
	switch {
	case !f.Current():
	case back && changes:
		return 1
	case replaces(f):
		return 0
	}
	return never
}

// takenBack reports whether a fact that replaced others, by itself, is a change of mind
// rather than a new value.
func takenBack(view *memory.View, f *memory.Fact) bool {
	if view.NewsOf(f.ID)&memory.Returned != 0 {
		return true
	}
	chain, _ := steps(view, *f)
	return turns(chain)
}

// worthOdds takes all that holds, what says most about the user first.
func worthOdds(f *memory.Fact, _ memory.News) float32 {
	if !holds(f) {
		return never
	}
	switch f.Kind {
	case memory.Identity:
		return 4
	case memory.Instruction, memory.Preference:
		return 3
	case memory.Decision:
		return 2
	case memory.Event:
		return 0
	}
	return 1
}

// answer finds what answers the question.
func (q *question) answer(ctx context.Context, ask *run.Question) (choice, error) {
	if c, ok := q.ofSpeaker(ask); ok {
		return c, nil
	}
	foreign := len(q.calendar) > 0 // memory knows no slots of such statements
	if foreign {
		if c, err := q.ofSelf(ctx, ask); err != nil || c.kind == run.RecallSure {
			return c, err
		}
	}
	c, err := q.ofMemory(ctx, ask)
	switch {
	case err == nil && foreign:
		return c.exactly(q), nil
	case err != nil || c.kind == run.RecallSure:
		return c, err
	}
	if own, err := q.ofSelf(ctx, ask); err != nil || own.kind == run.RecallSure {
		return own, err
	}
	return c, nil
}

// ofMemory finds what answers the question by its aim or its words.
func (q *question) ofMemory(ctx context.Context, ask *run.Question) (choice, error) {
	if p := readQuery(q.text, q.at); p != nil && ask.View != nil {
		if c, err := p.answer(ctx, ask); err != nil || c.kind != run.RecallNone {
			return c, err
		}
	}
	found, err := find(ctx, ask, q)
	if err != nil {
		return choice{}, err
	}
	q.weigh(found)
	return q.choose(found).heldToo(ask, q, found).overtaken(ask, found), nil
}

const (
	// maxPlanned bounds the lines of an answer to a question about memory.
	maxPlanned = 20
	// belongs is the probability from which a message is told as a member of an answer. A
	// list that lacks a part is worth less than one with a line too many.
	belongs = 0.1
	// maxUnsure bounds the lines of an answer that is not sure.
	maxUnsure = 5
)

// answer answers a query. RecallNone leaves the question to passages.
func (p *query) answer(ctx context.Context, ask *run.Question) (choice, error) {
	if err := p.anchored(ctx, ask); err != nil {
		return choice{}, err
	}
	if p.bare() {
		return p.ofStatus(ctx, ask)
	}
	found, err := p.members(ctx, ask)
	if err != nil {
		return choice{}, err
	}
	c := p.choose(found)
	if c.kind != run.RecallNone || !p.aim.byStatus() || p.span == (span{}) {
		return c, nil
	}
	then := query{aim: aimHappened, on: p.on, span: p.span}
	if c, err = then.ofStatus(ctx, ask); c.kind == run.RecallSure && c.nothing == "" {
		older := max(0, len(c.passages)-maxUnsure)
		c.kind, c.passages, c.scores = run.RecallUnsure, c.passages[older:], c.scores[older:] // of the time, not of the topic
		return c, err
	}
	return choice{kind: run.RecallNone}, err
}

// probability is that of a member.
func (m *member) probability() float32 { return fitted.Probability(m.odds) }

// choose makes an answer of the members of a topic.
func (p *query) choose(found []member) choice {
	if p.on.unnamed(found) {
		return choice{kind: run.RecallNone}
	}
	c := choice{kind: run.RecallUnsure, aim: p.aim}
	most := maxUnsure
	if fitted.Probability(topicality.Score(p.topicSigns(found))) >= surely {
		c.kind, most = run.RecallSure, maxPlanned
	}
	n := 0
	for n < min(len(found), most) && found[n].probability() >= belongs {
		n++
	}
	if found = found[:n]; n == 0 {
		return choice{kind: run.RecallNone}
	}
	slices.SortStableFunc(found, func(a, b member) int { return a.before(&b.passage) })
	if p.aim == aimLast {
		found = found[n-1:]
	}
	for i := range found {
		c.passages = append(c.passages, found[i].passage)
		c.scores = append(c.scores, found[i].probability())
	}
	return c
}

// unnamed reports whether a question has names and no message has any of them: nothing was
// told of them.
func (q *question) unnamed(found []member) bool {
	return slices.ContainsFunc(q.words, func(w wanted) bool { return w.name }) &&
		!slices.ContainsFunc(found, func(m member) bool { return m.values[fNames] < 1 })
}

// anchored sets the time of a query that counts from an event to when the event was told.
func (p *query) anchored(ctx context.Context, ask *run.Question) error {
	if p.anchor == "" || ask.View == nil {
		return nil
	}
	q := readQuestion(p.anchor, p.on.at)
	found, err := find(ctx, ask, q)
	if err != nil || len(found) == 0 {
		return err
	}
	q.weigh(found)
	const known = 0.5 // of the weight of the event's words
	if best := bestOf(found, 1); len(best) > 0 && best[0].covered() >= known {
		p.span.from = best[0].saidAt
	}
	return nil
}

// ofStatus answers a query without a topic by the facts of its status and time.
func (p *query) ofStatus(ctx context.Context, ask *run.Question) (choice, error) {
	s := &statuses[p.aim]
	if s.odds == nil || p.aim == aimHappened && p.span == (span{}) {
		return choice{kind: run.RecallNone}, nil
	}
	c := choice{kind: run.RecallSure, aim: p.aim}
	for _, f := range p.factsOf(ask, maxPlanned) {
		c.passages = append(c.passages, ofFact(&f))
	}
	more, err := p.messagesOfTime(ctx, ask)
	if c.passages = append(c.passages, more...); err != nil {
		return c, err
	}
	if len(c.passages) == 0 && s.nothing != "" {
		return choice{kind: run.RecallSure, nothing: s.nothing}, nil
	}
	if len(c.passages) == 0 {
		c.kind = run.RecallNone
	}
	c.passages = inOrder(c.passages)
	if err := widen(ctx, ask, c.passages); err != nil {
		return c, err
	}
	c.passages = oncePerMessage(c.passages)
	c.scores = slices.Repeat([]float32{1}, len(c.passages))
	return c, nil
}

// oncePerMessage leaves one passage of each message that is quoted whole.
func oncePerMessage(passages []passage) []passage {
	told := map[memory.Place]bool{}
	return slices.DeleteFunc(passages, func(p passage) bool {
		again := told[p.place()]
		told[p.place()] = again || p.whole
		return again
	})
}

// isTold reports whether a fact was told: by a person, or by another program whose memories were imported.
func isTold(f *memory.Fact) bool {
	return f.Source.Role == session.User || f.Source.OfProgram()
}

// factsOf are the facts of the query's status and time, the most probable and newest first.
func (p *query) factsOf(ask *run.Question, limit int) []memory.Fact {
	odds := map[memory.FactID]float32{}
	who := personsOf(ask, p.on)
	facts := ask.View.Pick(func(f *memory.Fact, news func() memory.News) bool {
		if !isTold(f) || !p.covers(f) || ofTurn(ask, f) || marked(f.Quote) {
			return false
		}
		odds[f.ID] = statuses[p.aim].odds(f, news())
		return odds[f.ID] > never
	})
	facts = slices.DeleteFunc(facts, func(f memory.Fact) bool { return who.silentOn(ask.View, &f) })
	if p.aim == aimSelf {
		facts = slices.DeleteFunc(facts, func(f memory.Fact) bool { return !who.introduces(&f) })
	}
	if p.aim == aimReversed {
		facts = slices.DeleteFunc(facts, func(f memory.Fact) bool { return !takenBack(ask.View, &f) })
	}
	slices.SortStableFunc(facts, func(a, b memory.Fact) int {
		return cmp.Or(cmp.Compare(odds[b.ID], odds[a.ID]), b.SaidAt.Compare(a.SaidAt))
	})
	n := min(len(facts), limit)
	for n > 0 && odds[facts[n-1].ID] < 0 && p.span == (span{}) {
		n--
	}
	return facts[:n]
}

// widen makes passages of facts the whole of their messages, if those are short.
func widen(ctx context.Context, ask *run.Question, passages []passage) error {
	if ask.Quotes == nil {
		return nil
	}
	var places []memory.Place
	for i := range passages {
		places = append(places, passages[i].place())
	}
	docs, err := ask.Quotes(ctx, places)
	if err != nil {
		return fmt.Errorf("read messages to quote: %w", err)
	}
	for i := range docs {
		d := &docs[i]
		if len(d.Text) > maxWhole || asks(d.Text) || partlyUnsaid(ask.View, d) {
			continue
		}
		for k := range passages {
			if p := &passages[k]; p.place() == (memory.Place{Root: d.Root, Seq: d.Seq}) {
				p.text, p.start, p.end, p.whole = secret.Mask(d.Text), 0, len(d.Text), true
			}
		}
	}
	return nil
}
