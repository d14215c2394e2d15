package memory

import (
	"slices"
	"testing"
)

// held are the statements that still hold after some messages.
func held(texts ...string) (out []string) {
	conv, _ := talk(texts...)
	for f := range conv.state.Facts() {
		if f.Current() && f.Kind.Asserted() {
			out = append(out, f.Statement)
		}
	}
	return out
}

// TestTakeBackUnasked keeps what was told where nobody is asked to forget it: the verb is
// denied, has another subject or a condition, is asked about, or the words are an idiom.
func TestTakeBackUnasked(t *testing.T) {
	t.Parallel()
	const told = "My locker is number 88"
	for _, said := range []string{
		"Do not ever forget my locker!", "Please do not forget the locker.", "Please never forget my locker.",
		"You must not forget my locker.", "You should never forget my locker.", "Can you please not forget my locker?",
		"I won't forget my locker.", "I'll never forget my locker.", "We shall not forget our locker.", "I always forget my locker.",
		"I might forget my locker.", "She would forget the locker.", "People forget the locker all the time.",
		"Did you forget my locker?", "Why would you forget my locker?", "Forget my locker?", "Will you forget my locker?",
		"If I move, forget my locker.", "Forget my locker if I move.", "I don't want you to forget my locker.",
		"I do not take that back.", "I won't take it back.", "If that's wrong, tell me.", "That was wrong?",
		"Nevermind!", "Ok, never mind.", "Never mind that.", "Ah well, forget it.", "Never mind, what is for lunch?",
		"Just forget it.", "Can you forget it?", "Forget about it.", "Let's forget it.",
		"Vergiss mein Fach nicht!", "Bitte nicht vergessen!", "N'oublie pas mon casier.", "No olvides mi taquilla.",
		"Non dimenticare il mio armadietto.", "Vergeet mijn kluisje niet.", "Macht nichts.", "Laisse tomber.", "Da igual.",
	} {
		if got := held(told+".", said); !slices.Contains(got, told) {
			t.Errorf("%q: got %q, want what was told before", said, got)
		}
	}
}

// TestTakeBackAsked takes back what someone asks to be forgotten.
func TestTakeBackAsked(t *testing.T) {
	t.Parallel()
	const told = "My locker is number 88"
	for _, said := range []string{
		"Forget my locker.", "Oh, and forget the locker, please.", "Please just forget my locker now.", "Could you please forget my locker?",
		"Would you kindly forget about the locker?", "You can forget my locker.", "I'd like you to forget about my locker.",
		"I want you to forget my locker.", "No, forget my locker.", "Hermes, forget my locker.", "Let's forget about the locker.",
		"Forget everything about the locker.", "Do forget my locker.", "Forget that.", "Please scratch that.", "Can you ignore that?",
		"Sorry, that's wrong.", "But I was wrong about the locker.", "Forget about that.", "I take that back.",
	} {
		if got := held(told+".", said); slices.Contains(got, told) {
			t.Errorf("%q: got %q, want it taken back", said, got)
		}
	}
}

// TestTakeBackByName takes back the thing that is named, in all the words that it was told in,
// and only what the speaker may take back.
func TestTakeBackByName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, want []string }{
		"an earlier one stays gone": {[]string{"My locker is number 88.", "My locker is now number 91.", "Forget my locker."}, nil},
		"told twice":                {[]string{"My locker is number 88.", "I like tea.", "My locker is number 88.", "Forget my locker."}, []string{"I like tea"}},
		"with its reminders":        {[]string{"My locker is number 88.", "Never forget my locker.", "Please forget my locker."}, nil},
		"not after a question":      {[]string{"My locker is number 88.", "What is my locker?", "Forget that."}, nil},
	} {
		if got := held(c.said...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestCorrection learns what is so instead in the same message, as the new version of what it
// corrects.
func TestCorrection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ told, said, want string }{
		{"My sister is a nurse.", "That's wrong, she is a dentist.", "she is a dentist"},
		{"My train leaves at 8:15.", "Scratch that, it leaves at 9:40.", "it leaves at 9:40"},
		{"My train leaves at 8:15.", "No, that's not right. It leaves at 9:40.", "It leaves at 9:40"},
		{"Our meeting room is Turing.", "I take that back, it's Lovelace.", "it's Lovelace"},
		{"Our meeting room is Turing.", "Sorry, that was wrong: Lovelace.", "Lovelace"},
		{"My shoe size is 42.", "Strike that, 43.", "43"},
		{"My shoe size is 42.", "That is incorrect, I meant 43.", "I meant 43"},
		{"My cat is called Mimi.", "That's not true, her name is Momo.", "her name is Momo"},
		{"My shoe size is 42.", "I was wrong about my shoe size, it's 43.", "it's 43"},
	} {
		conv, change := talk(c.told, c.said)
		if len(change.Reversals) != 1 || change.Reversals[0].Now.Statement != c.want {
			t.Errorf("%s %s: got reversals %+v, want one to %q", c.told, c.said, change.Reversals, c.want)
			continue
		}
		was, now := change.Reversals[0].Was, change.Reversals[0].Now
		if was.SupersededBy != now.ID || !now.Kind.Asserted() {
			t.Errorf("%s %s: got %q replaced by %q, and the new one is %s", c.told, c.said, was.Statement, was.SupersededBy, now.Kind)
		}
		restored := NewState()
		restored.Restore(slices.Collect(conv.state.Facts()))
		if restored.Hash() != conv.state.Hash() {
			t.Errorf("%s %s: the restored state has another hash", c.told, c.said)
		}
	}
}

// TestCorrectionElse replaces nothing by words that do not say what is so instead.
func TestCorrectionElse(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"That's wrong, sorry.", "Scratch that, it doesn't matter.", "Forget that, let's talk about the weather.", "That's wrong, I was wrong.",
		"That's wrong, haha.", "Scratch that, I made that up.", "Forget that, what is the time?", "That's wrong. What is the time?",
	} {
		conv, change := talk("My shoe size is 42.", said)
		if len(change.Reversals) != 0 {
			t.Errorf("%q: got %+v, want no new version", said, change.Reversals)
		}
		for f := range conv.state.Facts() {
			if f.Statement == "My shoe size is 42" && f.Current() {
				t.Errorf("%q: what was told still holds", said)
			}
		}
	}
}
