package ranking

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// question is a parsed query.
type question struct {
	terms    []term
	speakers []int32 // the speakers named in it
	spans    []span  // the times named in it
	kind     kind
	several  bool         // asks for more than one thing
	pair     bool         // names speakers as a pair: "Anna and Bert"
	verbs    []int        // indexes of the terms that are verbs
	asksYou  bool         // asks about words of the person addressed
	mind     wordvec.Mean // its meaning in the making
	meaning  wordvec.Vector
	sign     wordvec.Signature
}

// term is a word of the question that is in the index, itself or through its kin.
type term struct {
	word int32 // none if only its kin are in the index
	hash uint32
	kin  []kin
	idf  float32
	verb bool
	text string // as written in the question
	stem string
}

// kind is the sort of answer that a question expects.
type kind uint8

const (
	asksThing kind = iota
	asksTime
	asksNumber
	asksPerson
	asksPlace
)

const (
	// maxTerms bounds the work of a search. A question rarely has more content words;
	// for a long input the rarest words are used.
	maxTerms = 16
	// maxWords is how many words of the input are considered for that.
	maxWords = 128
	// maxSpans bounds the dates of a question.
	maxSpans = 8
)

// parse reads the query against the vocabulary of the index.
func (x *Index) parse(q Query) question {
	var out question
	at := q.At
	if at.IsZero() {
		at = x.newest()
	}
	for _, d := range language.Dates(q.Text, at) {
		if len(out.spans) < maxSpans {
			out.spans = append(out.spans, span{d.From.Unix(), d.To.Unix()})
		}
	}
	out.kind, out.several = kindOf(q.Text), asksSeveral(q.Text)
	x.parseWords(&out, q.Text)
	out.meaning = out.mind.Vector()
	out.sign = out.meaning.Signature()
	out.keepRarest()
	for i := range out.terms {
		t := &out.terms[i]
		if t.verb {
			out.verbs = append(out.verbs, i)
		}
		if t.word >= 0 {
			t.kin = x.kin(t.stem, x.messages(t.word))
		}
	}
	return out
}

// parseWords reads the speakers and terms in the question.
func (x *Index) parseWords(out *question, text string) {
	self, casual := false, strings.IndexFunc(text, unicode.IsUpper) < 0
	var names naming
	start, end := 0, 0
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok && len(out.terms) < maxWords; w, ok = scan.Next() {
		var who []int32
		if w.Capital || casual {
			who = x.names.bearers(&w)
			out.name(who)
		}
		names.word(&w, who != nil)
		if who != nil && w.Capital {
			continue
		}
		if w.Stop {
			if selfWord(w.Stem) {
				self = true
			}
			if addressWord(w.Stem) {
				out.asksYou = true
			}
		} else {
			x.addTerm(out, string(w.Stem), text[w.Start:w.End])
			out.mean(text, &w)
		}
		if whole := joined(text, start, end, &w); whole != "" {
			x.addTerm(out, whole, text[start:w.End])
		}
		start, end = w.Start, w.End
	}
	out.asksYou, out.pair = out.asksYou && !self, names.pair
}

// addressWord reports whether a word is a pronoun for the person addressed.
func addressWord(w []byte) bool {
	switch string(w) {
	case "you", "your":
		return true
	}
	return false
}

// keepRarest keeps the rarest terms in the order of the question.
func (o *question) keepRarest() {
	for len(o.terms) > maxTerms {
		least := 0
		for i := range o.terms {
			if o.terms[i].idf <= o.terms[least].idf {
				least = i
			}
		}
		o.terms = slices.Delete(o.terms, least, least+1)
	}
}

// addTerm adds a word that is in the index, itself or through its kin.
func (x *Index) addTerm(q *question, stem, text string) {
	if q.has(stem) {
		return
	}
	t := term{word: x.lookUp(stem), hash: hashOf(stem), text: text, stem: stem, verb: language.Verb(stem)}
	messages := x.messages(t.word)
	if t.word < 0 {
		t.kin = x.kin(stem, 1)
		for _, k := range t.kin {
			messages = max(messages, x.messages(k.word))
		}
	}
	if messages == 0 {
		return
	}
	weight := float32(1)
	if language.Idle(stem) {
		weight = idleWeight
	}
	t.idf = weight * inverse(x.Len(), int(messages))
	q.terms = append(q.terms, t)
}

// name records the speakers that a word of the question names.
func (o *question) name(who []int32) {
	for _, id := range who {
		known := false
		for _, s := range o.speakers {
			known = known || s == id
		}
		if !known {
			o.speakers = append(o.speakers, id)
		}
	}
}

func (o *question) has(stem string) bool {
	for i := range o.terms {
		if o.terms[i].stem == stem {
			return true
		}
	}
	return false
}

// kindOf reads the question word. "How many" and "how long" ask for a number,
// "which year" for a time.
func kindOf(text string) kind {
	var before [8]byte
	n, words := 0, 0
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok && words < 8; w, ok = scan.Next() {
		words++
		switch string(w.Stem) {
		case "when":
			return asksTime
		case "who", "whom", "whose":
			return asksPerson
		case "where":
			return asksPlace
		case "many", "mani", "much", "long", "often", "old":
			if string(before[:n]) == "how" {
				return asksNumber
			}
			if string(before[:n]) == "what" || string(before[:n]) == "which" {
				return asksTime
			}
		}
		n = copy(before[:], w.Stem)
	}
	return asksThing
}
