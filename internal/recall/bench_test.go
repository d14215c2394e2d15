package recall_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// BenchmarkAnswer asks in a scope of many messages.
func BenchmarkAnswer(b *testing.B) {
	for _, size := range []int{100, 6000} {
		k := newTalk(b)
		for i := range size {
			c := runtest.Scopes[i%3].Told[i%len(runtest.Scopes[i%3].Told)]
			k.learn(session.User, "", fmt.Sprintf("%s That was in week %d of project %d.", c.Said, i, i/7))
			k.Now = k.Now.Add(time.Minute)
		}
		for name, question := range map[string]string{"told": "What colour do I like best?", "never told": "What is the airspeed of a swallow?", "in order": "Which colours have I liked, in order?", "changed": "What has changed?"} {
			p := k.prompt(question, false)
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					answerOf(b, p)
				}
			})
		}
	}
}
