package main

import (
	"fmt"
	"regexp"
	"slices"
)

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

	Quoted  []string `json:"quoted,omitempty"`  // messages
	Evident []string `json:"evident,omitempty"` // those of them that are evidence
	Right   bool     `json:"right"`             // sure and right
	Shown   bool     `json:"shown"`             // right among all that is shown
	Bad     bool     `json:"bad"`               // stale or wrong, and claimed as sure
	// Newest says that the answer is sure and right if what it tells as the earlier side of a
	// change may be outdated.
	Newest bool `json:"newest"`
	// Rank is the place of the first evidence among the hits of the search that the user
	// said, from 1; 0 for none.
	Rank int `json:"rank"`
}

// judge enters an answer, the messages that it quotes, and those that it quotes as the newest
// sides of changes or without a change.
func (v *verdict) judge(q *lifeQuestion, answer string, quoted, claimed []string) error {
	v.ID, v.Asked, v.Answer, v.Gold, v.Quoted = q.ID, q.Question, answer, q.Gold, quoted
	v.Kind, v.Told, v.Sort, v.Overlap, v.Tongue = kindOf(answer), q.Told, q.Kind, q.Overlap, q.Language
	if !q.Told || v.Kind == none {
		return nil
	}
	for _, id := range quoted {
		if slices.Contains(q.Evidence, id) {
			v.Evident = append(v.Evident, id)
		}
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
		if q.QuotesStale && len(claimed) > 0 { // the evidence itself has the forbidden words
			old = !slices.Contains(q.Evidence, claimed[0]) || common(claimed, q.Stale)
		}
		v.claimed(old, common(quoted, q.Evidence))
		return v.judgeNewest(q, newest(answer))
	}
	return nil
}

// judgeNewest judges the newest sides alone.
func (v *verdict) judgeNewest(q *lifeQuestion, claim string) error {
	has, err := q.answeredBy(claim)
	if err != nil {
		return err
	}
	old, err := countOf(q.MustNot, claim)
	v.Newest = v.Right || has && old == 0
	return err
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

// answeredBy reports whether a text has what was told.
func (q *lifeQuestion) answeredBy(text string) (bool, error) {
	one, err := countOf(q.Must, text)
	if err != nil {
		return false, err
	}
	all, err := countOf(q.MustAll, text)
	return all == len(q.MustAll) && one >= min(1, len(q.Must)), err
}

// countOf is how many patterns match, whatever the case of letters.
func countOf(patterns []string, text string) (int, error) {
	n := 0
	for _, pattern := range patterns {
		re, err := regexp.Compile("(?is)" + pattern)
		if err != nil {
			return 0, fmt.Errorf("read a pattern: %w", err)
		}
		if re.MatchString(text) {
			n++
		}
	}
	return n, nil
}

// common reports whether two lists share a member.
func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) })
}

func wasTold(v *verdict) bool   { return v.Told }
func neverTold(v *verdict) bool { return !v.Told }
func isRight(v *verdict) bool   { return v.Right }
func isShown(v *verdict) bool   { return v.Shown }
func isNewest(v *verdict) bool  { return v.Newest }
func isBad(v *verdict) bool     { return v.Bad }
func claims(v *verdict) bool    { return v.Kind == sure }
func invents(v *verdict) bool   { return !v.Told && claims(v) }
func denies(v *verdict) bool    { return v.Told && v.Kind == none }
func fails(v *verdict) bool     { return v.Told && !v.Right }
func hides(v *verdict) bool     { return v.Told && !v.Shown }

// foundBy reports whether the evidence is among the first hits that the user said.
func (v *verdict) foundBy(rank int) bool { return v.Rank > 0 && v.Rank <= rank }
