package ranking

import (
	"cmp"
	"slices"
	"strings"
)

// featureNames are the names shown to people; never written.
var featureNames = [numFeatures]string{
	fWindow: "window", fWindowBest: "best window", fOwnBest: "words", fCoverage: "coverage",
	fBefore: "before", fAnswer: "answer", fEpisode: "session", fOpening: "opening",
	fSpeaker: "speaker", fOther: "other speaker", fBoth: "both speakers",
	fSelf: "first person", fDate: "date", fSaid: "said at", fTime: "time", fNumber: "number",
	fPerson: "person", fPlace: "place", fThing: "name", fTitle: "title", fAsking: "asking", fLength: "length",
	fRare:    "rare words",
	fSubject: "subject", fLeads: "leads",
	fWhenBest: "best window (when)", fWhenOwn: "words (when)", fWhenEpisode: "session (when)",
	fManyWindow: "window (several)", fManyOwn: "words (several)",
	fManyLength: "length (several)", fManyRare: "rare words (several)", fManyOpening: "opening (several)",
	fDeed: "verbs", fResembles: "resemblance",
	fMeaning: "meaning", fMeaningBest: "best meaning", fMeaningBefore: "meaning before",
	fWhenMeaning: "meaning (when)", fManyMeaning: "meaning (several)", fRequest: "request",
}

// explain breaks a score down, weightiest part first.
func (x *Index) explain(q *question, c *candidate, confidence float32) []Reason {
	out := make([]Reason, 0, numFeatures)
	for i, v := range c.features {
		if share := v * x.model().weights[i]; v != 0 {
			out = append(out, Reason{Feature: featureNames[i], Value: float64(v), Weight: float64(share), Detail: x.detail(i, q, c)})
		}
	}
	slices.SortStableFunc(out, func(a, b Reason) int {
		return cmp.Compare(max(b.Weight, -b.Weight), max(a.Weight, -a.Weight))
	})
	return append(out, Reason{Feature: "confidence", Value: 1, Weight: float64(confidence), Detail: "the same for all hits"})
}

// detail describes the basis of a feature.
func (x *Index) detail(feature int, q *question, c *candidate) string {
	switch feature {
	case fWindow, fOwnBest:
		var words []string
		for i := range q.terms {
			if c.matched&(1<<i) != 0 {
				words = append(words, q.terms[i].text)
			}
		}
		return strings.Join(words, ", ")
	case fSpeaker, fOther:
		return x.names.list[c.speaker]
	}
	return ""
}
