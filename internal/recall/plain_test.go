package recall_test

import (
	"slices"
	"testing"
)

// expectBoth asks after the statements were told in both orders.
func (a *asked) expectBoth(t *testing.T) {
	t.Helper()
	a.expect(t)
	slices.Reverse(a.told)
	a.expect(t)
}

// TestPlainThing asks for a thing where something is told of a narrower one, too.
func TestPlainThing(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"The dose is 5 mg.", "The dose for children is 2 mg."}, "What is the dose?", []string{"5 mg", "!2 mg"}},
		{[]string{"The dose is 5 mg.", "The dose for children is 2 mg."}, "What is the dose for children?", []string{"2 mg", "!5 mg"}},
		{[]string{"The exam is in room 12.", "The oral exam is in room 7."}, "Where is the exam?", []string{"room 12", "!room 7"}},
		{[]string{"My laptop is a ThinkPad.", "My work laptop is a MacBook."}, "What laptop do I have?", []string{"ThinkPad", "!MacBook"}},
		{[]string{"The ticket costs 20 dollars.", "The ticket for the museum costs 8 dollars."}, "How much is the ticket?", []string{"20 dollars", "!8 dollars"}},
		{[]string{"Der Schlüssel liegt im Flur.", "Der Schlüssel für den Keller liegt in der Küche."}, "Wo liegt der Schlüssel?", []string{"Flur", "!Küche"}},
		{[]string{"Die Sitzung ist am Montag.", "Die Sitzung des Vorstands ist am Freitag."}, "Wann ist die Sitzung?", []string{"Montag", "!Freitag"}},
		{[]string{"Le budget est de 20000 euros.", "Le budget pour les fleurs est de 300 euros."}, "Quel est le budget ?", []string{"20000", "!300"}},
		{[]string{"La reunión es el lunes.", "La reunión de padres es el jueves."}, "¿Cuándo es la reunión?", []string{"lunes", "!jueves"}},
		{[]string{"Mi coche es un Seat.", "El coche de Marta es un Kia."}, "¿Qué coche tengo?", []string{"Seat", "!Kia"}},
	} {
		a.expectBoth(t)
	}
	for _, a := range []asked{
		// What memory takes for a doubt is none where it is said of a narrower thing.
		{[]string{"The speed limit is 50.", "The speed limit for lorries is 30."}, "What is the speed limit?", []string{"limit is 50", "!30"}},
		{[]string{"The dose for children is 2 mg."}, "What is the dose?", []string{"2 mg"}},
		// Words that say which one holds now do not narrow a thing, and what has no answer is told of no thing.
		{[]string{"The rent is 900 euros.", "The new rent is 950 euros."}, "How much is the rent?", []string{"950"}},
		{[]string{"La réunion est lundi.", "La prochaine réunion est jeudi."}, "Quand est la réunion ?", []string{"jeudi"}},
		{[]string{"The meeting is important.", "The budget meeting is on Friday."}, "When is the meeting?", []string{"Friday"}},
	} {
		a.expect(t)
	}
}

// TestPlainlySo asks for what is so where a person says otherwise, or where it was otherwise.
func TestPlainlySo(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"The meeting is on Monday.", "Lea said the meeting is on Friday."}, "When is the meeting?", []string{"Monday", "!Friday"}},
		{[]string{"The meeting is on Monday.", "Last year the meeting was on Friday."}, "When is the meeting?", []string{"Monday", "!Friday"}},
		{[]string{"The meeting is on Monday.", "Last year the meeting was on Friday."}, "When was the meeting last year?", []string{"Friday", "!Monday"}},
		{[]string{"Die Sitzung ist am Montag.", "Lea sagte, die Sitzung ist am Freitag."}, "Wann ist die Sitzung?", []string{"Montag", "!Freitag"}},
		{[]string{"Die Sitzung ist am Montag.", "Letztes Jahr war die Sitzung am Freitag."}, "Wann ist die Sitzung?", []string{"Montag", "!Freitag"}},
		{[]string{"Das Büro ist in Ulm.", "Früher war das Büro in Bonn."}, "Wo ist das Büro?", []string{"Ulm", "!Bonn"}},
		{[]string{"Le bureau est à Lyon.", "Autrefois, le bureau était à Nice."}, "Où est le bureau ?", []string{"Lyon", "!Nice"}},
		{[]string{"La reunión es el lunes.", "El año pasado la reunión fue el viernes."}, "¿Cuándo es la reunión?", []string{"lunes", "!viernes"}},
	} {
		a.expectBoth(t)
	}
	for _, a := range []asked{
		{[]string{"Lea said the meeting is on Friday."}, "When is the meeting?", []string{"Friday"}},
		// A change is no thing of the past.
		{[]string{"The meeting is on Monday.", "The meeting was moved to Friday."}, "When is the meeting?", []string{"Friday"}},
		{[]string{"The limit is 512 MB.", "Yesterday the limit was raised to 1 GB."}, "What is the limit?", []string{"1 GB"}},
	} {
		a.expect(t)
	}
}
