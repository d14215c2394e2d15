package main

import (
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
)

// The casual templates say things as people chat, and were not written by whoever wrote
// those of item.go and personal.go. Nothing is tuned to them: they measure whether what
// holds for the other templates holds for these.

// casualTemplate is a way to tell something. In its sayings %a is a name, and %b and %c are
// values: the second and later sayings tell another value each.
type casualTemplate struct {
	sayings []string
	values  func(*dice) string
}

func casualDays(d *dice) string {
	return fmt.Sprintf("%s %d", strings.ToLower(d.of(months))[:3], 1+d.IntN(28))
}

func casualPeople(d *dice) string  { return d.of(people) + " " + d.of(nouns) + "son" }
func casualPlaces(d *dice) string  { return d.of(cities) + " " + d.of(nouns) + " street" }
func casualSums(d *dice) string    { return fmt.Sprintf("%d euros", 20+d.IntN(9000)) }
func casualCounts(d *dice) string  { return fmt.Sprintf("%d crates", 2+d.IntN(900)) }
func casualThings(d *dice) string  { return d.of(adjectives) + " " + d.of(foods) }
func casualSystems(d *dice) string { return d.of(technology) }

// casualFacts are told once.
func casualFacts() []casualTemplate {
	return []casualTemplate{
		{[]string{"%a: went with %b in the end"}, casualSystems},
		{[]string{"ok so the %a people sent the contract, %b for the year"}, casualSums},
		{[]string{"got the keys for %a today!! it's on %b"}, casualPlaces},
		{[]string{"fyi %b does the books for %a from here on"}, casualPeople},
		{[]string{"dentist for %a, %b, half past nine"}, casualDays},
		{[]string{"the %a order came in short, %b"}, casualCounts},
		{[]string{"%a allergy test is back. turns out it's %b"}, casualThings},
		{[]string{"had a long call with %b, they'll take over %a"}, casualPeople},
		{[]string{"the password thing at %a is sorted, everybody uses %b logins"}, casualSystems},
		{[]string{"so %a opens %b. i am terrified"}, casualDays},
		{[]string{"what i paid for %a all in all: %b"}, casualSums},
		{[]string{"%a's teacher is %b, seems strict but fair"}, casualPeople},
	}
}

// casualUpdates are told again with another value.
func casualUpdates() []casualTemplate {
	return []casualTemplate{
		{[]string{"%a rehearsal: %b", "the %a rehearsal slipped, %c"}, casualDays},
		{[]string{"renting the %a hall, %b a month", "landlord put the %a hall up to %c"}, casualSums},
		{[]string{"%b looks after %a for us", "%a is with %c since the row"}, casualPeople},
		{[]string{"%a runs off %b", "bye bye old setup, %a has been on %c since friday"}, casualSystems},
		{[]string{"we have %b of %a left", "down to %c of %a"}, casualCounts},
		{[]string{"the %a workshop sits at %b", "%a moved out, new address %c"}, casualPlaces},
		{[]string{"for %a i'd serve %b", "change of plan for %a, %c instead"}, casualThings},
		{[]string{"%a is due %b", "they gave us more time on %a, %c now"}, casualDays},
	}
}

// casualTraps must not be asserted.
func casualTraps() []string {
	return []string{
		"imagine %a on %b lol", "would %a even work with %b?", "my cousin swears by %b for her %a",
		"write me a limerick about %a and %b", "the novel i'm reading has a spy called %a who drinks nothing but %b",
		"translate to Dutch: %a meets %b at noon", "what if we'd given %a to %b back then",
		"haha yes and %a will be run by %b, the parrot",
		"Subject: Offer\n\nDear customer,\nour %a now comes with %b.\nKind regards\nSales", "say I had %a with %b, how would I word it?",
	}
}

// casualFiller is what tells nothing.
func (d *dice) casualFiller() string {
	return d.fresh(func() string {
		return strings.NewReplacer("%x", d.of(fillerTopic), "%y", d.of(fillerThing), "%z", d.of(fillerVerb), "%w", d.of(fillerMood),
			"%p", d.of(fillerPlace)).Replace(d.of([]string{
			"how do i get %x out of a %y", "lol", "thx!! that %y tip worked", "make the second paragraph about %x shorter",
			"can you check the commas: the %y %z", "give me 3 synonyms for %w", "another one but with a %y", "hm no. less %w please",
			"recipe w/ %x? no oven", "what's the capital of the place with the %x", "i'm so tired today", "explain %x like i'm five",
			"same again in french", "whoa ok", "which is bigger, %x or a %y", "it's raining on %p again",
		}))
	})
}

// casualAnswer is what an assistant says to it.
func (d *dice) casualAnswer() string {
	return d.fresh(func() string {
		return fmt.Sprintf(d.of([]string{
			"Sure: %s, then a %s, then wait.", "Happy to. In short, %s is a bit like a %s.", "Here you go, with %s and one %s.",
			"Glad it helped! Shall we go on with %s or with the %s?",
		}), d.of(fillerTopic), d.of(fillerThing))
	})
}

func (t *casualTemplate) item(d *dice, sort string) *item {
	name, value := d.codename(), t.values(d)
	it := &item{sort: sort}
	for i, text := range t.sayings {
		if i > 0 {
			it.stale = append(it.stale, strings.ToLower(value))
			for old := value; value == old; {
				value = t.values(d)
			}
		}
		it.sayings = append(it.sayings, say("%s", strings.NewReplacer("%a", name, "%b", value, "%c", value).Replace(text)))
		it.sayings[i].short = true
	}
	it.keys = []string{strings.ToLower(name), strings.ToLower(value)}
	return it
}

// casualTranscript is a conversation of n messages in casual words: every tenth message or
// so tells something, and half as many only seem to.
func casualTranscript(n int, seed uint64) *transcript {
	d, t := newDice(seed), &transcript{}
	facts, updates, traps := casualFacts(), casualUpdates(), casualTraps()
	for i := range n / 20 {
		t.items = append(t.items, facts[i%len(facts)].item(d, "fact"), updates[i%len(updates)].item(d, "update"))
		name := d.codename()
		it := &item{sort: "quoted", marker: name}
		it.sayings = []saying{say("%s", strings.NewReplacer("%a", name, "%b", d.of(technology)).Replace(traps[i%len(traps)]))}
		it.sayings[0].short = true
		t.traps = append(t.traps, it)
	}
	t.plant(d, n/2, d.casualFiller, d.casualAnswer)
	return t
}

// casualRetention is what a state keeps of a casual conversation within a budget.
func casualRetention(messages, budget int, count func(string) int) *result {
	t := casualTranscript(messages, 1)
	state, _ := learn(t)
	return score(t, state.Block(budget, count, memory.BlockOptions{}), budget, count)
}
