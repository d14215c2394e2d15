package ranking

// A logistic model of whether a scope holds the answer. `go run ./bench/memory locomo
// -train` learns it from the same questions as the weights, with LoCoMo's adversarial
// questions as negatives. On conversations left out of training its AUC is .88.
const (
	surelyNamed  = 1.53 // intercept for a question that names a speaker
	surelyMargin = 0.97 // lead of that speaker's best message over the others' best
	surelyOpen   = 0.08 // intercept for a question that names no person
	surelyScore  = 0.40 // the best score, if no person is named
)

// confidence is added to the score of every hit, so that the first hit's score
// approximates the log odds that the scope holds an answer.
//
// The typical sign of an unanswerable question is that another person than the named
// one said its words.
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
