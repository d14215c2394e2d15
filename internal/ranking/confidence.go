package ranking

// A logistic model of whether a scope holds the answer, learnt by
// `go run ./bench/memory locomo -train` on the same questions as the weights, with
// LoCoMo's adversarial ones against them; left out of training, a conversation's
// questions are told apart with an AUC of .88.
const (
	surelyNamed  = 1.53 // a question that names a speaker, before the rest
	surelyMargin = 0.97 // how far that speaker's best message leads the others' best
	surelyOpen   = 0.08 // a question that names no person
	surelyScore  = 0.40 // the best score, if no person is named
)

// confidence is added to every hit of a search, so that the first hit's score is about
// the logarithm of the odds that the scope holds an answer.
//
// The sign of an unanswerable question is that its words were said, but by another
// person than the one it asks about.
func (x *Index) confidence(q *question, ranked []candidate) float32 {
	if len(ranked) == 0 {
		return 0
	}
	top := ranked[0].score
	var asked, others float32
	rivals := false
	for i := range ranked {
		c := &ranked[i]
		switch {
		case c.features[fSpeaker] > 0:
			asked = max(asked, c.score-weights[fSpeaker])
		case c.features[fOther] > 0:
			others = max(others, c.score-weights[fOther])
			rivals = true
		}
	}
	if len(q.speakers) == 0 || !rivals {
		return surelyOpen + surelyScore*top - top
	}
	return surelyNamed + surelyMargin*(asked-others) - top
}
