package recall_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestOwnThings asks for one's own things where others have such things, too, in both orders.
func TestOwnThings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		told  []string
		asked string
		want  []string
	}{
		{[]string{"My name is Rui.", "My wife's name is Inês."}, "What is my name?", []string{"Rui", "!Inês"}},
		{[]string{"My name is Rui.", "My wife's name is Inês."}, "What's my wife's name?", []string{"Inês"}},
		{[]string{"The name of my wife is Hedda.", "My name is Olaf."}, "What's my name?", []string{"Olaf", "!Hedda"}},
		{[]string{"My birthday is on 3 May.", "My brother's birthday is on 9 July."}, "When is my birthday?", []string{"3 May", "!9 July"}},
		{[]string{"My sister's birthday is on 9 July."}, "When is my birthday?", []string{"!9 July"}},
		{[]string{"My car is a Skoda.", "Pavel’s old car is a Lada."}, "What kind of car is my car?", []string{"Skoda", "!Lada"}},
		{[]string{"My phone number is 555 0101.", "Ana's new phone number is 555 0202."}, "What is my phone number?", []string{"0101", "!0202"}},
		{[]string{"I met Vera. Her favourite colour is teal.", "My favourite colour is ochre."}, "What is my favourite colour?", []string{"ochre", "!teal"}},
	} {
		k := newTalk(t)
		for _, text := range c.told {
			k.tell(text)
		}
		expect(t, c.asked, k.say(c.asked), c.want...)
	}
}

// TestThingsOfTheUser: the user of another program's memories is the asker.
func TestThingsOfTheUser(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.Note = memory.ProgramNote
	k.learn(session.Assistant, "mem0", "User's wife's name is Inês")
	k.learn(session.Assistant, "mem0", "User's name is Rui")
	k.Note = ""
	expect(t, "the user", k.say("What is my name?"), "Rui", "!Inês")
}
