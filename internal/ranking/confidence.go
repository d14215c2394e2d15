package ranking

// confidence is added to the score of every hit, so that the first hit's score
// approximates the log odds that the scope holds an answer.
//
// The typical sign of an unanswerable question is that another person than the named
// one said its words.
func (x *Index) confidence(q *question, ranked []candidate) float32 {
	if len(ranked) == 0 {
		return 0
	}
	top, m := ranked[0].score, x.model()
	var asked, others float32
	rivals := false
	for i := range ranked {
		c := &ranked[i]
		switch {
		case c.features[fSpeaker] > 0:
			asked = max(asked, c.score-m.weights[fSpeaker])
		case c.features[fOther] > 0:
			others = max(others, c.score-m.weights[fOther])
			rivals = true
		}
	}
	if len(q.speakers) == 0 || !rivals {
		return m.sure[surelyOpen] + m.sure[surelyScore]*top - top
	}
	return m.sure[surelyNamed] + m.sure[surelyMargin]*(asked-others) - top
}
