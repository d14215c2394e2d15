package recall_test

import "testing"

// TestOurs asks for what is ours where others have such things, too.
func TestOurs(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Our dog is called Bruno.", "My aunt's dog is called Rex."}, "What is our dog called?", []string{"Bruno", "!Rex"}},
		{[]string{"Our address is 5 Lime Walk.", "My parents' address is 8 Ash Lane."}, "What is our address?", []string{"5 Lime", "!8 Ash"}},
		{[]string{"Unsere Hochzeit ist am 12. Juni.", "Die Hochzeit meiner Cousine ist am 3. August."}, "Wann ist unsere Hochzeit?", []string{"12. Juni", "!3. August"}},
		{[]string{"Notre mariage est le 12 juin.", "Le mariage de ma cousine est le 3 août."}, "Quand est notre mariage ?", []string{"12 juin", "!3 août"}},
		{[]string{"Nuestro perro se llama Bruno.", "El perro de mi tía se llama Rex."}, "¿Cómo se llama nuestro perro?", []string{"Bruno", "!Rex"}},
	} {
		a.expectBoth(t)
	}
}

// TestNamesOfAnothers: the name of another's is no name of the asker's.
func TestNamesOfAnothers(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Mein Hund heißt Bruno.", "Der Hund meines Nachbarn heißt Rex."}, "Wie heißt mein Hund?", []string{"Bruno", "!Rex"}},
		{[]string{"Mein Sohn heißt Tim.", "Der Sohn meiner Kollegin heißt Jan."}, "Wie heißt mein Sohn?", []string{"Tim", "!Jan"}},
		{[]string{"Mein Sohn heißt Tim.", "Annas Sohn heißt Jan."}, "Wie heißt mein Sohn?", []string{"Tim", "!Jan"}},
	} {
		a.expectBoth(t)
	}
}

// TestAnothersOnly: what another's is called is no sure answer to what the asker's is called.
func TestAnothersOnly(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Der Hund meines Nachbarn heißt Rex."}, "Wie heißt mein Hund?", nil},
		{[]string{"Die Katze meiner Schwester heißt Luna.", "Meine Katze heißt Mia und schläft viel."}, "Wie heißt meine Katze?", []string{"!Luna"}},
		{[]string{"Annas Sohn heißt Jan."}, "Wie heißt mein Sohn?", nil},
		{[]string{"Our dog is called Bruno and my aunt's dog is called Rex."}, "What is our dog called?", []string{"Bruno"}},
		{[]string{"My aunt's dog is called Rex."}, "What is our dog called?", nil},
	} {
		k := newTalk(t)
		k.tell(a.told...)
		got := k.say(a.question)
		if a.want == nil && sure(got) {
			t.Errorf("%q %s: got %s", a.told, a.question, got)
		}
		expect(t, a.question, got, a.want...)
	}
}
