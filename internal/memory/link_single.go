package memory

import (
	_ "embed" // the weights
	"sync"

	"github.com/hermes-memory/hermes/internal/fitted"
)

// singleFeature is a feature of two statements of what, when, where or how much one thing is. A thing has one such value
// of a sort at a time, and a plain statement of another one ends the older.
type singleFeature uint8

const (
	otherValue   singleFeature = iota // both give one definite thing a value of one sort, and another one
	besideValue                       // both give one definite thing a value, and both can hold
	placeWithin                       // the same, and one may be a place within the other
	otherThing                        // they give values to different things, or with different verbs
	oneOfSeveral                      // there may be several of the newer statement's things
	numSingleFeatures
)

// singleFeatureNames are the names of the features in the file of weights; never written.
var singleFeatureNames = [numSingleFeatures]string{
	"other-value", "beside-value", "place-within", "other-thing", "one-of-several",
}

// SingleFeatures are the names of the features of [LinkPair.Single].
func SingleFeatures() []string { return singleFeatureNames[:] }

// singleValues are the values of the features of one pair.
type singleValues [numSingleFeatures]float32

// compared reports whether the features say more than the forest knows.
func (v *singleValues) compared() bool {
	return v[otherValue]+v[besideValue]+v[otherThing]+v[oneOfSeveral] > 0
}

func (v *singleValues) when(f singleFeature, holds bool) {
	if holds {
		v[f] = 1
	}
}

//go:embed single.txt
var singleWeights string

// singleModel gives the logarithm of the odds that a newer statement of a value ends an older one. It is read at first
// use: the weights are fitted without it.
var singleModel = sync.OnceValue(func() *fitted.Model {
	m := fitted.MustParse(singleWeights, singleFeatureNames[:])
	return &m
})

// compareSingle sets the features of a candidate's value and the newer one. A word of change decides by itself whether what
// is so of another thing, of one of several or of a wider place has ended.
func (s *State) compareSingle(c *candidate, by *record, now *valuation) {
	v, turned := &c.single, s.signature(by).cues.any(turnCues)
	if now.thing != 0 && c.values[sharedOfNewer]+c.values[sameSlot] > 0 && !sameMessage(&c.fact.Source, &by.Source) {
		was := s.valuationOf(&c.fact.Fact)
		v.compare(&was, now, turned)
	}
	v.when(oneOfSeveral, now.several && !turned && v[otherValue]+c.values[sameSlot] > 0)
}

// sameMessage reports whether two statements are of one message: what is told together holds at once.
func sameMessage(a, b *Source) bool { return a.Root == b.Root && a.Seq == b.Seq }

// compare sets the features of two valuations.
func (v *singleValues) compare(was, now *valuation, turned bool) {
	switch {
	case was.thing == 0:
	case was.thing != now.thing:
		v.when(otherThing, !turned && otherThan(was, now))
	case now.otherValue(was):
		v[otherValue] = 1
		v.when(placeWithin, !turned && now.within(was))
	default:
		v.when(besideValue, !turned && !now.saysMore(was))
	}
}

// score is the logarithm of the odds that a new fact ends the candidate, and whether it reaches those from which it
// perhaps does.
func (c *candidate) score(forest *fitted.Forest) (score float32, reached bool) {
	if !c.single.compared() {
		return forest.Reach(c.values[:], perhapsScore)
	}
	score = singleModel().Score(c.single[:])
	return score, score >= perhapsScore
}
