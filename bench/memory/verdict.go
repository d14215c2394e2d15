package main

import "slices"

// verdict is what became of one question.
type verdict struct {
	ID      string     `json:"id"`
	Scope   string     `json:"scope"`
	Asked   string     `json:"asked"`
	Answer  string     `json:"answer"`
	Gold    string     `json:"gold,omitempty"`
	Kind    answerKind `json:"answer_kind"`
	Told    bool       `json:"told"`
	Sort    string     `json:"kind"`
	Overlap string     `json:"overlap"`
	Tongue  string     `json:"language"`

	Quoted []string `json:"quoted,omitempty"` // messages
	Right  bool     `json:"right"`            // sure and right
	Shown  bool     `json:"shown"`            // right among all that is shown
	Bad    bool     `json:"bad"`              // stale or wrong, and claimed as sure
	// Rank is the place of the first evidence among the hits of the search that the user
	// said, from 1; 0 for none.
	Rank int `json:"rank"`
}

// judge enters an answer and the messages that it quotes.
func (v *verdict) judge(q *lifeQuestion, answer string, quoted []string) error {
	v.ID, v.Asked, v.Answer, v.Gold, v.Quoted = q.ID, q.Question, answer, q.Gold, quoted
	v.Kind, v.Told, v.Sort, v.Overlap, v.Tongue = kindOf(answer), q.Told, q.Kind, q.Overlap, q.Language
	if !q.Told || v.Kind == none {
		return nil
	}
	has, err := q.answeredBy(answer)
	if err != nil {
		return err
	}
	forbidden, err := countOf(q.MustNot, answer)
	if err != nil {
		return err
	}
	v.Shown = has
	if v.Kind == sure {
		old := forbidden > 0
		if q.QuotesStale && len(quoted) > 0 { // the evidence itself has the forbidden words
			old = !slices.Contains(q.Evidence, quoted[0]) || common(quoted, q.Stale)
		}
		v.claimed(old, common(quoted, q.Evidence))
	}
	return nil
}

// claimed judges an answer that is sure. An answer that quotes some of the evidence, but
// not all that was asked for, is neither right nor bad.
func (v *verdict) claimed(old, fromEvidence bool) {
	switch {
	case old:
		v.Bad = true
	case v.Shown:
		v.Right = true
	default:
		v.Bad = !fromEvidence
	}
}

// common reports whether two lists share a member.
func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) })
}

func wasTold(v *verdict) bool   { return v.Told }
func neverTold(v *verdict) bool { return !v.Told }
func isRight(v *verdict) bool   { return v.Right }
func isShown(v *verdict) bool   { return v.Shown }
func isBad(v *verdict) bool     { return v.Bad }
func claims(v *verdict) bool    { return v.Kind == sure }
func invents(v *verdict) bool   { return !v.Told && claims(v) }
func denies(v *verdict) bool    { return v.Told && v.Kind == none }
func fails(v *verdict) bool     { return v.Told && !v.Right }
func hides(v *verdict) bool     { return v.Told && !v.Shown }

// foundBy reports whether the evidence is among the first hits that the user said.
func (v *verdict) foundBy(rank int) bool { return v.Rank > 0 && v.Rank <= rank }
