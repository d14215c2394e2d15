package errand

import (
	"regexp"
	"sync"
)

// sign is something that instructions to a model say if a program reads the answer.
type sign struct {
	name string
	in   *regexp.Regexp
}

// forbids is the sign of a list of what the answer must not have. Users forbid one thing, or
// two.
const forbids = "forbids"

// signs are compiled at their first use: a start of the program need not wait for them.
var signs = sync.OnceValue(func() []sign {
	return []sign{
		{"only", regexp.MustCompile(`\b(only|solely|exclusively|nothing (else|but)|just (the|one|provide|return)|strictly)\b` +
			`|\b(no|without|any) (additional |other |extra |further )?(text|explanations?|context|comments?|commentary|preamble|` +
			`introduct)` +
			`|\bdo not (answer|call|respond)|\bnur\b|ausschließlich|uniquement|rien d'autre|\bsolo\b|únicamente|apenas|somente|` +
			`soltanto|только|лишь|のみ|だけ|만 (출력|답|반환)|只|仅`)},
		{"limit", regexp.MustCompile(`(\d|\b(one|two|three|four|five|six|seven|eight|ten|cinq|cinco|cinque|fünf|drei|три|` +
			`пяти|[二两三四五六七八十]))[^.\n]{0,24}(word|character|token|sentence|question|tags?\b|wört|wort|zeichen|mots|caract|palabra|palavra|` +
			`parole|preguntas|` +
			`слов|символ|文字|단어|글자|字|句|token|jetons|titel|schlagw|étiquettes|fragen)`)},
		{"format", regexp.MustCompile(`json|xml|one per line|single line|one line|comma-(delimited|separated)|kebab|plain text`)},
		{"style", regexp.MustCompile(`(no|without|avoid|not|sans|ohne|sin|sem|senza|без)[^.\n]{0,40}(quot|punctuation|emoji|` +
			`markdown|formatting|symbol|period|colon|ponctuation|guillemet|anführ|satzzeichen|comillas|puntuaci|aspas|` +
			`virgolette|кавыч)` +
			`|quotes? *(or|and) *colons|标点|引号|句読点|문장 부호|따옴표`)},
		{forbids, regexp.MustCompile(`(without|avoid|\b(no|not|nor)\b|ohne|sans|\bsin\b|\bsem\b|senza|без)[^.\n]*,[^.\n]*,[^.\n]*,[^.\n]*,` +
			`|(不要[^。\n]*){3}|([^、。\n]+、){3}[^、。\n]+(ない|不要)`)},
		{"language", regexp.MustCompile(`(same|main|primary|original|detected|user's|its own|following) (main |` +
			`primary )?language|language (of|should|with|specified)|locale|please use|sprache|idioma|langue|语言|言語`)},
		{"shape", regexp.MustCompile(`(?m)^#{2,4} |^<(task|rules|instructions|examples)>|^(rules|guidelines|requirements|` +
			`examples[^\n]*):|your task is|ignore (all )?previous instructions`)},
		{"label", regexp.MustCompile(`[:：]\s*$`)},
	}
})

// forbids reports whether an instruction lists what the answer must not have.
func (p *prompt) forbids() bool {
	for _, s := range signs() {
		if s.name == forbids {
			return s.in.MatchString(p.instruction)
		}
	}
	return false
}

// signs is how many signs of a program a request has.
func (c *Call) signs(p *prompt) int {
	n := 0
	for _, s := range signs() {
		if s.in.MatchString(p.instruction) {
			n++
		}
	}
	for _, yes := range []bool{c.JSON, 0 < c.MaxTokens && c.MaxTokens <= smallAnswer, p.items >= 3} {
		if yes {
			n++
		}
	}
	return n
}
