package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// saying is one message that carries a part of an item.
type saying struct {
	text string
	role session.Role
	// next is set for a message that must follow the one before directly.
	next bool
	// short is set for a message that must not be buried, because the next one
	// refers to it.
	short bool
}

// item is one thing told, and how to see whether it was retained.
type item struct {
	sort    string
	sayings []saying
	// keys must stand together in one line of the block.
	keys []string
	// stale are values that must not be shown without the newer one.
	stale []string
	// ends are the words for both ends of a reversal.
	ends [2]string
	// marker must not be asserted at all; set for distractors only.
	marker string
	// question asks for it; a search must bring up the keys.
	question string
	// event is when it happened; zero for other sorts.
	event func(said time.Time) time.Time
	slack int // days by which the date shown may differ: "two weeks ago"

	seqs []int64
	said time.Time
}

// sorts are the sorts of items in the order of the report.
var sorts = []string{"fact", "update", "cause", "event", "reverted", "instruction", "preference", "personal"}

// distractors are what must never be shown as true.
var distractors = []string{"hypothetical", "question", "third party", "negated", "quoted", "proposal", "retracted"}

func say(format string, args ...any) saying {
	return saying{text: fmt.Sprintf(format, args...), role: session.User}
}

// make returns an item of a sort.
func (d *dice) make(sort string) *item {
	var it *item
	switch sort {
	case "fact":
		it = d.factItem()
	case "update":
		it = d.updateItem()
	case "cause":
		it = d.causeItem()
	case "event":
		it = d.eventItem()
	case "reverted":
		it = d.revertedItem()
	case "instruction":
		it = d.instructionItem()
	case "preference":
		it = d.preferenceItem()
	case "personal":
		it = d.personalItem()
	default:
		it = d.distractor(sort)
	}
	it.sort = sort
	return it
}

func (d *dice) factItem() *item {
	name, n := d.codename(), d.number()
	a := attributes[d.IntN(len(attributes))]
	it := &item{keys: []string{name, n}, question: fmt.Sprintf("What is the %s of the %s?", a[0], name)}
	switch d.IntN(9) {
	case 0:
		it.sayings = []saying{say("The %s of the %s is %s %s.", a[0], name, n, a[1])}
	case 1:
		it.sayings = []saying{say("Just so you know, the %s has a %s of %s %s.", name, a[0], n, a[1])}
	case 2:
		tech, port := d.of(technology), n
		it.sayings = []saying{say("Our %s runs on %s and listens on port %s.", name, tech, port)}
		it.question = fmt.Sprintf("Which port does the %s listen on?", name)
	case 3:
		who := d.of(people)
		it.sayings = []saying{say("%s is responsible for the %s these days.", who, name)}
		it.keys, it.question = []string{name, who}, fmt.Sprintf("Who is responsible for the %s?", name)
	case 4:
		region := d.of(regions)
		it.sayings = []saying{say("We host the %s in %s with two replicas.", name, region)}
		it.keys, it.question = []string{name, region}, fmt.Sprintf("Where is the %s hosted?", name)
	case 5: // by pronoun in the next turn
		it.sayings = []saying{say("I spent the morning on the %s.", name), say("Its %s is %s %s.", a[0], n, a[1])}
		it.sayings[0].short, it.sayings[1].next = true, true
	case 6: // only in the result of a tool
		it.sayings = []saying{{text: fmt.Sprintf("%s %s: %s %s", name, a[0], n, a[1]), role: session.Tool}}
	case 7:
		it.sayings = []saying{{text: fmt.Sprintf("checked 1 component\nThe %s %s is %s %s.\ndone", name, a[0], n, a[1]), role: session.Tool}}
	default:
		tech := d.of(technology)
		it.sayings = []saying{say("We use %s for the %s.", tech, name)}
		it.keys, it.question = []string{name, tech}, fmt.Sprintf("Which technology do we use for the %s?", name)
	}
	return it
}

func (d *dice) updateItem() *item {
	name := d.codename()
	a := attributes[d.IntN(len(attributes))]
	old := d.number()
	it := &item{sayings: []saying{say("The %s %s is %s %s.", name, a[0], old, a[1])},
		question: fmt.Sprintf("What is the %s %s now?", name, a[0])}
	for range 1 + d.IntN(5) {
		n := d.number()
		it.stale = append(it.stale, old)
		switch d.IntN(6) {
		case 0:
			it.sayings = append(it.sayings, say("The %s %s is now %s %s.", name, a[0], n, a[1]))
		case 1:
			it.sayings = append(it.sayings, say("We changed the %s %s to %s %s.", name, a[0], n, a[1]))
		case 2:
			it.sayings = append(it.sayings, say("Update: the %s %s went from %s to %s %s.", name, a[0], old, n, a[1]))
		case 3:
			it.sayings = append(it.sayings, say("I set the %s %s to %s %s this morning because %s.", name, a[0], n, a[1], d.reason()))
		case 4:
			it.sayings = append(it.sayings, say("The %s of the %s has been raised to %s %s.", a[0], name, n, a[1]))
		default:
			it.sayings = append(it.sayings, say("Correction, the %s %s is %s %s.", name, a[0], n, a[1]))
		}
		old = n
	}
	it.keys = []string{name, old}
	return it
}

func (d *dice) causeItem() *item {
	name, why, tech := d.codename(), d.reason(), d.of(technology)
	it := &item{keys: []string{name, why}, question: fmt.Sprintf("Why was something done about the %s?", name)}
	switch d.IntN(7) {
	case 0:
		it.sayings = []saying{say("We dropped %s from the %s because %s.", tech, name, why)}
	case 1:
		it.sayings = []saying{say("The %s went down last night, caused by one thing: %s.", name, why)}
	case 2:
		it.sayings = []saying{say("Since %s, we moved the %s to %s.", why, name, d.of(regions))}
	case 3:
		it.sayings = []saying{say("In the end %s, which is why we rebuilt the %s.", why, name)}
	case 4:
		it.sayings = []saying{say("We rewrote the %s after %s.", name, why)}
	case 5:
		it.sayings = []saying{say("Commit: rolled back the %s, because %s", name, why)}
		it.sayings[0].short = true // a note is a message of its own
	default:
		it.sayings = []saying{say("We decided to freeze the %s given that %s.", name, why)}
	}
	return it
}

func (d *dice) revertedItem() *item {
	name, why, tech := d.codename(), d.reason(), d.of(technology)
	it := &item{keys: []string{tech, name, why}, question: fmt.Sprintf("What happened with %s in the %s?", tech, name)}
	m := d.IntN(10)
	switch d.IntN(3) {
	case 0:
		it.sayings = []saying{say("We tried %s for the %s in %s and dropped it in %s because %s.", tech, name, months[m], months[m+1+d.IntN(2)], why)}
		it.ends = [2]string{"tried", "dropped"}
	case 1:
		it.sayings = []saying{say("Added %s to the %s.", tech, name), say("Removed %s from the %s because %s.", tech, name, why)}
		it.ends = [2]string{"Added", "Removed"}
	default:
		it.sayings = []saying{say("We adopted %s for the %s.", tech, name),
			say("We have abandoned %s for the %s, due to the fact that %s.", tech, name, why)}
		it.ends = [2]string{"adopted", "abandoned"}
	}
	return it
}

// joined is all that an item's messages say.
func (it *item) joined() string {
	var b strings.Builder
	for _, s := range it.sayings {
		b.WriteString(s.text)
		b.WriteByte(' ')
	}
	return b.String()
}
