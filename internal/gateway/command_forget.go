package gateway

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
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
		return reply{text: "Say what to forget: /forget THING"}, nil
	}
	if sure {
		return o.forgetNow(ctx, thing)
	}
	would, err := o.curator.Forget(ctx, o.owner, thing, true)
	if err != nil {
		return reply{}, err
	}
	const own = 1 // the record of this command, which names the thing
	places := would.Sessions + would.Texts + would.Records + would.Jobs - own
	if would.Messages+would.Facts+places == 0 {
		return reply{text: textUnmentioned}, nil
	}
	counted := fmt.Sprintf("**%s** stands in %s, %s and %s.", plain(thing),
		amount(would.Messages, "message"), amount(would.Facts, "fact"), amount(places, "other place"))
	return o.askToForget(thing, counted), nil
}

// askToForget asks whether to forget a thing: with buttons, or in words on a platform that has
// none.
func (o *call) askToForget(thing, counted string) reply {
	if o.bot.Adapter.Limits().Buttons == 0 {
		return reply{text: counted + " To erase all of it for good, everywhere, send the same command with `--yes` behind it."}
	}
	origin := originForget + thing
	id := sendID(o.owner, o.chat.Place, origin, 0)
	return reply{
		text: counted + " Erase all of it for good, everywhere?", origin: origin,
		buttons: []Button{{ID: pressForget + ":" + id, Label: "Erase"}, {ID: pressDeny + ":" + id, Label: "Keep"}},
	}
}

// textUnmentioned answers a thing that nothing names. It does not repeat the thing: the answer is
// stored, and would name it.
const textUnmentioned = "Nothing here mentions that, as it is spelt there."

// forgetNow erases a thing, and shows the proof.
func (o *call) forgetNow(ctx context.Context, thing string) (reply, error) {
	done, err := o.curator.Forget(ctx, o.owner, thing, false)
	if err != nil {
		return reply{}, err
	}
	if done.Messages+done.Facts+done.Sessions+done.Texts+done.Jobs == 0 && done.Left == 0 {
		return reply{text: textUnmentioned}, nil
	}
	counted := fmt.Sprintf("Erased from %s and %s. %d files and tables were searched afterwards",
		amount(done.Messages, "message"), amount(done.Facts, "fact"), len(done.Searched))
	if done.Left > 0 {
		return reply{text: fmt.Sprintf("%s. What is left: %s. /forget it again.", counted, amount(done.Left, "mention"))}, nil
	}
	return reply{text: counted + ", and nothing is left."}, nil
}

// pressAgain handles a button whose message has none any more. A crash may have come after the
// buttons went and before the thing was erased: then the plan names the thing.
func (o *call) pressAgain(ctx context.Context) (reply, error) {
	if o.event.Plan != "" {
		return o.forgetNow(ctx, o.event.Plan)
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
	if _, err := o.store.PlanCommand(ctx, o.owner, o.event.name(), thing); err != nil {
		return reply{}, fmt.Errorf("store a plan: %w", err)
	}
	s.Text = "Erased."
	if err := o.replace(ctx, s); err != nil {
		return reply{}, err
	}
	return o.forgetNow(ctx, thing)
}
