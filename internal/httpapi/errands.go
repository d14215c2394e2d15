package httpapi

import (
	"github.com/hermes-memory/hermes/internal/errand"
	"github.com/hermes-memory/hermes/internal/openai"
)

// noTask is the value of the task header with which nothing is taken for an errand.
const noTask = "none"

// recognised begins the task header of an answer to a recognised errand; its kind follows.
const recognised = "recognised-"

// recognise notes that the request is an errand of a front end, such as the title of a
// chat, though the client does not say so. The answer names the kind. Clients that use
// this server's headers for the task, or want the turn to go on without them, know what
// they ask for.
func (t *turnRequest) recognise(call *errand.Call) {
	if t.r.Header.Get(taskHeader) != "" || t.r.Header.Get(detachHeader) != "" {
		return
	}
	if t.errand = errand.Recognise(call); t.errand != "" {
		t.out.Set(taskHeader, recognised+string(t.errand))
	}
}

// errandCall is a request in the form in which errands are recognised. instructions stand
// outside the messages; tools is the array of tools.
func errandCall(instructions string, ms []openai.Message, tools []byte, shape openai.Shape) *errand.Call {
	call := &errand.Call{Messages: make([]errand.Message, len(ms)), MaxTokens: shape.MaxTokens, JSON: shape.JSON, Agent: openai.Several(tools)}
	if instructions != "" {
		call.System = []string{instructions}
	}
	for i := range ms {
		call.Messages[i] = errand.Message{Role: ms[i].Role, Text: ms[i].Text}
	}
	return call
}
