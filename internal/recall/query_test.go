package recall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// queried is a question about memory with parts of the right answer, in their order.
// Parts that must not be in it are marked with "!".
type queried struct {
	question string
	want     []string
}

// remembered are scopes, each said a week apart from the first of March 2026 on, with
// questions about memory.
var remembered = []struct {
	name  string
	said  []string
	asked []queried
}{
	{
		"choir",
		[]string{
			"I sing in a choir called Nordlicht, we rehearse on Mondays in the town hall.", "Our conductor is Birgit Aalto.",
			"What rhymes with ocean?", "Rehearsals moved to the school gym because the town hall is closed.",
			"Birgit is leaving for Tampere, Tomasz Wrona conducts us from now on.", "We decided to sing the Fauré Requiem in November.",
			"The gym has an echo, so rehearsals are back in the town hall.", "My cousin's choir rehearses in a bakery, can you believe it.",
		},
		[]queried{
			{"Who has conducted us, one after the other?", []string{"Birgit Aalto", "Tomasz Wrona"}},
			{"Where did the rehearsals take place, in order?", []string{"town hall", "school gym", "back in the town hall"}},
			{"What did we decide?", []string{"Fauré Requiem", "!Tampere"}},
			{"Which decisions were reversed?", []string{"back in the town hall"}},
			{"What do you know about Birgit?", []string{"conductor is Birgit", "Tampere"}},
		},
	},
	{
		"farm",
		[]string{
			"We keep goats on a small farm near Ludlow, eleven of them.", "The milk goes to a dairy called Merrow.",
			"Our goats had kids, we have nineteen goats now.", "Merrow pays 62 pence a litre.", "lol the billy goat ate my hat",
			"Sold five goats to a neighbour, so fourteen goats are left.", "Merrow pays 68 pence a litre since Monday.",
		},
		[]queried{
			{"How did the number of goats develop?", []string{"eleven", "nineteen", "fourteen"}},
			{"How has the price of the milk changed?", []string{"62", "68"}},
			{"What do you know about Merrow?", []string{"dairy called Merrow", "62", "68"}},
			{"List all the tractors I have owned.", []string{"!You told me on 1 March 2026: \"We keep goats"}},
		},
	},
	{
		"startup",
		[]string{
			"We host everything on Hetzner.", "We decided to write the backend in Go.", "Our designer is called Yara.",
			"We moved from Hetzner to AWS because of the credits.", "We decided to price the plan at 29 dollars a month.",
			"The credits ran out, we moved back to Hetzner.", "Can you draft a tweet about our launch?",
			"We decided against a mobile app this year.",
		},
		[]queried{
			{"List our decisions.", []string{"backend in Go", "29 dollars", "mobile app", "!Yara"}},
			{"Which of our decisions did we reverse?", []string{"Hetzner", "AWS", "back to Hetzner", "!29 dollars"}},
			{"Where did we host, in order?", []string{"Hetzner", "AWS", "back to Hetzner"}},
			{"What has changed since 20 March?", []string{"AWS", "!designer is called Yara"}},
		},
	},
	{
		"thesis",
		[]string{
			"I'm writing my thesis on lichens with Professor Okafor.", "The thesis is due on 1 June.", "My desk is in room 212.",
			"Please proofread this sentence: The lichens grows slow.", "The deadline of the thesis moved to 15 July.",
			"I now sit in room 318.", "The thesis is due on 30 August, final extension.",
		},
		[]queried{
			{"How did the deadline of my thesis change over time?", []string{"1 June", "15 July", "30 August"}},
			{"Which rooms did I sit in, one after another?", []string{"212", "318"}},
			{"Tell me everything about my thesis.", []string{"lichens", "15 July", "30 August"}},
			{"When did I last mention the thesis?", []string{"final extension", "!15 July"}},
		},
	},
	{
		"kitchen",
		[]string{
			"We plan to redo the kitchen, budget 18,000 euros.", "The floor of the kitchen will be oak.", "Our builder is Marek.",
			"The kitchen budget is 22,000 euros now because of the wiring.", "What's a good soup for winter?",
			"We changed our minds about the oak, the floor gets tiles.", "Marek broke his arm, his brother Pawel takes over the work.",
			"We went back to oak for the floor after all.",
		},
		[]queried{
			{"How did the kitchen budget develop?", []string{"18,000", "22,000"}},
			{"What did we change our minds about?", []string{"oak"}},
			{"Who has been our builder, in sequence?", []string{"Marek", "Pawel"}},
			{"What has changed since 22 March?", []string{"tiles", "Pawel"}},
		},
	},
	{
		"running",
		[]string{
			"I ran 10 km in 58 minutes today.", "My running shoes are Asics.", "I ran 10 km in 55 minutes.", "I twisted my ankle.",
			"Write a limerick about shoes.", "I ran 10 km in 52 minutes, a record!", "I bought new running shoes, Brooks.",
		},
		[]queried{
			{"How did my 10 km times develop?", []string{"58", "55", "52"}},
			{"Which running shoes have I had, in order?", []string{"Asics", "Brooks"}},
			{"How often did I run 10 km?", []string{"I was told of it", "times:", "58", "52"}},
			{"What happened in March?", []string{"58", "Asics", "ankle"}},
		},
	},
	{
		"family",
		[]string{
			"My sister Ilse lives in Ghent and works as a nurse.", "My brother Piet is a carpenter in Breda.", "We have a cat called Mog.",
			"Ilse got engaged to a pilot named Arne.", "Piet adopted a dog.", "Ilse and Arne are moving to Oslo.", "Mog needs to see the vet.",
		},
		[]queried{
			{"What do you know about Ilse?", []string{"Ghent", "engaged", "Oslo", "!carpenter"}},
			{"What have I told you about Piet?", []string{"carpenter", "dog", "!Ghent"}},
			{"What do you know about Wilhelmina?", []string{"!nurse"}},
			{"List everything about Mog.", []string{"cat called Mog", "vet"}},
		},
	},
	{
		"Verein",
		[]string{
			"Ich bin Kassenwart im Ruderclub Havel.", "Unser Vorsitzender ist Herr Dombrowski.", "Der Beitrag beträgt 140 Euro im Jahr.",
			"Wie schreibt man Rhythmus?", "Frau Celik ist die neue Vorsitzende.", "Der Beitrag wurde auf 165 Euro erhöht.",
			"Wir haben beschlossen, einen Vierer zu kaufen.",
		},
		[]queried{
			{"Wie hat sich der Beitrag entwickelt?", []string{"140", "165"}},
			{"Was haben wir beschlossen?", []string{"Vierer"}},
			{"Was weißt du über den Beitrag?", []string{"140", "165"}},
		},
	},
	{
		"incident",
		[]string{
			"The search cluster has 6 nodes.", "Our on-call rota is in PagerDuty.", "The search cluster went down on 14 March because of a full disk.",
			"We grew the search cluster to 9 nodes.", "explain what a quorum is", "The rota moved to Opsgenie.",
			"The search cluster has 12 nodes since the sale.",
		},
		[]queried{
			{"How many nodes did the search cluster have over time?", []string{"6 nodes", "9 nodes", "12 nodes"}},
			{"What changed about the rota?", []string{"Opsgenie"}},
			{"History of the search cluster?", []string{"6 nodes", "full disk", "9 nodes", "12 nodes"}},
			{"Which meals did I cook, in order?", []string{"!Opsgenie"}},
		},
	},
	{
		"travel",
		[]string{
			"We spent the night in Bergen.", "We rented a blue camper van.", "We drove on to Voss and slept by the lake.",
			"The camper van broke down near Geilo.", "how do you say thank you in norwegian", "We slept in a hotel in Oslo.",
			"The camper van was towed, we got a Skoda instead.",
		},
		[]queried{
			{"Where did we sleep, one place after the other?", []string{"Bergen", "Voss", "Oslo"}},
			{"What happened with the camper van?", []string{"blue camper van", "broke down", "towed"}},
			{"What has changed since 25 July 2026?", []string{"I was told of no change."}},
		},
	},
}

// has reports whether an answer is right: it has the parts in their order.
func (q *queried) has(got string) bool {
	at := 0
	for _, part := range q.want {
		if part, not := strings.CutPrefix(part, "!"); not {
			if strings.Contains(got, part) {
				return false
			}
			continue
		}
		found := strings.Index(got[at:], part)
		if found < 0 {
			return false
		}
		at += found + len(part)
	}
	return true
}

// TestQueries asks questions about memory in ten scopes. The models that choose members
// are fitted, so that a few may fail; most must not.
func TestQueries(t *testing.T) {
	t.Parallel()
	const least = 0.85
	right, all := 0, 0
	for _, s := range remembered {
		k := newTalk(t)
		k.Now = time.Date(2026, time.March, 1, 10, 0, 0, 0, time.UTC)
		for _, text := range s.said {
			k.learn(session.User, "", text)
			k.Now = k.Now.Add(7 * 24 * time.Hour)
		}
		k.Now = time.Date(2026, time.August, 1, 10, 0, 0, 0, time.UTC)
		for _, q := range s.asked {
			all++
			got := k.say(q.question)
			if q.has(got) {
				right++
			} else {
				t.Logf("%s: %q: want %q, got\n%s", s.name, q.question, q.want, got)
			}
		}
	}
	if float64(right) < least*float64(all) {
		t.Errorf("%d of %d questions about memory are answered", right, all)
	}
}

// TestQueriesOfNothing asks questions about memory that has nothing at all.
func TestQueriesOfNothing(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	for question, want := range map[string]string{
		"What do you know about me?":              unknown,
		"What do you know about Anna?":            unknown,
		"What has changed since May?":             "[recall] I was told of no change.",
		"What happened in May 2026?":              "[recall] I was told of nothing from that time.",
		"Which decisions did we take back?":       "[recall] I was told of no reversal.",
		"List our decisions.":                     "[recall] I was told of no decision.",
		"How did the rent develop?":               unknown,
		"How often did I go to the gym?":          unknown,
		"In which order did that happen?":         unknown,
		"When did I last see the dentist?":        unknown,
		"Who has led the team so far, everybody?": unknown,
	} {
		if got := k.say(question); got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
}
