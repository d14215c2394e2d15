package errand_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/errand"
)

// BenchmarkRecognise measures what every turn costs that is no errand.
func BenchmarkRecognise(b *testing.B) {
	agent := errand.Call{Agent: true, Messages: []errand.Message{
		{Role: "system", Text: strings.Repeat("Keep the answers short. Use the tools of the session. ", 200)},
		{Role: "user", Text: strings.Repeat("func main() { chat.Title() }\n", 2000)},
	}}
	chat := errand.Call{}
	for range 100 {
		chat.Messages = append(chat.Messages,
			errand.Message{Role: "user", Text: "What did we say about the title of the chat in the first session?"},
			errand.Message{Role: "assistant", Text: strings.Repeat("We said much about it. ", 40)})
	}
	chat.Messages = append(chat.Messages, errand.Message{Role: "user", Text: "Write me a summary of the conversation, only the summary."})
	for name, call := range map[string]*errand.Call{
		"first turn of an agent": &agent, "long chat": &chat,
		"one long message": {Messages: agent.Messages[1:]},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if errand.Recognise(call) != "" {
					b.Fatal("not an errand")
				}
			}
		})
	}
}

// BenchmarkRecogniseMessage measures the usual turn: one message of a user.
func BenchmarkRecogniseMessage(b *testing.B) {
	call := errand.Call{Messages: []errand.Message{{Role: "user", Text: strings.Repeat("Ada moved the old ledger to Porto because it was late. ", 8)}}}
	for b.Loop() {
		if errand.Recognise(&call) != "" {
			b.Fatal("not an errand")
		}
	}
}
