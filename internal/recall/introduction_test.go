package recall_test

import "testing"

// TestWhoAmI asks who the asker is.
func TestWhoAmI(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"My name is Rolf.", "My sister's name is Inge.", "I work as a tailor."}, "Who am I?", []string{"Rolf", "tailor", "!Inge"}},
		{[]string{"My name is Rolf.", "My uncle is a pilot.", "The build takes 5 minutes."}, "Do you know who I am?", []string{"Rolf", "!pilot", "!build"}},
		{[]string{"Je m'appelle Luc.", "Mon chien s'appelle Rex."}, "Qui suis-je ?", []string{"Luc", "!Rex"}},
		{[]string{"My sister's name is Inge."}, "Who am I?", []string{unknown}},
	} {
		a.expect(t)
	}
	k := newTalk(t)
	k.imports("Name is Leopold", "Lives in Ghent", "Sister lives in Bruges")
	expect(t, "Who am I?", k.say("Who am I?"), "Leopold", "Ghent", "!Bruges")
}
