package gateway

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/curate"
)

// originForget begins the origin of a message that asks whether to forget something.
const originForget = "forget "

// originForgotten begins the origin of such a message once it is answered.
const originForgotten = "forgotten "

// textAdmins answers people who are no admins.
const textAdmins = "Only an admin may do that: it reaches beyond this chat."

// confirmation matches the word that confirms a command, before or behind the thing. Some
// keyboards make one long dash of two.
var confirmation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:--|—|–)yes(?:\s+|$)|(?:^|\s)(?:--|—|–)yes$`)
})

// quotes are the pairs of marks that people put around a thing.
const quotes = "\"\"''“”„“‘’«»「」"

// thingOf is the thing that a command names, and whether the command confirms it.
func thingOf(arg string) (thing string, sure bool) {
	thing = strings.TrimSpace(confirmation().ReplaceAllString(arg, ""))
	sure = thing != arg
	marks := []rune(quotes)
	inner := []rune(thing)
	for i := 0; i < len(marks) && len(inner) > 2; i += 2 {
		if inner[0] == marks[i] && inner[len(inner)-1] == marks[i+1] {
			return strings.TrimSpace(string(inner[1 : len(inner)-1])), sure
		}
	}
	return thing, sure
}

// forget counts what would be erased, and asks. A person who has confirmed it in words is not
// asked.
func (o *call) forget(ctx context.Context) (reply, error) {
	thing, sure := thingOf(o.arg)
	if thing == "" {
		return reply{text: "Say what to forget: " + o.named("forget") + " THING"}, nil
	}
	if sure {
		return o.order(ctx, thing)
	}
	would, err := o.curator.Forget(ctx, o.owner, thing, true)
	if err != nil {
		return reply{}, err
	}
	const own = 1 // the record of this command, which names the thing
	places := would.Texts + would.Records - own
	if would.Messages+would.Facts+would.Sessions+would.Jobs+places == 0 {
		return reply{text: textUnmentioned}, nil
	}
	with, err := o.goesWith(ctx, thing)
	if err != nil {
		return reply{}, err
	}
	with.jobs = would.Jobs
	const most = 120 // characters: a message with buttons is never cut in two
	counted := fmt.Sprintf("**%s** stands in %s, %s and %s%s.", plain(shortened(thing, most)),
		amount(would.Messages, "message"), amount(would.Facts, "fact"), amount(places, "other place"), wholeOnes(would.Sessions))
	counted += with.list("With it go")
	return o.askToForget(thing, counted), nil
}

// wholeOnes says how many conversations go whole, because their names have the thing.
func wholeOnes(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", and in the name of 1 conversation, which goes whole"
	}
	return fmt.Sprintf(", and in the names of %d conversations, which go whole", n)
}

// askToForget asks whether to forget a thing: with buttons, or in words on a platform that has
// none.
func (o *call) askToForget(thing, counted string) reply {
	if o.bot.Adapter.Limits().Buttons == 0 {
		return reply{text: counted + " To erase all of it for good, everywhere, send the same command with `--yes` behind it."}
	}
	origin := originForget + thing // other questions have it, too
	id := sendID(o.owner, o.chat.Place, runID(o.owner, &o.event.Event), 0)
	return reply{
		text: counted + " Erase all of it for good, everywhere?", origin: origin,
		buttons: []Button{{ID: pressForget + ":" + id, Label: "Erase"}, {ID: pressDeny + ":" + id, Label: "Keep"}},
	}
}

// textUnmentioned answers a thing that nothing names. It does not repeat the thing: the answer is
// stored, and would name it.
const textUnmentioned = "Nothing here mentions that, as it is spelt there."

// order stores what is to be erased, and erases it: a try that is cut off is done again.
func (o *call) order(ctx context.Context, thing string) (reply, error) {
	plan, err := o.store.PlanCommand(ctx, o.owner, o.event.name(), curate.OrderOf(thing))
	if err != nil {
		return reply{}, fmt.Errorf("store a plan: %w", err)
	}
	thing, _ = curate.OrderedThing(plan)
	return o.forgetNow(ctx, thing)
}

// isDone reports whether an event ordered to forget a thing, and all of it is erased. The answer alone is lacking.
func (e *Inbound) isDone() bool { return e.Erased && e.Plan == curate.OrderDone }

// textProofless answers such an event.
const textProofless = "Everything about it is erased. The server stopped before I could show the proof: " +
	"%s THING, sent again, says whether anything is left."

// forgetNow erases a thing, and shows the proof.
func (o *call) forgetNow(ctx context.Context, thing string) (reply, error) {
	with, err := o.goesWith(ctx, thing)
	if err != nil {
		return reply{}, err
	}
	done, err := o.curator.Forget(ctx, o.owner, thing, false)
	if err != nil {
		return reply{}, err
	}
	with.jobs, with.sessions = done.Jobs, done.Sessions
	again := o.event.Plan != "" // an earlier try has erased the rest, and its counts are gone
	if !again && done.Messages+done.Facts+done.Sessions+done.Texts+done.Jobs+done.Unanswered == 0 && done.Left == 0 {
		return reply{text: textUnmentioned}, nil
	}
	counted := fmt.Sprintf("Erased%s.%s %d files and tables were searched afterwards",
		erasedFrom(done, again), with.list("With it went"), len(done.Searched))
	if done.Left > 0 {
		left := fmt.Sprintf("What is left: %s. Send %s THING again.", amount(done.Left, "mention"), o.named("forget"))
		return reply{text: counted + ". " + left}, nil
	}
	return reply{text: counted + ", and nothing is left."}, nil
}

// erasedFrom says where a thing was erased, without counts if an earlier try has done a part of it.
func erasedFrom(done *curate.Forgotten, again bool) string {
	if again {
		return " everywhere"
	}
	where := " from " + amount(done.Messages, "message") + " and " + amount(done.Facts, "fact")
	if done.Unanswered > 0 {
		where += ", and " + amount(done.Unanswered, "message") + " that waited for an answer"
	}
	return where
}

// pressAgain handles a button whose message has none any more. A crash may have come after the
// buttons went and before the thing was erased: then the plan names the thing.
func (o *call) pressAgain(ctx context.Context) (reply, error) {
	if o.event.Plan != "" {
		thing, _ := curate.OrderedThing(o.event.Plan)
		return o.forgetNow(ctx, thing)
	}
	return reply{text: "That was decided before."}, nil
}

// pressForget erases a thing, or does not. The buttons go first: the second press finds none.
// The question loses its origin, which names the thing, or it would be erased before the
// platform shows what became of it.
func (o *call) pressForget(ctx context.Context, s *Send, word, thing string) (reply, error) {
	if !o.may(admins) {
		return reply{text: textAdmins}, nil
	}
	s.Buttons, s.Origin = nil, originForgotten+s.ID
	if word != pressForget {
		s.Text = "Kept."
		return reply{}, o.replace(ctx, s)
	}
	if _, err := o.store.PlanCommand(ctx, o.owner, o.event.name(), curate.OrderOf(thing)); err != nil {
		return reply{}, fmt.Errorf("store a plan: %w", err)
	}
	s.Text = "Erased."
	if err := o.replace(ctx, s); err != nil {
		return reply{}, err
	}
	return o.forgetNow(ctx, thing)
}
