// Package recall answers without a language model: it quotes earlier messages.
//
// The responder is used if no model is configured or none can be reached. It finds the
// sentences that answer a question, says who said them and when, gives reasons and both
// sides of a reversal, acknowledges new statements, and says so if it was not told the
// answer. It draws no conclusions: apart from a few fixed phrases, every word of an
// answer was said before.
//
// The package owns parsing the question, judging whether a sentence answers it, and the
// wording. Packages memory and ranking find facts and messages.
package recall

import (
	"context"
	"iter"
	"slices"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Responder is the built-in model. It keeps no state between answers and is safe for
// concurrent use.
type Responder struct{}

// New returns the responder. It needs no configuration: everything it uses comes with
// each question.
func New() *Responder { return &Responder{} }

// The texts that do not depend on the question.
const (
	// mark begins every answer, so that it is not mistaken for a model's answer.
	mark = "[recall] "
	// unknown is the answer if no earlier message answers the question.
	unknown = "I have not been told that."
	// greeting is the answer to a message that neither asks nor states anything.
	greeting = "I keep what you say and quote it back when you ask. I am not a language model."
)

// finishStop is the reason every answer ends with.
const finishStop = "stop"

// Stream answers the newest messages of the prompt's question. The answer is complete
// before Stream returns; the sequence only yields it.
func (r *Responder) Stream(ctx context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	q := p.Question
	if q == nil {
		q = &run.Question{Input: p.Messages}
	}
	a, err := reply(ctx, q)
	if err != nil {
		return nil, err
	}
	text := mark + a.text
	return func(yield func(run.Delta, error) bool) {
		if p.Streaming {
			for piece := range pieces(text) {
				if err := ctx.Err(); err != nil {
					yield(run.Delta{}, err)
					return
				}
				if !yield(run.Delta{Content: piece}, nil) {
					return
				}
			}
			text = ""
		}
		yield(run.Delta{Content: text, FinishReason: finishStop, Finishes: true, Model: run.RecallModel, Used: a.used, Recall: a.recall}, nil)
	}, nil
}

// unanswered are the messages to answer: those of the user behind the last answer, for several
// may have come at once. If the user said nothing, it is the last message of all. There is at
// least one.
func unanswered(input []session.Message) []session.Message {
	first := len(input)
	for first > 0 && input[first-1].Role != session.Assistant {
		first--
	}
	said := slices.DeleteFunc(slices.Clone(input[first:]), func(m session.Message) bool { return m.Role != session.User })
	switch {
	case len(said) > 0:
		return said
	case len(input) > 0:
		return []session.Message{lastSaid(input)}
	}
	return []session.Message{{}}
}

// lastSaid is the user's last message, or the last one of all if the user said nothing.
func lastSaid(input []session.Message) session.Message {
	for i := len(input) - 1; i >= 0; i-- {
		if input[i].Role == session.User {
			return input[i]
		}
	}
	return input[len(input)-1]
}

// askerOf is who wrote the newest message to answer.
func askerOf(input []session.Message) string {
	said := unanswered(input)
	return said[len(said)-1].Name
}
