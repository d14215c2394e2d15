package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// maxMessages is how many messages are read for a question.
	maxMessages = 48
	// maxRead bounds the text that is read of them, in bytes.
	maxRead = 128 << 10
	// maxPassage is the longest passage, in bytes; longer sentences are data.
	maxPassage = 1000
	// maxWhole is the longest message that is a passage of its own, in bytes.
	maxWhole = 320
	// maxUnread is the most sentences of a message that are all passages.
	maxUnread = 48
	// maxPassages bounds the passages of a question.
	maxPassages = 384
)

// finder gathers the passages that may answer one question.
type finder struct {
	ask   *run.Question
	q     *question
	left  int // bytes that may still be read
	found []passage
}

// find returns the passages that may answer a question, without scores.
func find(ctx context.Context, ask *run.Question, q *question) ([]passage, error) {
	f, err := search(ctx, ask, q)
	return f.found, err
}

// search looks for the passages that may answer a question.
func search(ctx context.Context, ask *run.Question, q *question) (*finder, error) {
	f := &finder{ask: ask, q: q, left: maxRead}
	if ask.View == nil || ask.Quotes == nil {
		return f, nil
	}
	hits := ask.View.Search(ranking.Query{Text: q.text, At: q.at, Limit: maxMessages, Skip: ask.Own})
	if len(hits) > 0 {
		q.sure = fitted.Probability(float32(hits[0].Score))
	}
	if err := f.readHits(ctx, hits); err != nil {
		return f, err
	}
	f.fillers()
	f.ofTime()
	f.successors()
	who := personsOf(ask, q)
	f.found = who.among(f.found)
	for i := range f.found {
		p := &f.found[i]
		p.turns = p.fact != nil && ask.View.NewsOf(p.fact.ID)&overtaking != 0
	}
	return f, nil
}

// readHits adds the passages of the messages of a search.
func (f *finder) readHits(ctx context.Context, hits []ranking.Hit) error {
	docs, err := f.ask.Quotes(ctx, placesOf(hits))
	if err != nil {
		return fmt.Errorf("read messages to quote: %w", err)
	}
	at := make(map[memory.Place]*ranking.Document, len(docs))
	for i := range docs {
		at[memory.Place{Root: docs[i].Root, Seq: docs[i].Seq}] = &docs[i]
	}
	best := float64(1e-6)
	if len(hits) > 0 {
		best = max(best, hits[0].Score)
	}
	for rank, h := range hits {
		d := at[memory.Place{Root: h.Root, Seq: h.Seq}]
		if d == nil || d.Role == session.System || ours(d.Role, d.Text) {
			continue
		}
		p := passage{root: d.Root, seq: d.Seq, role: d.Role, speaker: d.Speaker, saidAt: d.SaidAt, rank: rank, hit: float32(h.Score / best)}
		f.message(d, p, at[memory.Place{Root: h.Root, Seq: h.Seq - 1}])
	}
	return nil
}

// successors adds what replaced the facts found, newest last: it need not share a word
// with the question.
func (f *finder) successors() {
	for i := 0; i < len(f.found) && len(f.found) < maxPassages; i++ {
		p := f.found[i]
		if p.fact == nil || p.fact.Current() {
			continue
		}
		next, known := f.ask.View.Fact(p.fact.SupersededBy)
		if !known || next.Kind == memory.Retraction || unsayable(&next) {
			continue
		}
		o := ofFact(&next)
		o.rank, o.hit, o.heir = p.rank, p.hit, true
		o.near = append(append(o.near, p.near...), p.words...)
		if at := slices.IndexFunc(f.found, func(have passage) bool {
			return have.root == o.root && have.seq == o.seq && have.start <= o.start && o.end <= have.end
		}); at >= 0 {
			f.found[at].near = append(f.found[at].near[:len(f.found[at].near):len(f.found[at].near)], p.words...)
			f.found[at].heir = true
			continue
		}
		o.read()
		f.found = append(f.found, o)
	}
}

// placesOf are the places of the hits, and of the message before each.
func placesOf(hits []ranking.Hit) []memory.Place {
	out := make([]memory.Place, 0, 2*len(hits))
	listed := make(map[memory.Place]bool, 2*len(hits))
	for _, h := range hits {
		for _, seq := range [...]int64{h.Seq, h.Seq - 1} {
			if p := (memory.Place{Root: h.Root, Seq: seq}); seq >= 0 && !listed[p] {
				listed[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// ours reports whether a message is an earlier answer of this responder. Quoting quotes
// is useless.
func ours(role session.Role, text string) bool {
	return role == session.Assistant && strings.HasPrefix(text, mark)
}

// message adds the passages of one message. base has what they share.
func (f *finder) message(d *ranking.Document, base passage, before *ranking.Document) {
	text := d.Text
	if len(text) > f.left {
		text = strings.ToValidUTF8(text[:f.left], "")
	}
	f.left -= len(text)
	var sentences []language.Sentence
	for _, s := range language.Sentences(text) {
		if !s.Code && s.End-s.Start <= maxPassage {
			sentences = append(sentences, s)
		}
	}
	if len(sentences) == 0 {
		return
	}
	facts := f.ask.View.FactsOf(d.MessageID)
	base.near = answered(before)
	if whole := wordsOf(text); len(text) <= maxPassage {
		base.near = append(base.near, whole...)
	}
	met := f.met(text, sentences)
	for i, s := range sentences {
		if met(i) && !s.Quoted {
			f.add(base, text, s.Start, s.End, facts)
		}
	}
	first, last := sentences[0], sentences[len(sentences)-1]
	switch {
	case len(sentences) == 1:
	case last.End-first.Start <= maxWhole:
		base.whole = true
		f.add(base, text, first.Start, last.End, facts)
	default:
		for i := range sentences[1:] {
			s, next := sentences[i], sentences[i+1]
			read, quoted := met(i) || met(i+1), s.Quoted || next.Quoted
			if read && !quoted && next.End-s.Start <= maxWhole {
				f.add(base, text, s.Start, next.End, facts)
			}
		}
	}
}

// met tells which sentences of a message are read for the question: all of a message with few,
// and of a long one those with a word of the question. Otherwise the beginning of a long message
// would take the place of what answers.
func (f *finder) met(text string, sentences []language.Sentence) func(int) bool {
	all := func(int) bool { return true }
	if len(sentences) <= maxUnread {
		return all
	}
	met, any := make([]bool, len(sentences)), false
	for i, s := range sentences {
		met[i] = slices.ContainsFunc(wordsOf(text[s.Start:s.End]), func(w word) bool { return f.q.has(w.stem) })
		any = any || met[i]
	}
	if !any {
		return all
	}
	return func(i int) bool { return met[i] }
}

// answered are the words of the question at the end of the message before; nil if that
// asks nothing.
func answered(before *ranking.Document) []word {
	if before == nil || ours(before.Role, before.Text) || !marked(before.Text) {
		return nil
	}
	pieces := language.Sentences(before.Text)
	if len(pieces) == 0 {
		return nil
	}
	last := pieces[len(pieces)-1]
	return wordsOf(before.Text[last.Start:min(last.End, last.Start+maxPassage)])
}

// add makes a passage of a part of a message.
func (f *finder) add(p passage, text string, start, end int, facts []memory.Fact) {
	if len(f.found) == maxPassages {
		return
	}
	p.start, p.end = start, end
	for i := range facts {
		if s := facts[i].Source; s.Start < end && start < s.End && (p.fact == nil || s.End-s.Start > p.fact.Source.End-p.fact.Source.Start) {
			p.fact = &facts[i]
		}
	}
	if p.fact != nil && p.fact.Kind == memory.Retraction || f.unsaid(text, start, end, facts) {
		return
	}
	if p.asks = asks(text[p.start:p.end]) || p.role == session.User && demands(text[p.start:p.end]); p.asks {
		if !p.statesInPassing(text) {
			return
		}
	}
	p.text = secret.Mask(text[p.start:p.end])
	p.read()
	f.found = append(f.found, p)
}

// statesInPassing narrows a passage that asks to what it states: to its fact, or to the
// clause before the question, as in "We're on Kafka 3.7, how do I tune it?". It reports
// whether there is any.
func (p *passage) statesInPassing(text string) bool {
	if p.fact != nil && tellable(p.fact.Kind) {
		p.start, p.end = p.fact.Source.Start, p.fact.Source.End
		return true
	}
	clause, _, found := strings.Cut(text[p.start:p.end], ", ")
	if !found || len(strings.Fields(clause)) < 3 || asks(clause) || isTask(clause) {
		return false
	}
	p.end = p.start + len(clause)
	return true
}

// unsaid reports whether the user took back or erased a part of a passage.
func (f *finder) unsaid(text string, start, end int, facts []memory.Fact) bool {
	return mention.Erased(text[start:end]) || slices.ContainsFunc(facts, func(fact memory.Fact) bool {
		return fact.Source.Start < end && start < fact.Source.End && withdrawn(f.ask.View, &fact)
	})
}

// withdrawn reports whether the user took a fact back.
func withdrawn(view *memory.View, fact *memory.Fact) bool {
	if fact.Current() {
		return false
	}
	_, taken := steps(view, *fact)
	return taken
}

// partlyUnsaid reports whether the user took back or erased a part of a message.
func partlyUnsaid(view *memory.View, d *ranking.Document) bool {
	return mention.Erased(d.Text) || slices.ContainsFunc(view.FactsOf(d.MessageID), func(f memory.Fact) bool {
		return f.Kind == memory.Retraction || withdrawn(view, &f)
	})
}
