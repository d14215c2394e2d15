package ranking

import (
	"cmp"
	"slices"
	"strings"
)

// featureNames are the names shown to people; never written.
var featureNames = [numFeatures]string{
	fWindow: "window", fOwn: "words", fCoverage: "coverage", fRarest: "rarest", fSpeaker: "speaker",
	fSpeakerWord: "speaker words", fOther: "other speaker", fEpisode: "session", fDate: "date", fSaid: "said at",
	fTime: "time", fNumber: "number", fPerson: "person", fPlace: "place", fAsking: "asking", fAnswer: "answer",
	fLength: "length", fSelf: "first person", fRole: "role", fOpening: "opening", fBefore: "before", fAfter: "after",
}

// explain takes a score apart, the weightiest part first.
func (x *Index) explain(q *question, c *candidate) []Reason {
	var out []Reason
	for i, v := range c.features {
		if share := v * weights[i]; share != 0 {
			out = append(out, Reason{Feature: featureNames[i], Value: float64(v), Weight: float64(share), Detail: q.detail(i, c)})
		}
	}
	slices.SortStableFunc(out, func(a, b Reason) int {
		return cmp.Compare(max(b.Weight, -b.Weight), max(a.Weight, -a.Weight))
	})
	return out
}

// detail names what a feature rests on.
func (q *question) detail(feature int, c *candidate) string {
	if feature != fOwn && feature != fWindow {
		return ""
	}
	var words []string
	for i, t := range q.terms {
		if c.matched&(1<<i) != 0 {
			words = append(words, t.text)
		}
	}
	return strings.Join(words, ", ")
}
