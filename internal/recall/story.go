package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// maxFollowed is how many following messages may continue a story.
	maxFollowed = 4
	// maxStory is how many sentences of a story are told.
	maxStory = 5
	// maxBegun is how many messages are searched for the beginning of a story.
	maxBegun = 6
)

// asksStory reports whether the question asks for an effect, or for the reason or the
// time of an end. The answer then includes the sentences that continue the story.
func (a *asked) asksStory() bool {
	low, l := " "+strings.ToLower(a.text)+" ", theLexicon()
	return l.tells(partStory, low) || a.has(asksReason|asksTime|asksChange|asksEffect) && a.ends() || strings.Contains(low, "instead of") || strings.Contains(low, "replace")
}

// ends reports whether the question speaks of an end.
func (a *asked) ends() bool {
	if strings.Contains(a.text, "no longer") {
		return true
	}
	for _, w := range wordsOf(a.text) {
		if isEnding(w.stem) || w.low == "gone" {
			return true
		}
	}
	return false
}

// isEnding reports whether a stem is a word for giving something up.
func isEnding(stem string) bool { return theLexicon().ending[stem] }

// story returns the sentences that begin the requested story and those that continue
// it, in the order they were said; nil if none continues it.
func (f *finder) story(ctx context.Context) ([]passage, error) {
	if f.q.View == nil || f.q.Quotes == nil || f.a.wide || !f.a.asksStory() {
		return nil, nil
	}
	var begun []memory.Place
	for _, h := range f.q.View.Search(ranking.Query{Text: f.a.text, At: f.a.at, Limit: maxBegun, Skip: f.q.Own}) {
		begun = append(begun, memory.Place{Root: h.Root, Seq: h.Seq})
	}
	if len(begun) == 0 {
		return nil, nil
	}
	var places []memory.Place
	for _, p := range begun {
		for n := int64(0); n <= maxFollowed; n++ {
			next := memory.Place{Root: p.Root, Seq: p.Seq + n}
			if !f.own(next.Root, next.Seq) && !slices.Contains(places, next) {
				places = append(places, next)
			}
		}
	}
	docs, err := f.q.Quotes(ctx, places)
	if err != nil {
		return nil, fmt.Errorf("read messages to quote: %w", err)
	}
	at := make(map[memory.Place]*ranking.Document, len(docs))
	for i := range docs {
		at[memory.Place{Root: docs[i].Root, Seq: docs[i].Seq}] = &docs[i]
	}
	for _, p := range begun {
		var following []*ranking.Document
		for n := int64(0); n <= maxFollowed; n++ {
			d := at[memory.Place{Root: p.Root, Seq: p.Seq + n}]
			if d == nil || n == 0 && d.Role != session.User {
				break
			}
			if d.Role == session.User && len(d.Text) <= maxNear {
				following = append(following, d)
			}
		}
		if told := f.tale(following); len(told) > 1 {
			return told, nil
		}
	}
	return nil, nil
}

// tale reads consecutive messages: the sentence about the subject of the question, and
// the following ones as long as they continue it.
func (f *finder) tale(docs []*ranking.Document) []passage {
	var told []passage
	turned := false
	for n, d := range docs {
		facts := f.facts(d)
		for i, s := range language.Sentences(d.Text) {
			p := passage{root: d.Root, seq: d.Seq, start: s.Start, end: s.End, role: d.Role, speaker: d.Speaker, saidAt: d.SaidAt, text: d.Text[s.Start:s.End]}
			switch {
			case s.Code || s.Quoted || asks(p.text) || !f.a.holds(&p, facts):
				if len(told) > 0 {
					return f.finished(told, turned)
				}
				continue
			case len(told) == 0:
				if n > 0 {
					return nil
				}
				if !f.a.tells(p.statement()) {
					continue
				}
				turned = tellsTurn(p.text)
			case len(told) == maxStory || f.own(p.root, p.seq):
				return f.finished(told, turned)
			case f.a.tells(p.statement()) || continues(p.text) && (i > 0 || tellsTurn(p.text) || opensWithThing(p.text)) || tellsTurn(p.text) && goesBack(p.text):
				turned = turned || tellsTurn(p.text)
			case i > 0 && turned && tellsTrouble(p.text):
			default:
				return f.finished(told, turned)
			}
			told = append(told, p)
		}
	}
	return f.finished(told, turned)
}

// finished is the story if it tells what the question asks: an end, and its reason or
// its time.
func (f *finder) finished(told []passage, turned bool) []passage {
	if len(told) < 2 || !turned && f.a.ends() {
		return nil
	}
	reason, dated := false, false
	for i := range told {
		p := &told[i]
		seen := f.a.look(p.statement())
		reason = reason || seen.traits&givesReason != 0 || p.fact != nil && p.fact.Because != "" || i > 0 && (tellsTrouble(p.text) || tellsTurn(p.text) && furtherClause(p.text))
		dated = dated || i > 0 && p.timed()
	}
	if f.a.has(asksReason|asksEffect) && !reason || f.a.has(asksTime) && !dated {
		return nil
	}
	return told
}

// furtherClause reports whether a clause with a subject follows a punctuation mark.
// After a change of mind it gives the reason: "they were gone again, the range was
// hopeless".
func furtherClause(sentence string) bool {
	for _, mark := range [...]string{", ", "; ", ": ", " - ", " – ", " — "} {
		if _, rest, found := strings.Cut(sentence, mark); found {
			if mark[0] == ';' && tellsTrouble(rest) {
				return true
			}
			switch word, _ := firstWord(rest); word {
			case "the", "our", "nobody", "it", "they", "everyone", "everybody", "people", "no", "my", "its", "their":
				return true
			}
		}
	}
	return false
}

// tells reports whether a sentence names everything in the question, except how
// something ended.
func (a *asked) tells(text string) bool {
	seen := a.look(text)
	met := false
	for n := range a.needs {
		d := &a.needs[n]
		switch {
		case isEnding(d.stem) || d.stem == "experi" || strings.HasPrefix(d.stem, "experim") || d.weight <= weakWeight:
		case seen.met[n] == 0 && (d.proper || d.weight >= 1):
			return false
		default:
			met = met || seen.met[n] > 0 && d.weight >= 1
		}
	}
	return met
}

// beginning is a sentence without the time at its start: "in Q2 it …".
func beginning(sentence string) string {
	low, l := strings.ToLower(sentence), theLexicon()
	for range 3 {
		word, rest := firstWord(low)
		if known := l.shapes[word]; !l.has(listLater, word) && (known.word&shapeDate == 0 && known.unit&shapeLength == 0 || word == "") {
			return low
		}
		if word == "this" {
			if next, _ := firstWord(rest); l.shapes[next].word&shapeDate == 0 && l.shapes[next].unit == 0 {
				return low
			}
		}
		low = rest
	}
	return low
}

// continues reports whether a sentence continues the one before.
func continues(sentence string) bool {
	return goesOn(beginning(sentence)) || opensWithThing(sentence)
}

// opensWithThing reports whether a sentence begins with a reference to an earlier
// action: "that experiment", "the move".
func opensWithThing(sentence string) bool {
	first, rest := firstWord(beginning(sentence))
	switch first {
	case "the", "that", "this", "our", "we":
	default:
		return false
	}
	for range 3 {
		first, rest = firstWord(rest)
		if theLexicon().has(listTrial, first) {
			return true
		}
	}
	return false
}

// tellsTurn reports whether a sentence is about giving something up or going back.
func tellsTurn(sentence string) bool {
	low, l := strings.ToLower(sentence), theLexicon()
	return l.tells(partTurn, low) || l.turns(low) || leaves(sentence)
}

// goesBack reports whether a sentence says that an earlier state holds again. Only that
// can follow a trial.
func goesBack(sentence string) bool {
	return theLexicon().tells(partBack, strings.ToLower(sentence))
}

// tellsTrouble reports whether a sentence is about a failure.
func tellsTrouble(sentence string) bool {
	return theLexicon().tells(partTrouble, strings.ToLower(sentence))
}
