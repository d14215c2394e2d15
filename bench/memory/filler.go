package main

import (
	"fmt"
	"strings"
)

// fillerSentence is a sentence that is not worth remembering. It is made of the
// same sorts of words as what is planted: first persons, numbers, dates, names.
func (d *dice) fillerSentence() string {
	return d.fresh(func() string {
		switch d.IntN(12) {
		case 0:
			return fmt.Sprintf("Near %s %s told a story about %s and a %s.", d.of(fillerPlace), d.of(fillerWho), d.of(fillerTopic),
				d.of(fillerThing))
		case 1:
			return fmt.Sprintf("According to %s, %s rose by %d percent between %d and %d.", d.of(fillerOrg), d.of(fillerData), 1+d.IntN(90),
				1850+d.IntN(60), 1911+d.IntN(90))
		case 2:
			return fmt.Sprintf("It was %s, and the %s %s while %s looked on.", d.of(fillerMood), d.of(fillerThing), d.of(fillerVerb),
				d.of(fillerWho))
		case 3:
			return fmt.Sprintf("The chapter on %s compares a %s with a %s, which is %s.", d.of(fillerTopic), d.of(fillerThing), d.of(fillerThing),
				d.of(fillerMood))
		case 4:
			return fmt.Sprintf("What does %s have to do with %s anyway?", d.of(fillerTopic), d.of(fillerTopic))
		case 5:
			return fmt.Sprintf("The text about %s was %s and mentioned a %s %d times.", d.of(fillerTopic), d.of(fillerMood), d.of(fillerThing),
				2+d.IntN(40))
		case 6:
			return fmt.Sprintf("Then %s dropped a %s, and everything at %s felt %s.", d.of(fillerWho), d.of(fillerThing), d.of(fillerPlace),
				d.of(fillerMood))
		case 7:
			return fmt.Sprintf("In the second part, %s is explained with a %s that %s.", d.of(fillerTopic), d.of(fillerThing), d.of(fillerVerb))
		case 8:
			return fmt.Sprintf("Some people say %s is %s, others compare it to %s.", d.of(fillerTopic), d.of(fillerMood), d.of(fillerTopic))
		case 9:
			return fmt.Sprintf("The figure for %s in %d was %d, up from %d the year before.", d.of(fillerData), 1820+d.IntN(180), 1000+d.IntN(9000),
				100+d.IntN(900))
		case 10:
			return fmt.Sprintf("A %s at %s %s, and nobody asked why.", d.of(fillerThing), d.of(fillerPlace), d.of(fillerVerb))
		}
		return fmt.Sprintf("One could compare the %s near %s with %s.", d.of(fillerThing), d.of(fillerPlace), d.of(fillerTopic))
	})
}

// fillerTurn is what a user says when there is nothing to remember.
func (d *dice) fillerTurn() string {
	return d.fresh(func() string {
		switch d.IntN(9) {
		case 0:
			return fmt.Sprintf("Can you explain %s to me, perhaps with a %s as an example?", d.of(fillerTopic), d.of(fillerThing))
		case 1:
			return fmt.Sprintf("Please write a short paragraph about %s and a %s at %s.", d.of(fillerTopic), d.of(fillerThing), d.of(fillerPlace))
		case 2:
			return fmt.Sprintf("Hmm, that part about %s was %s. How does it relate to %s?", d.of(fillerTopic), d.of(fillerMood), d.of(fillerTopic))
		case 3:
			return fmt.Sprintf("Here is the draft:\n```go\nfunc %s%s(n int) int {\n\treturn n * %d\n}\n```\nWhat would you rename?", d.of(nouns), d.of(components), d.IntN(900))
		case 4:
			return fmt.Sprintf("Translate this for me: the %s %s near %s.", d.of(fillerThing), d.of(fillerVerb), d.of(fillerPlace))
		case 5:
			return fmt.Sprintf("Thanks, the bit on %s helped. Next, %s please.", d.of(fillerTopic), d.of(fillerTopic))
		case 6:
			return fmt.Sprintf("I was reading about %s on %s and it felt %s.", d.of(fillerTopic), d.of(fillerPlace), d.of(fillerMood))
		case 7:
			return fmt.Sprintf("Which is harder to picture, %s or %s?", d.of(fillerTopic), d.of(fillerTopic))
		}
		return d.paragraph(2 + d.IntN(4))
	})
}

// paragraph is n sentences of filler.
func (d *dice) paragraph(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = d.fillerSentence()
	}
	return strings.Join(parts, " ")
}

// fillerAnswer is what an assistant says between.
func (d *dice) fillerAnswer() string {
	return d.fresh(func() string {
		switch d.IntN(4) {
		case 0:
			return fmt.Sprintf("Certainly. %s You could look at it through %s, too.", d.paragraph(1+d.IntN(3)), d.of(fillerTopic))
		case 1:
			return fmt.Sprintf("Good question. %s Would you like an example with a %s?", d.paragraph(1+d.IntN(2)), d.of(fillerThing))
		case 2:
			return fmt.Sprintf("Here is a short version.\n\n- %s\n- %s\n", d.fillerSentence(), d.fillerSentence())
		}
		return d.paragraph(2 + d.IntN(3))
	})
}
