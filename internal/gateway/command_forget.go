package gateway

import (
	"context"
	"fmt"
	"strings"
)

// originForget begins the origin of a message that asks whether to forget something.
const originForget = "forget "

// originForgotten begins the origin of such a message once it is answered.
const originForgotten = "forgotten "

// confirmed ends a command that is not asked about again. It says in words what a button says.
const confirmed = " --yes"

// forget counts what would be erased, and asks. A person who has confirmed it in words is not
// asked.
func (o *order) forget(ctx context.Context) (reply, error) {
	thing, sure := strings.CutSuffix(" "+o.arg, confirmed)
	if thing = strings.TrimSpace(thing); thing == "" {
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
		return reply{text: "Nothing here mentions that."}, nil
	}
	counted := fmt.Sprintf("**%s** stands in %d messages, %d facts and %d other places.", plain(thing), would.Messages, would.Facts, places)
	return o.askToForget(thing, counted), nil
}

// askToForget asks whether to forget a thing: with buttons, or in words on a platform that has
// none.
func (o *order) askToForget(thing, counted string) reply {
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

// forgetNow erases a thing, and shows the proof.
func (o *order) forgetNow(ctx context.Context, thing string) (reply, error) {
	done, err := o.curator.Forget(ctx, o.owner, thing, false)
	if err != nil {
		return reply{}, err
	}
	counted := fmt.Sprintf("Erased from %d messages and %d facts. %d files and tables were searched afterwards", done.Messages, done.Facts, len(done.Searched))
	if done.Left > 0 {
		return reply{text: fmt.Sprintf("%s, and %d mentions are left: /forget it again.", counted, done.Left)}, nil
	}
	return reply{text: counted + ", and nothing is left."}, nil
}

// pressAgain handles a button whose message has none any more. A crash may have come after the
// buttons went and before the thing was erased: then the plan names the thing.
func (o *order) pressAgain(ctx context.Context) (reply, error) {
	if o.event.Plan != "" {
		return o.forgetNow(ctx, o.event.Plan)
	}
	return reply{text: "That was decided before."}, nil
}

// pressForget erases a thing, or does not. The buttons go first: the second press finds none.
// The question loses its origin, which names the thing, or it would be erased before the
// platform shows what became of it.
func (o *order) pressForget(ctx context.Context, s *Send, word, thing string) (reply, error) {
	if o.chat.Type != DM && !o.bot.admin(&o.event.From) {
		return reply{text: "In a group, only an admin may do that."}, nil
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
