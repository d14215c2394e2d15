package recall_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// asked is what was told, and a question with the parts that its answer has, and, behind "!", those that it has not.
type asked struct {
	told     []string
	question string
	want     []string
}

func (a *asked) expect(t *testing.T) {
	t.Helper()
	k := newTalk(t)
	k.tell(a.told...)
	expect(t, a.question, k.say(a.question), a.want...)
}

// TestOwners asks for the things of one owner where others have such things, too.
func TestOwners(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"My sister's address is 4 Elm Road.", "My address is 9 Oak Lane."}, "What is my address?", []string{"9 Oak", "!4 Elm"}},
		{[]string{"My sister's address is 4 Elm Road."}, "What is my address?", []string{unknown}},
		{[]string{"My brother's favourite colour is green.", "My sister's favourite colour is pink."}, "What is my brother's favourite colour?", []string{"green", "!pink"}},
		{[]string{"My sister's favourite colour is pink."}, "What is my brother's favourite colour?", []string{unknown}},
		{[]string{"My favourite colour is red."}, "What is my sister's favourite colour?", []string{unknown}},
		{[]string{"My mother's birthday is on 3 May."}, "When is my father's birthday?", []string{unknown}},
		{[]string{"My mum's birthday is on 3 May."}, "When is my mother's birthday?", []string{"3 May"}},
		{[]string{"My wife's sister lives in Bonn.", "My sister lives in Ulm."}, "Where does my sister live?", []string{"Ulm", "!Bonn"}},
		{[]string{"My wife's sister lives in Bonn.", "My sister lives in Ulm."}, "Where does my wife's sister live?", []string{"Bonn", "!Ulm"}},
		{[]string{"My dentist's name is Dr. Patel.", "My doctor's name is Dr. Osei."}, "What is my dentist's name?", []string{"Patel", "!Osei"}},
		{[]string{"The phone number of my doctor is 555 77.", "The phone number of my landlord is 555 88."}, "What's the phone number of my landlord?", []string{"555 88", "!555 77"}},
		{[]string{"My husband is allergic to nuts, and I'm allergic to cats."}, "What is my husband allergic to?", []string{"nuts"}},
		{[]string{"My wife is allergic to cats."}, "What is my dog called?", []string{unknown}},
		{[]string{"My cousin Lea is a vet.", "My cousin Max is a cook."}, "What is my cousin Max's job?", []string{"cook", "!vet"}},
		{[]string{"We named our boat Sue."}, "What is my name?", []string{unknown}},
		{[]string{"La dirección de mi hermano es Calle Alta 2."}, "¿Cuál es mi dirección?", []string{unknown}},
		{[]string{"El coche de mi padre es un Seat.", "Mi coche es un Ibiza."}, "¿Cuál es mi coche?", []string{"Ibiza", "!Seat"}},
		{[]string{"Le mari de ma sœur travaille chez Airbus.", "Ma sœur travaille chez Renault."}, "Où travaille ma sœur ?", []string{"Renault", "!Airbus"}},
		{[]string{"Ma voiture est une Clio.", "La voiture de mon père est une Zoé."}, "Quelle est ma voiture ?", []string{"Clio", "!Zoé"}},
		{[]string{"Die Adresse meines Bruders ist Birkenweg 2."}, "Was ist meine Adresse?", []string{unknown}},
		{[]string{"Mein Hund heißt Rex.", "Ich heiße Otto."}, "Wie heiße ich?", []string{"Otto", "!Rex"}},
	} {
		a.expect(t)
	}
}

// TestTellsOfAnotherOnly: what another does is no sure answer to what the asker does.
func TestTellsOfAnotherOnly(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"My dad has a Volvo."}, "What car do I have?", nil},
		{[]string{"Ove is a carpenter."}, "What is my job?", nil},
		{[]string{"Marta is allergic to peanuts."}, "What am I allergic to?", nil},
		{[]string{"My daughter plays the cello."}, "What does my son play?", nil},
		{[]string{"Meine Mutter hat am 3. Mai Geburtstag."}, "Wann hat mein Vater Geburtstag?", nil},
	} {
		k := newTalk(t)
		k.tell(a.told...)
		if got := k.say(a.question); sure(got) {
			t.Errorf("%q %s: got %s", a.told, a.question, got)
		}
	}
}

// TestNamedRelations: a person with a name is who the name was given to.
func TestNamedRelations(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"My sister is called Ida.", "Ida's address is 7 Hill Street."}, "What is my sister's address?", []string{"7 Hill"}},
		{[]string{"My sister is called Ida.", "My sister's address is 7 Hill Street."}, "What is Ida's address?", []string{"7 Hill"}},
		{[]string{"My sister's address is 4 Hill Road.", "My sister is called Ida."}, "What is Ida's address?", []string{"4 Hill"}},
		{[]string{"My boss is called Karl.", "Karl's birthday is on 2 March.", "Lena's birthday is on 5 May."}, "When is my boss's birthday?", []string{"2 March", "!5 May"}},
		{[]string{"Rose is my aunt.", "Rose's phone number is 555 1.", "My phone number is 555 2."}, "What is my aunt's phone number?", []string{"555 1", "!555 2"}},
		{[]string{"My name is Ove.", "Ove is a carpenter."}, "What is my job?", []string{"carpenter"}},
		{[]string{"Meine Schwester heißt Ida.", "Idas Adresse ist Ringstraße 5."}, "Was ist die Adresse meiner Schwester?", []string{"Ringstraße"}},
		{[]string{"My brother Jan lives in Gouda."}, "Where does Jan live?", []string{"Gouda"}},
	} {
		a.expect(t)
	}
}

// TestSharedThings asks for what no grammar makes another's.
func TestSharedThings(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"I inherited my grandfather's watch, an Omega."}, "What watch do I have?", []string{"Omega"}},
		{[]string{"My sister and I live in Ghent."}, "Where do I live?", []string{"Ghent"}},
		{[]string{"My sister gave me a Leica camera."}, "What camera do I have?", []string{"Leica"}},
		{[]string{"Our address is 12 Fern Close."}, "What is my address?", []string{"12 Fern"}},
		{[]string{"My parents live in Kiel."}, "Where does my mother live?", []string{"Kiel"}},
		{[]string{"I have a daughter named Elke."}, "What is my daughter's name?", []string{"Elke"}},
		{[]string{"I adopted a beagle named Rex."}, "What is my dog's name?", []string{"Rex"}},
		{[]string{"My team's standup is at 9."}, "When is my team's standup?", []string{"at 9"}},
		{[]string{"Postgres is the database we use."}, "What database do I use?", []string{"Postgres"}},
		{[]string{"Berlin is where I live."}, "Where do I live?", []string{"Berlin"}},
		{[]string{"The deadline is Friday."}, "When is my deadline?", []string{"Friday"}},
	} {
		a.expect(t)
	}
}

// TestThingsOfTheUserLeftOut: other programs leave out the user of whom they speak.
func TestThingsOfTheUserLeftOut(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Name is Leopold", "Has a dachshund named Waldi"}, "What is my name?", []string{"Leopold", "!Waldi"}},
		{[]string{"Works as a welder", "Brother is a pilot"}, "What is my job?", []string{"welder", "!pilot"}},
		{[]string{"User's sister lives in Bonn", "User lives in Ulm"}, "Where do I live?", []string{"Ulm", "!Bonn"}},
		{[]string{"Wife is allergic to cats", "Allergic to nuts"}, "What am I allergic to?", []string{"nuts", "!cats"}},
	} {
		k := newTalk(t)
		k.imports(a.told...)
		expect(t, a.question, k.say(a.question), a.want...)
	}
}

// imports puts memories of another program into memory.
func (k *talk) imports(memories ...string) {
	k.t.Helper()
	k.Note = memory.ProgramNote
	for _, text := range memories {
		k.learn(session.Assistant, "mem0", text)
	}
	k.Note = ""
}

// TestShortenedQuestions: "when's" is no genitive.
func TestShortenedQuestions(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"My grandmother's birthday is on 3 June."}, "When's grandma's birthday?", []string{"3 June"}},
		{[]string{"My brother's address is 4 Elm Road."}, "What's the address of my brother?", []string{"4 Elm"}},
		{[]string{"My sister's surgery is on 5 May."}, "When\u2019s my sister\u2019s surgery?", []string{"5 May"}},
	} {
		a.expect(t)
	}
}
