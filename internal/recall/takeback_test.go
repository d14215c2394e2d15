package recall_test

import (
	"testing"
	"time"
)

// converse says messages within one day, and returns the last answer. "Ida: " before a message
// names who says it.
func (k *talk) converse(messages ...[2]string) (answer string) {
	k.t.Helper()
	for _, m := range messages {
		k.Speaker = m[0]
		answer = k.say(m[1])
		k.Now = k.Now.Add(time.Minute - 24*time.Hour)
	}
	return answer
}

// alone are messages of a person without a name.
func alone(messages ...string) (out [][2]string) {
	for _, m := range messages {
		out = append(out, [2]string{"", m})
	}
	return out
}

// TestTakenBack names what a request took back, and quotes it nowhere afterwards.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	const bay = "The parking bay of the van is P17."
	for _, c := range []struct{ said, want []string }{
		{[]string{bay, "Could you please forget the parking bay?"}, []string{`Taken back: "The parking bay of the van is P17".`, "!Noted", "!not been told"}},
		{[]string{bay, "Forget about my bicycle."}, []string{`I found nothing to take back for "Forget about my bicycle".`}},
		{[]string{bay, "Strike that."}, []string{`Taken back: "The parking bay of the van is P17".`}},
		{[]string{bay, "Never mind."}, []string{"!Noted", "!Taken back"}},
		{[]string{bay, "Whatever you do, never forget the parking bay.", "What is the parking bay?"}, []string{"is P17", "!not been told"}},
		{[]string{bay, "Forget the parking bay.", "What have I told you today?"}, []string{"!P17", "!Forget"}},
		{[]string{bay, "Forget the parking bay.", "What do you know about the van?"}, []string{"!P17"}},
		{[]string{bay, "Forget the parking bay.", "What changed today?"}, []string{"!P17"}},
		{[]string{"I play chess. " + bay + " I hate noise.", "Forget the parking bay.", "What have I told you today?"}, []string{"chess", "noise", "!P17"}},
		{[]string{"I play chess. " + bay + " I hate noise.", "Forget the parking bay.", "What do I play?"}, []string{"chess", "!P17"}},
	} {
		k := newTalk(t)
		expect(t, c.said[len(c.said)-1], k.converse(alone(c.said...)...), c.want...)
	}
}

// TestCorrected tells what is so instead of what was taken back in the same message.
func TestCorrected(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"My uncle is a baker.", "That's not right, he is a tailor.", "What does my uncle do?", "he is a tailor"},
		{"My bus stop is Elm Street.", "Strike that, it's Oak Lane.", "Which is my bus stop?", "it's Oak Lane"},
		{"My parrot is called Kiki.", "No, that is wrong. Its name is Coco.", "What is my parrot called?", "Its name is Coco"},
		{"The rent is 900 euros.", "Scratch that, 950.", "How much is the rent?", "950"},
	} {
		k := newTalk(t)
		got := k.converse(alone(c[0], c[1])...)
		expect(t, c[1], got, c[3], "!Taken back", "!I found nothing")
		expect(t, c[2], k.converse(alone(c[2])...), c[3], "!not been told")
	}
}

// TestSecretsNotRemembered says that a secret is not remembered, and repeats none.
func TestSecretsNotRemembered(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Keep in mind that my api key is sk-qwertyuiopasdfgh0987654321.", "The password of the printer is Gr33n-Door!", "Mein Passwort ist Gr33n-Door!",
		"Is my password Gr33n-Door! any good? How tall am I?",
	} {
		got := newTalk(t).converse(alone(said)...)
		expect(t, said, got, "!Gr33n", "!qwerty")
		if said[0] != 'I' {
			expect(t, said, got, "I remember no passwords, keys or other secrets")
		}
	}
}

// TestErasedNotQuoted quotes no sentence of which only the mark of an erasure is left.
func TestErasedNotQuoted(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	for _, question := range []string{"What have I told you today?", "What is erased?", "What do you know about me?"} {
		expect(t, question, k.converse(alone("[erased]", "[erased] I live by the sea.", question)...), "![erased]")
	}
}

// TestPersons answers from what a person said of themself, and from what names them, where
// several people speak.
func TestPersons(t *testing.T) {
	t.Parallel()
	group := [][2]string{
		{"Olga", "I work in a bakery and my scooter is yellow."}, {"Omar", "I was born in Tunis."}, {"Lena", "Ich wohne in Bremen."},
		{"Omar", "Lena is allergic to cats."}, {"Olga", "We meet on Thursdays in the library."},
	}
	for _, c := range []struct {
		by, question string
		want         []string
	}{
		{"Olga", "Where do I work?", []string{"bakery", "!said"}},
		{"Omar", "Where do I work?", []string{"I have not been told that"}},
		{"Zoe", "Where was I born?", []string{"I have not been told that"}},
		{"", "Where was I born?", []string{"I have not been told that"}},
		{"Zoe", "What colour is Olga's scooter?", []string{"Olga said", "yellow"}},
		{"Omar", "Where does Olga work?", []string{"Olga said", "bakery"}},
		{"Zoe", "Where was Omar born?", []string{"Omar said", "Tunis"}},
		{"Zoe", "Where was Lena born?", []string{"!Tunis"}},
		{"Lena", "Wo wohne ich?", []string{"Bremen"}},
		{"Omar", "Wo wohne ich?", []string{"!Bremen"}},
		{"Omar", "Wo wohnt Lena?", []string{"Lena said", "Bremen"}},
		{"Lena", "What am I allergic to?", []string{"Omar said", "cats"}},
		{"Olga", "What am I allergic to?", []string{"!cats"}},
		{"Zoe", "What did Omar say?", []string{"Omar said", "Tunis", "!yellow"}},
		{"Zoe", "What have I told you?", []string{"!Tunis", "!yellow", "!Bremen"}},
		{"Omar", "What have I told you?", []string{"Tunis", "!yellow", "!Bremen"}},
		{"Zoe", "When do we meet?", []string{"Thursdays"}},
		{"Zoe", "Tell me where Omar was born.", []string{"Tunis"}},
	} {
		k := newTalk(t)
		k.converse(group...)
		expect(t, c.by+": "+c.question, k.converse([2]string{c.by, c.question}), c.want...)
	}
}

// TestForgetOfOthers takes back only what the person who asks had said.
func TestForgetOfOthers(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	got := k.converse([2]string{"Olga", "My scooter is yellow."}, [2]string{"Omar", "My scooter is blue."}, [2]string{"Olga", "Forget my scooter."})
	expect(t, "forget", got, `"My scooter is yellow"`, "!blue")
	expect(t, "Omar's", k.converse([2]string{"Omar", "What colour is my scooter?"}), "blue", "!yellow")
}
