package recall

import (
	_ "embed" // the words
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/owners.txt
var ownerText string

// duty is a set of things that a word does where a text says whose a thing is.
type duty uint32

const (
	dutyMe      duty = 1 << iota // is the speaker
	dutyObject                   // is the speaker, and no subject
	dutyUs                       // is the speaker and others
	dutyThey                     // is a person named before
	dutyMine                     // stands before a thing of the speaker
	dutyOurs                     // stands before a thing of the speaker and others
	dutyYours                    // stands before a thing of the one spoken to
	dutyTheirs                   // stands before a thing of a person named before
	dutyBehind                   // stands behind the thing
	dutyOf                       // stands between a thing and whose it is
	dutyArticle                  // is an article
	dutyAnd                      // joins clauses or persons
	dutyBe                       // is a form of "be"
	dutyNaming                   // gives a name
	dutyNamed                    // gives a name to what stands before it
	dutyTitle                    // stands before a name
	dutyDoes                     // is what persons do
	dutyTrait                    // is what persons are
)

// dutyNames are the duties in the lexicon, in the order of their bits; never written.
var dutyNames = [...]string{
	"me", "object", "us", "they", "mine", "ours", "yours", "theirs", "behind", "of", "article", "and", "be", "naming", "named", "title", "does", "trait",
}

// determines are the duties of words that stand next to a thing and say whose it is.
const determines = dutyMine | dutyOurs | dutyYours | dutyTheirs

// tongue is a language whose words for owners are known.
type tongue int

// tongues are the languages in the lexicon; the function words of all but the first are in [lexicon.foreign], in this order.
// Never written.
var tongues = [...]string{"en", "de", "fr", "es"}

const (
	english tongue = iota
	german
	french
	spanish
)

// ownerWords are the words of one language.
type ownerWords struct {
	duties    map[string]duty
	relations map[string]string // phrases, with the relation that each names
	heads     map[string]bool   // the first words of the phrases
}

// ownerLexicon is the lexicon of owners.
type ownerLexicon struct {
	in [len(tongues)]ownerWords
	// wider maps a relation to those that it may mean.
	wider map[string][]string
}

// longestRelation is how many words the name of a relation has at most.
const longestRelation = 3

// theOwnerWords is the embedded lexicon, read once.
var theOwnerWords = sync.OnceValue(func() *ownerLexicon {
	l := &ownerLexicon{wider: map[string][]string{}}
	for t := range l.in {
		l.in[t] = ownerWords{duties: map[string]duty{}, relations: map[string]string{}, heads: map[string]bool{}}
	}
	for name, items := range language.Lists(ownerText) {
		sort, of, _ := strings.Cut(name, " ")
		if sort == "wider" {
			l.wider[of] = items
			continue
		}
		t := 0
		for _, item := range items {
			if in, first, named := strings.Cut(item, ": "); named {
				t, item = indexOf(tongues[:], in), first
			}
			l.in[t].add(sort, of, folded(item))
		}
	}
	return l
})

// add adds a word or a phrase.
func (w *ownerWords) add(sort, of, item string) {
	if sort != "relation" {
		w.duties[item] |= 1 << indexOf(dutyNames[:], of)
		return
	}
	head, _, _ := strings.Cut(item, " ")
	w.relations[item], w.heads[head] = of, true
}

// near reports whether one relation may be meant where the other is said.
func (l *ownerLexicon) near(a, b string) bool {
	return slices.Contains(l.wider[a], b) || slices.Contains(l.wider[b], a)
}

// knows reports whether a word is one of the language's.
func (l *ownerLexicon) knows(t tongue, low string) bool {
	w := &l.in[t]
	return w.duties[low] != 0 || w.relations[low] != "" || t != english && theLexicon().foreign[t-1][low]
}

// tongueOf is the language of some words: English if it knows half of them, or the one that knows most.
func tongueOf(words []word) tongue {
	best, most := english, 0
	for t := range tongue(len(tongues)) {
		if known := t.known(words); known > most {
			best, most = t, known
		}
		if 2*most >= len(words) {
			break
		}
	}
	return best
}

// known is how many words of the language some words hold.
func (t tongue) known(words []word) (n int) {
	for i := range words {
		n += t.knows(&words[i])
	}
	return n
}

// knows is how many words of the language a word holds.
func (t tongue) knows(w *word) int {
	l := theOwnerWords()
	if before, rest := cutElision(w.low); t == french && rest != "" {
		return int(truth(l.knows(t, before)) + truth(l.knows(t, rest)))
	}
	return int(truth(l.knows(t, w.low) || t == english && w.stop))
}

// cutElision parts "l'adresse" into "l" and "adresse". rest is "" for a word without elision.
func cutElision(low string) (before, rest string) {
	before, rest, _ = strings.Cut(low, "'")
	if len(before) > len("qu") || rest == "s" || before == "" {
		return low, ""
	}
	return before, rest
}

// part is a word of a text in which owners are looked for.
type part struct {
	low, stem string
	at        int // its word
	duty      duty
	capital   bool // it has a capital that no beginning of a sentence gives
	written   bool // it has a capital
	stop      bool
	number    bool
	opens     bool // it opens a clause
	breaks    bool // a mark that ends a clause stands before it
	genitive  bool
}

// said reports whether a word means something by itself.
func (p *part) said() bool { return !p.stop && p.duty == 0 }

// tells reports whether a word may be a thing that is asked for.
func (p *part) tells() bool {
	return !p.stop && p.duty&^(dutyNaming|dutyNamed|dutyDoes|dutyTrait) == 0
}

// partsOf cuts words of a text into parts.
func partsOf(text string, words []word, t tongue) []part {
	out := make([]part, 0, len(words)+2)
	end, starts := 0, sentenceStarts(text)
	for i := range words {
		w := &words[i]
		p := part{stem: w.stem, low: w.low, at: i, written: w.capital, capital: w.capital && !w.opens, number: w.number, stop: w.stop && t == english}
		p.breaks = i == 0 || starts[w.start] || endsClause(text[min(end, w.start):w.start])
		p.opens = p.breaks || out[len(out)-1].duty&dutyAnd != 0
		end = w.end
		if t == english {
			p.low, p.genitive = cutGenitive(p.low, text[w.end:])
			p.genitive = p.genitive && !w.stop // "when's" is "when is"
		}
		if before, rest := cutElision(p.low); t == french && rest != "" {
			first := p
			first.low, first.stem = before, before
			first.know(t)
			out = append(out, first)
			p.low, p.stem, p.opens, p.breaks = rest, language.Stem(rest), false, false
			p.capital = firstIsUpper(text[w.start+len(before)+1 : w.end])
			p.written = p.capital
		}
		p.know(t)
		out = append(out, p)
	}
	for i := range out {
		p := &out[i]
		p.genitive = p.genitive && i+1 < len(out) && out[i+1].said() && !out[i+1].breaks
	}
	return out
}

// endsClause reports whether what stands between two words of a sentence ends a clause. A stop there is that of an abbreviation or
// of an ordinal: "Dr. Osei", "am 3. Mai".
func endsClause(between string) bool {
	return strings.ContainsAny(between, ",;:!?()¿¡\n\"“”—–")
}

// sentenceStarts are the places where the sentences of a text begin.
func sentenceStarts(text string) map[int]bool {
	if !strings.Contains(text, ".") {
		return nil
	}
	out := map[int]bool{}
	for _, s := range language.Sentences(text) {
		out[s.Start] = true
	}
	return out
}

// know sets what the lexicons say of a part.
func (p *part) know(t tongue) {
	p.duty = theOwnerWords().in[t].duties[p.low]
	if t != english {
		p.stop = theLexicon().foreign[t-1][p.low]
	}
}

// cutGenitive cuts the ending of an English genitive off a word. behind is the text behind it.
func cutGenitive(low, behind string) (bare string, cut bool) {
	if bare, cut = strings.CutSuffix(low, "'s"); cut {
		return bare, theOwnerWords().in[english].duties[low] == 0
	}
	for _, mark := range [...]string{"'", "\u2019"} {
		if rest, found := strings.CutPrefix(behind, mark); found {
			return low, strings.HasPrefix(rest, "s ") || strings.HasSuffix(low, "s") && strings.HasPrefix(rest, " ")
		}
	}
	return low, false
}
