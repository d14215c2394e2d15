package recall

import (
	"cmp"
	"context"
	_ "embed" // the fitted model
	"math"
	"slices"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

//go:embed members.txt
var membersText string

// membership tells how probable it is that a message belongs to the answer of a question
// that asks for several: its log odds.
var membership = fitted.MustParse(membersText, memberNames[:])

// The features of a message as a member of an answer. The seeds are the best messages.
// The others need not share a word with the question, but mostly with a seed: "Grafana
// is gone, PagerDuty is back" with "paging goes by PagerDuty".
const (
	mScore       = iota // score of its best passage, relative to the best of all
	mPlace              // its place in the order of the scores
	mCoverBest          // that, relative to the best
	mCosine             // cosine of its meaning and the question's
	mCosineBest         // that, relative to the best
	mSoft               // weight of the question's words, each times its nearest word
	mHeadSoft           // how near a word is to what is asked for
	mForm               // it has the form that the question asks for
	mNoForm             // it lacks it
	mNamesLacked        // share of the question's names that it lacks
	mAlike              // weight of words shared with the first seed
	mAlikeMore          // weight of words shared with the other seeds, at most
	mNear               // cosine of its meaning and the first seed's
	mLinked             // a link leads to a seed or from one
	mFact               // memory took an asserted fact from it
	mAsks               // it asks something
	mLong               // its length
	mOther              // it speaks of another person, the question of the speaker
	mOffSubject         // its subject is another than the question's
	mSuppose            // it supposes something
	mInSpan             // it is of the time asked about
	mOffSpan            // it is not
	mNovel              // what changed is asked for: how probably its fact is news
	mBack               // what was reversed is asked for, and its fact is as before
	mReplaces           // either is asked for, and its fact replaced another
	mDecides            // decisions are asked for, and its fact is one
	mOfReversed         // what is asked for
	mOfChanged
	mOfDecided
	mOfOrder
	mOfList
	mOfAbout
	mOfSome
	numMembers
)

// memberNames are the features in the weights file; never written.
var memberNames = [numMembers]string{
	"score", "place", "cover-best", "cosine", "cosine-best", "soft", "head-soft", "form", "no-form", "names-lacked",
	"alike", "alike-more", "near", "linked", "fact", "asks", "long",
	"other-person", "off-subject", "supposes",
	"in-span", "off-span", "novel", "back", "replaces", "decides", "of-reversed", "of-changed", "of-decided", "of-order", "of-list", "of-about", "of-some",
}

// MemberNames are the names of the features of members.
func MemberNames() []string { return memberNames[:] }

const (
	// seeds is how many messages stand for what the question is about, and spread how many
	// messages are looked for by the words of each. peers are the most probable members,
	// with which the others are compared.
	seeds, spread, peers = 3, 12, 8
)

// member is a message that may belong to the answer.
type member struct {
	passage // its best one
	facts   []memory.Fact
	odds    float32 // log odds that it belongs
	signs   [numMembers]float32
}

// members are the user's messages that may belong to the answer of a query about a topic,
// the most probable first.
func (p *query) members(ctx context.Context, ask *run.Question) ([]member, error) {
	q := p.on
	f, err := search(ctx, ask, q)
	if err != nil {
		return nil, err
	}
	q.weigh(f.found)
	known := map[memory.Place]bool{}
	for i := range f.found {
		known[f.found[i].place()] = true
	}
	var more []ranking.Hit
	add := func(h ranking.Hit) {
		if place := (memory.Place{Root: h.Root, Seq: h.Seq}); !known[place] {
			known[place] = true
			more = append(more, h)
		}
	}
	for _, seed := range bestOf(f.found, seeds) {
		for _, h := range ask.View.Search(ranking.Query{Text: seed.text, At: seed.saidAt, Limit: spread, Skip: ask.Own}) {
			add(h)
		}
	}
	if p.aim.byStatus() {
		of := map[memory.Place]bool{}
		for _, fact := range p.factsOf(ask, math.MaxInt) {
			if of[fact.Source.Place()] = true; len(of) > maxMessages {
				break
			}
			add(ranking.Hit{MessageID: fact.Source.MessageID, Root: fact.Source.Root, Seq: fact.Source.Seq})
		}
	}
	if err := f.readHits(ctx, more); err != nil {
		return nil, err
	}
	who := personsOf(ask, q)
	f.found = who.among(f.found)
	q.weigh(f.found)
	out := p.rate(ask.View, bestOf(f.found, maxPassages))
	for i := range out {
		out[i].widen(f.found)
	}
	return out, nil
}

// rate finds how probably each passage is a member. The second time, what it has in common
// with the probable members counts.
func (p *query) rate(view *memory.View, passages []passage) []member {
	out := make([]member, len(passages))
	for i := range passages {
		m := &out[i]
		m.passage, m.odds = passages[i], passages[i].score-passages[0].score
		if m.fact != nil {
			m.facts = view.FactsOf(m.fact.Source.MessageID)
		}
	}
	p.on.measureMembers(out, rarities(out))
	for i := range out {
		p.measureAim(view, &out[i])
		out[i].odds = membership.Score(out[i].signs[:])
	}
	slices.SortStableFunc(out, func(a, b member) int { return cmp.Compare(b.odds, a.odds) })
	return out
}

// widen makes the passage the whole message, if that is short.
func (m *member) widen(found []passage) {
	for i := range found {
		if p := &found[i]; p.whole && !p.asks && p.place() == m.place() {
			m.text, m.start, m.end = p.text, p.start, p.end
			return
		}
	}
}

// place is where the message of a passage stands.
func (p *passage) place() memory.Place { return memory.Place{Root: p.root, Seq: p.seq} }

// bestOf are the best passages of different messages that the user said.
func bestOf(found []passage, limit int) []passage {
	var out []passage
	known := map[memory.Place]bool{}
	for i := range found {
		p := &found[i]
		if p.role != session.User || known[p.place()] {
			continue
		}
		if len(out) == limit {
			break
		}
		known[p.place()] = true
		out = append(out, *p)
	}
	return out
}

// measureMembers sets the features of members in the order of their scores.
func (q *question) measureMembers(all []member, rare map[string]float32) {
	if len(all) == 0 {
		return
	}
	first, best := &all[0].passage, all[0].score
	for i := range all {
		best = max(best, all[i].score)
	}
	for i := range all {
		m := &all[i]
		p, v := &m.passage, &m.signs
		has := p.values
		v[mScore] = max(-2, (p.score-best)/5)
		v[mPlace] = 1 / float32(1+i)
		v[mCoverBest] = has[fBest]
		v[mCosine], v[mCosineBest], v[mSoft] = has[fCosine], has[fCosineBest], has[fSoft]
		v[mHeadSoft] = max(has[fHead], has[fHeadSoft])
		v[mForm] = max(has[fPerson], has[fPlace], has[fTime], has[fNumber], has[fAmount])
		v[mNoForm] = max(has[fNoPerson], has[fNoPlace], has[fNoTime], has[fNoNumber], has[fNoAmount])
		v[mNamesLacked], v[mAsks], v[mLong] = has[fNames], has[fAsks], has[fLong]
		v[mAlike], v[mNear] = p.alike(first, rare), max(0, p.vec.Cosine(&first.vec))
		for k := range all[:min(peers, len(all))] {
			if k == i {
				continue
			}
			o := &all[k]
			sure := o.probability()
			v[mAlikeMore] = max(v[mAlikeMore], sure*p.alike(&o.passage, rare))
			if m.linked(o) {
				v[mLinked] = max(v[mLinked], sure)
			}
		}
		v[mOther], v[mOffSubject], v[mSuppose] = has[fOther], has[fOffSubject], has[fSuppose]
		v[mFact] = truth(p.fact != nil && p.fact.Kind.Asserted())
		if i == 0 {
			v[mAlike], v[mNear] = 0, 0
		}
	}
}

// measureAim sets the features of what is asked for.
func (p *query) measureAim(view *memory.View, m *member) {
	v := &m.signs
	for _, of := range [...]struct {
		aim     aim
		feature int
	}{{aimReversed, mOfReversed}, {aimChanged, mOfChanged}, {aimDecided, mOfDecided}, {aimOrder, mOfOrder}, {aimList, mOfList}, {aimAbout, mOfAbout}, {aimSome, mOfSome}} {
		v[of.feature] = truth(p.aim == of.aim)
	}
	in := p.span.has(m.saidAt)
	if m.fact != nil {
		in = p.covers(m.fact)
		news := view.NewsOf(m.fact.ID)
		turn := p.aim == aimChanged || p.aim == aimReversed
		v[mReplaces] = truth(turn && replaces(m.fact))
		v[mBack] = truth(p.aim == aimReversed && news&memory.Returned != 0)
		v[mDecides] = truth(p.aim == aimDecided && settles(m.fact))
		if p.aim == aimChanged || p.aim == aimHappened {
			v[mNovel] = fitted.Probability(novelty.Score(NewsValues(m.fact, news)))
		}
	}
	if p.span != (span{}) {
		v[mInSpan], v[mOffSpan] = truth(in), truth(!in)
	}
}

// rarities is how rare each stem is among messages: 1 in one of them, 0 in all.
func rarities(all []member) map[string]float32 {
	holders := map[string]int{}
	for i := range all {
		words := all[i].words
		for k := range words {
			if w := &words[k]; !w.stop && !slices.ContainsFunc(words[:k], func(b word) bool { return b.stem == w.stem }) {
				holders[w.stem]++
			}
		}
	}
	out := make(map[string]float32, len(holders))
	whole := math.Log(float64(len(all)) + 1)
	for stem, n := range holders {
		out[stem] = float32(1 - math.Log(float64(n))/whole)
	}
	return out
}

// alike is the weight of the content words that two passages share, up to 1.
func (p *passage) alike(o *passage, rare map[string]float32) float32 {
	sum := float32(0)
	for i := range p.words {
		w := &p.words[i]
		if w.stop || slices.ContainsFunc(p.words[:i], func(b word) bool { return b.stem == w.stem }) {
			continue
		}
		if slices.ContainsFunc(o.words, func(b word) bool { return !b.stop && b.stem == w.stem }) {
			sum += float32(weightOf(w) * rare[w.stem])
		}
	}
	return min(1, sum/2)
}

// linked reports whether a link leads from a fact of one member to one of the other's.
func (m *member) linked(o *member) bool {
	to := func(a, b []memory.Fact) bool {
		return slices.ContainsFunc(a, func(f memory.Fact) bool {
			return slices.ContainsFunc(f.Links, func(l memory.Link) bool {
				return slices.ContainsFunc(b, func(g memory.Fact) bool { return g.ID == l.To })
			})
		})
	}
	return to(m.facts, o.facts) || to(o.facts, m.facts)
}

// Member is a message that may belong to the answer of a question that asks for several.
type Member struct {
	Seq    int64
	Values []float32
}

// Members are the messages that may belong to the answer of a question about memory that
// names a topic, the most probable first, and the signs that there is an answer among them.
// The weights of the models of members and topics are fitted to what it returns.
func Members(ctx context.Context, ask *run.Question, text string) ([]Member, []float32, error) {
	q := readQuery(text, ask.Now)
	if q == nil || q.bare() {
		return nil, nil, nil
	}
	if err := q.anchored(ctx, ask); err != nil {
		return nil, nil, err
	}
	found, err := q.members(ctx, ask)
	var out []Member
	for i := range found {
		out = append(out, Member{Seq: found[i].seq, Values: found[i].signs[:]})
	}
	return out, q.topicSigns(found), err
}
