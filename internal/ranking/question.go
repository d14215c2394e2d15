package ranking

import (
	"github.com/hermes-memory/hermes/internal/language"
)

// question is what a query asks for, as far as its words tell.
type question struct {
	terms    []term
	speakers []int32 // the speakers named in it
	spans    []span  // the times named in it
	kind     kind
}

// term is a word of the question that the index knows.
type term struct {
	list  int32
	idf   float32
	text  string
	title bool // written with a capital inside the question
}

// kind is what sort of answer a question expects.
type kind uint8

const (
	asksThing kind = iota
	asksTime
	asksNumber
	asksPerson
	asksPlace
	asksReason
)

// maxTerms bounds the work of a search; matches are kept as bits of a word.
const maxTerms = 32

// parse reads the query against the vocabulary of the index.
func (x *Index) parse(q Query) question {
	var out question
	at := q.At
	if at.IsZero() {
		at = x.newest
	}
	for _, d := range language.Dates(q.Text, at) {
		out.spans = append(out.spans, span{d.From.Unix(), d.To.Unix()})
	}
	out.kind = kindOf(q.Text)
	scan := language.Scan(q.Text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if w.Capital {
			if who := x.names.bearers(w.Stem); who != nil {
				out.name(who)
				continue
			}
		}
		if w.Stop || len(out.terms) == maxTerms {
			continue
		}
		if id, ok := x.terms[string(w.Stem)]; ok && !out.has(id) {
			out.terms = append(out.terms, term{list: id, idf: x.idf(id), text: q.Text[w.Start:w.End], title: w.Capital && w.Start > 0})
		}
	}
	return out
}

// name notes the speakers a word of the question names.
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

func (o *question) has(list int32) bool {
	for i := range o.terms {
		if o.terms[i].list == list {
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
		case "why":
			return asksReason
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
