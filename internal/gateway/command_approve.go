package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/live"
)

// mostCalls bounds the number of a call that people may give.
const mostCalls = 9999

func (o *call) approve(ctx context.Context) (reply, error) { return o.decideNumbered(ctx, "approve") }

func (o *call) deny(ctx context.Context) (reply, error) { return o.decideNumbered(ctx, "deny") }

// decideNumbered decides about the call with the number that the command is given; without one about the only call that waits.
func (o *call) decideNumbered(ctx context.Context, command string) (reply, error) {
	n, ok := o.number(0, mostCalls)
	if !ok {
		return reply{text: "Give the number of the call: " + o.named(command) + " 1"}, nil
	}
	rec, err := o.underWay(ctx)
	if err != nil {
		return reply{}, err
	}
	waiting := rec.Approvals
	i := slices.IndexFunc(waiting, func(a live.Approval) bool { return a.Number == n })
	switch {
	case len(waiting) == 0:
		return reply{text: "Nothing waits for an approval."}, nil
	case n == 0 && len(waiting) == 1:
		i = 0
	case n == 0:
		which := fmt.Sprintf("Several calls wait for an approval. Name one by its number, such as %s %d:", o.named(command), waiting[0].Number)
		return reply{text: which + waitingList(waiting)}, nil
	case i < 0:
		return reply{text: fmt.Sprintf("There is no call %d. What waits for an approval:", n) + waitingList(waiting)}, nil
	}
	return o.decide(ctx, rec.ID, waiting[i].CallID, command == "approve")
}

// mostListed is how much of a call's arguments a list shows, in characters.
const mostListed = 200

// waitingList are the calls that wait for an approval, a line each, with their numbers and arguments.
func waitingList(waiting []live.Approval) string {
	var b strings.Builder
	b.WriteString("\n\n")
	for i := range waiting {
		a := &waiting[i]
		fmt.Fprintf(&b, "%d. %s\n", a.Number, strings.TrimSpace(plain(cite.Line(a.Name))+" "+plain(listedArguments(a))))
	}
	return b.String()
}

// listedArguments are the arguments of a call in one line; "" if it has none.
func listedArguments(a *live.Approval) string {
	line := language.OneLine(legible(string(maskedArguments(a.Arguments))))
	if strings.ReplaceAll(line, " ", "") == "{}" {
		return ""
	}
	return shortened(line, mostListed)
}

// underWay is the turn that is under way in the chat; the zero one if there is none.
func (o *call) underWay(ctx context.Context) (live.Run, error) {
	d := o.drafts.of(o.owner, o.chat.Place)
	if d == nil {
		return live.Run{}, nil
	}
	return o.runs.Run(ctx, callerOf(o.owner), d.run)
}
