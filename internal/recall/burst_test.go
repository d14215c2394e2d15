package recall_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// burst is the answer to messages that came at once. A message that begins with "<" is an answer
// among them.
func (k *talk) burst(messages ...string) string {
	k.t.Helper()
	p := k.prompt(messages[0], false)
	q := p.Question
	for _, text := range messages[1:] {
		role := session.User
		if answer, ok := strings.CutPrefix(text, "<"); ok {
			role, text = session.Assistant, answer
		}
		change, d := k.learn(role, "", text)
		q.Input = append(q.Input, session.Message{Role: role, Content: text, RootID: k.Root, Seq: d.Seq, SaidAt: k.Now})
		q.Learned, q.Reversals = append(q.Learned, change.Learned...), append(q.Reversals, change.Reversals...)
	}
	got, _ := answerOf(k.t, p)
	return got
}

// TestBurst: each question is answered of the messages that are answered together, wherever it
// stands among them.
func TestBurst(t *testing.T) {
	t.Parallel()
	const dog, car = "your dog is called Rex", "your car is blue"
	for name, tt := range map[string]struct {
		messages []string
		want     []string
	}{
		"a question first":      {[]string{"What is my dog called?", "My aunt lives in Porto."}, []string{dog, "Porto"}},
		"a question in between": {[]string{"Morning!", "What is my dog called?", "My aunt lives in Porto."}, []string{dog, "Porto"}},
		"two questions":         {[]string{"What is my dog called?", "What colour is my car?"}, []string{dog, car}},
		"one is open":           {[]string{"When did Olga retire?", "What colour is my car?"}, []string{`"When did Olga retire?" I have not been told.`, car}},
		"the same twice":        {[]string{"What is my dog called?", "What is my dog called?"}, []string{dog, "!\n"}},
		"answered before":       {[]string{"What is my dog called?", "<It is Rex.", "What colour is my car?"}, []string{car, "!" + dog}},
		"a secret first":        {[]string{"My password is hunter2-xyz.", "What colour is my car?"}, []string{"I remember no passwords", car}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t)
			k.tell("My dog is called Rex.", "My car is blue.")
			expect(t, strings.Join(tt.messages, " / "), k.burst(tt.messages...), tt.want...)
		})
	}
}
