package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/hermes-memory/hermes/internal/owner"
)

// FactText is what is looked at when people look for words: the quote, of which the statement
// is a part, and the reason.
type FactText struct {
	Number         FactNumber
	Kind           Kind
	Quote, Because string
}

// texts are the texts of all facts of a scope in small letters. A store would go over all rows
// to find that no fact has a word. The texts are read from the store when words are first
// looked for, and then only those of new facts.
type texts struct {
	facts []textOf
	all   []byte
	// of is the state whose facts these are: the text of a fact changes only with another
	// state.
	of *State
}

// textOf is where the text of a fact ends; it begins where the one before ends.
type textOf struct {
	number FactNumber
	end    int
	kind   Kind
}

// textsAtOnce is how many texts are read at once.
const textsAtOnce = 2048

// Saying returns the numbers of the facts whose texts have the words of a query, and whose
// kind is one of those that it wants, by rising number. A fact that the query wants is never
// missing.
func (v *View) Saying(ctx context.Context, from Lister, o owner.Owner, scope Scope, q *FactQuery) ([]FactNumber, error) {
	v.finding.Lock()
	defer v.finding.Unlock()
	v.mu.Lock()
	if v.texts == nil || v.texts.of != v.state {
		v.texts, v.textSize = &texts{of: v.state}, 0
	}
	t := v.texts
	v.mu.Unlock()
	err := t.read(ctx, from, o, scope)
	v.mu.Lock()
	if v.texts == t { // nothing has dropped them meanwhile
		v.textSize = t.size()
	}
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return t.saying(q.Words, q.filter().Kinds), nil
}

// read reads the texts of the facts behind the last one that is here.
func (t *texts) read(ctx context.Context, from Lister, o owner.Owner, scope Scope) error {
	for {
		behind := FactNumber(-1)
		if n := len(t.facts); n > 0 {
			behind = t.facts[n-1].number
		}
		page, err := from.FactTexts(ctx, o, scope, behind, textsAtOnce)
		if err != nil {
			return fmt.Errorf("read the texts of facts: %w", err)
		}
		for i := range page {
			t.add(&page[i])
		}
		if len(page) < textsAtOnce {
			return nil
		}
	}
}

func (t *texts) add(f *FactText) {
	t.all = append(t.all, strings.ToLower(f.Quote)...)
	if f.Because != "" {
		t.all = append(append(t.all, '\n'), strings.ToLower(f.Because)...)
	}
	t.facts = append(t.facts, textOf{number: f.Number, end: len(t.all), kind: f.Kind})
}

// saying are the facts that have words, of some kinds; nil for all.
func (t *texts) saying(words string, kinds []Kind) (numbers []FactNumber) {
	from := 0
	for _, f := range t.facts {
		text := t.all[from:f.end]
		from = f.end
		if bytes.Contains(text, []byte(words)) && (kinds == nil || slices.Contains(kinds, f.kind)) {
			numbers = append(numbers, f.number)
		}
	}
	return numbers
}

// size is the approximate size of the texts, in bytes.
func (t *texts) size() int64 {
	return int64(cap(t.all)) + int64(cap(t.facts))*int64(unsafe.Sizeof(textOf{}))
}
