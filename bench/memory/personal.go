package main

import (
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

func (d *dice) eventItem() *item {
	name, what := d.codename(), d.of(occasions)
	it := &item{question: fmt.Sprintf("When was the %s for the %s?", what, name)}
	switch d.IntN(5) {
	case 0:
		it.sayings = []saying{say("Yesterday we held the %s for the %s.", what, name)}
		it.event = func(t time.Time) time.Time { return t.AddDate(0, 0, -1) }
	case 1:
		n := 2 + d.IntN(5)
		it.sayings = []saying{say("The %s for the %s was %d days ago.", what, name, n)}
		it.event = func(t time.Time) time.Time { return t.AddDate(0, 0, -n) }
	case 2:
		day := d.IntN(5)
		it.sayings = []saying{say("Last %s we had the %s for the %s.", weekdays[day], what, name)}
		it.event = func(t time.Time) time.Time {
			back := (int(t.Weekday()) - (day + 1) + 7) % 7
			if back == 0 {
				back = 7
			}
			return t.AddDate(0, 0, -back)
		}
	case 3:
		it.sayings = []saying{say("We're running the %s for the %s tomorrow.", what, name)}
		it.event = func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }
	default:
		n := 2 + d.IntN(3)
		it.sayings = []saying{say("%s led the %s for the %s %d weeks ago.", d.of(people), what, name, n)}
		it.event, it.slack = func(t time.Time) time.Time { return t.AddDate(0, 0, -7*n) }, 6
	}
	it.keys = []string{name, what}
	return it
}

func (d *dice) instructionItem() *item {
	n := 3 + d.IntN(400)
	wish := d.fresh(func() string { n = 3 + d.IntN(400); return fmt.Sprintf(d.of(tones), n) })
	it := &item{keys: []string{wish}, question: fmt.Sprintf("Did I ask you for %s?", wish)}
	switch d.IntN(5) {
	case 0:
		it.sayings = []saying{say("From now on, always give me %s.", wish)}
	case 1:
		it.sayings = []saying{say("Please stick to %s from here on, in all your answers.", wish)}
	case 2:
		it.sayings = []saying{say("Whenever I ask for something, use %s.", wish)}
	case 3:
		it.sayings = []saying{say("Always keep to %s.", wish)}
	default:
		it.sayings = []saying{say("I want you to always use %s.", wish)}
	}
	return it
}

func (d *dice) preferenceItem() *item {
	food, hobby := d.of(foods), d.of(hobbies)
	city := d.of(cities)
	it := &item{}
	switch d.IntN(5) {
	case 0:
		x := d.fresh(func() string { return d.of(adjectives) + " " + food })
		it.sayings, it.keys = []saying{say("I can't stand %s.", x)}, []string{x}
	case 1:
		x := d.fresh(func() string { return hobby + " in " + city })
		it.sayings, it.keys = []saying{say("I really love %s.", x)}, []string{x}
	case 2:
		x := d.fresh(func() string { return d.of(nouns) + " " + food })
		y := d.of(foods)
		it.sayings, it.keys = []saying{say("I prefer %s over plain %s.", x, y)}, []string{x, y}
	case 3:
		x := d.fresh(func() string { return d.of(adjectives) + " " + d.of(fillerThing) })
		y := d.of(cities)
		it.sayings, it.keys = []saying{say("My favourite %s comes from %s.", x, y)}, []string{x, y}
	default:
		x := d.fresh(func() string { return d.of(nouns) + " " + hobby })
		it.sayings, it.keys = []saying{say("I'm a big fan of %s.", x)}, []string{x}
	}
	it.question = fmt.Sprintf("What do I think of %s?", it.keys[0])
	return it
}

func (d *dice) personalItem() *item {
	who := d.of(people)
	switch d.IntN(5) {
	case 0:
		x := d.fresh(func() string { return d.of(adjectives) + "-haired " + d.of(relatives) })
		return &item{sayings: []saying{say("My %s is called %s.", x, who)}, keys: []string{x, who},
			question: fmt.Sprintf("What is my %s called?", x)}
	case 1:
		x := d.fresh(func() string { return d.of(relatives) + " " + d.of(people) })
		day := fmt.Sprintf("%s %d", d.of(months), 1+d.IntN(28))
		return &item{sayings: []saying{say("My %s's birthday is on %s.", x, day)}, keys: []string{x, day},
			question: fmt.Sprintf("When is my %s's birthday?", x)}
	case 2:
		x := d.fresh(func() string { return d.of(jobs) + " in " + d.of(cities) })
		return &item{sayings: []saying{say("For a while I worked as a %s.", x)}, keys: []string{x}, question: fmt.Sprintf("Was I ever a %s?", x)}
	case 3:
		x := d.fresh(func() string { return d.of(adjectives) + " " + d.of(nouns) })
		return &item{sayings: []saying{say("I am allergic to %s pollen.", x)}, keys: []string{x},
			question: fmt.Sprintf("How do I react to %s?", x)}
	}
	x := d.fresh(func() string { return d.of(hobbies) + " club of " + d.of(cities) })
	return &item{sayings: []saying{say("I'm a member of the %s.", x)}, keys: []string{x}, question: fmt.Sprintf("Am I in a %s?", x)}
}

// distractor is something said that must not be taken for true.
func (d *dice) distractor(sort string) *item {
	name, n := d.codename(), d.number()
	tech := d.of(technology)
	it := &item{marker: name}
	a := attributes[d.IntN(len(attributes))]
	switch sort {
	case "hypothetical":
		it.sayings = []saying{say(d.of([]string{
			"If we had the money, we would move the %s to %s.", "Maybe we should put the %s on %s.",
			"Suppose the %s used %s instead.", "I'm thinking about porting the %s to %s, not sure yet.",
		}), name, tech)}
	case "question":
		it.sayings = []saying{say(d.of([]string{
			"Does the %s use %s?", "Should we run the %s on %s?", "Is it true that the %s was moved to %s?",
		}), name, tech)}
	case "third party":
		it.sayings = []saying{say(d.of([]string{
			"My brother's company runs the %s on %s.", "A friend of mine uses the %s with %s.",
			"My colleague thinks the %s needs %s.", "My neighbour loves the %s and %s.",
		}), name, tech)}
	case "negated":
		it.sayings = []saying{say(d.of([]string{
			"We never ran the %s on %s.", "It is not true that the %s uses %s.", "The %s does not use %s.", "We didn't choose the %s or %s.",
		}), name, tech)}
	case "quoted":
		it.sayings = []saying{say(d.of([]string{
			"> The %s has to run on %s.", "The blog said: \"the %s is always on %s and nothing else\".",
			"He wrote \"we put the %s on %s last year\".",
		}), name, tech)}
	case "proposal":
		it.sayings = []saying{
			{text: fmt.Sprintf("I suggest moving the %s to %s.", name, tech), role: session.Assistant},
			{text: "Hm, I don't think so. Something else: " + d.fillerSentence(), role: session.User, next: true},
		}
	default:
		it.sayings = []saying{say("The %s %s is %s %s.", name, a[0], n, a[1]),
			say("%s", d.of([]string{"Scratch that.", "Forget that, I was wrong.", "No wait, ignore that."}))}
		it.sayings[0].short, it.sayings[1].next = true, true
	}
	return it
}
