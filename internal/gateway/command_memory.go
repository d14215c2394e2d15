package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// factsShown is how many facts and quotes a command shows.
const factsShown = 8

// scope is the memory of the chat.
func (o *call) scope() memory.Scope { return memory.Scope{Key: o.chat.Key} }

// memory shows what is remembered: what answers some words, or the newest facts. What a person
// asked or supposed is none.
func (o *call) memory(ctx context.Context) (reply, error) {
	if o.arg != "" {
		found, err := o.curator.Recall(ctx, o.owner, o.scope(), ranking.Query{Text: o.arg, At: o.moment(), Limit: factsShown})
		if err != nil {
			return reply{}, err
		}
		return reply{text: o.found(o.arg, found)}, nil
	}
	facts, err := o.curator.Facts(ctx, o.owner, o.scope())
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	shown := 0
	for i := len(facts) - 1; i >= 0 && shown < factsShown; i-- {
		f := &facts[i]
		if !f.Kind.Asserted() || f.SupersededBy != "" || mention.Erased(f.Quote) {
			continue
		}
		shown++
		fmt.Fprintf(&b, "- %s (%s)\n", quotedBy(f.Source.Speaker, f.Quote), o.date(f.SaidAt))
	}
	if shown == 0 {
		return reply{text: "Nothing is remembered yet."}, nil
	}
	return reply{text: b.String() + "\n" + o.named("memory") + " WORDS looks for something."}, nil
}

// quotedBy is what somebody said, in Markdown, with its secrets masked.
func quotedBy(name, text string) string {
	words := "“" + plain(shortened(oneLineText(secret.Mask(text)), maxQuote)) + "”"
	if name == "" {
		return words
	}
	return plain(cite.Name(name)) + ": " + words
}

// why shows what the last answer was given.
func (o *call) why(ctx context.Context) (reply, error) {
	tip, err := o.tip(ctx)
	if err != nil {
		return reply{}, err
	}
	ms, err := o.sessions.Messages(ctx, o.owner, tip.RootID, session.Range{Limit: 20, Newest: true, Standing: true, Receipts: true})
	if err != nil {
		return reply{}, fmt.Errorf("read messages: %w", err)
	}
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].ReceiptID != "" && !ms[i].Aside() {
			told, err := o.curator.Why(ctx, o.owner, ms[i].ReceiptID)
			return reply{text: o.explained(&told)}, err
		}
	}
	return reply{text: "There is no answer yet."}, nil
}

// explained is a receipt in words.
func (o *call) explained(e *curate.Explained) string {
	var b strings.Builder
	messages := "messages"
	if len(e.Sent) == 1 {
		messages = "message"
	}
	fmt.Fprintf(&b, "The last answer was given %d %s word for word", len(e.Sent), messages)
	if len(e.Facts)+len(e.Recalled) == 0 {
		return b.String() + ", and nothing from memory."
	}
	b.WriteString(", and from memory:\n\n")
	left := 2 * factsShown
	for i := range e.Facts {
		if mention.Erased(e.Facts[i].Quote) {
			continue
		}
		if left--; left >= 0 {
			fmt.Fprintf(&b, "- %s (%s)\n", quotedBy(e.Facts[i].Source.Speaker, e.Facts[i].Quote), o.date(e.Facts[i].SaidAt))
		}
	}
	for i := range e.Recalled {
		if mention.Erased(e.Recalled[i].Text) {
			continue
		}
		if left--; left >= 0 {
			fmt.Fprintf(&b, "- %s (%s)\n", quotedBy(e.Recalled[i].Speaker, e.Recalled[i].Text), o.date(e.Recalled[i].SaidAt))
		}
	}
	if left < 0 {
		fmt.Fprintf(&b, "- and %d more\n", -left)
	}
	return b.String()
}

// The buttons of messages. A button's ID is its word and the ID of its message.
const (
	pressApprove = "yes"
	pressDeny    = "no"
	pressForget  = "forget"
)

// press does what a button says.
func (o *call) press(ctx context.Context) (reply, error) {
	word, id, _ := strings.Cut(o.event.Button, ":")
	s, err := o.store.FindSend(ctx, o.owner, o.chat.Place, id, o.event.Message)
	if fault.KindOf(err) == fault.NotFound || err == nil && len(s.Buttons) == 0 {
		return o.pressAgain(ctx)
	}
	if err != nil {
		return reply{}, fmt.Errorf("find a message: %w", err)
	}
	if thing, ok := strings.CutPrefix(s.Origin, originForget); ok {
		return o.pressForget(ctx, &s, word, thing)
	}
	if rest, ok := strings.CutPrefix(s.Origin, originApproval); ok {
		run, call := calledFor(rest)
		return o.decide(ctx, run, call, word == pressApprove)
	}
	return reply{text: "That button is not known any more."}, nil
}

// replace gives a message another content.
func (o *call) replace(ctx context.Context, s *Send) error {
	if err := o.store.AddSends(ctx, o.owner, []Send{*s}); err != nil {
		return fmt.Errorf("change a message: %w", err)
	}
	o.lanes.ask(sending, o.owner, s.Place)
	return nil
}

func (o *call) home(ctx context.Context) (reply, error) {
	if o.bot.Account == bridgeAccount {
		return reply{text: "Jobs cannot report here: nothing can be delivered through a bridge."}, nil
	}
	if o.event.Mute {
		return reply{text: "Jobs cannot report here: the bot is not in this chat. Add the bot, then send the command again."}, nil
	}
	if err := o.store.SetHome(ctx, o.owner, o.chat.Place); err != nil {
		return reply{}, err
	}
	return reply{text: "Jobs that deliver to `" + string(o.chat.Place.Platform) + "` report here from now on."}, nil
}

// help shows a command, or all of them.
func (o *call) help(ctx context.Context) (reply, error) {
	if o.arg == "" {
		return o.hello(ctx)
	}
	c, _, near := findCommand("/" + o.arg)
	if c.do == nil {
		return reply{text: o.noSuch(near)}, nil
	}
	return reply{text: fmt.Sprintf("`%s` – %s", strings.TrimSpace(o.named(c.name)+" "+c.args), c.usage)}, nil
}

// hello says what the bot does, and shows all commands.
func (o *call) hello(context.Context) (reply, error) {
	var b strings.Builder
	b.WriteString("I remember what you tell me, and say where I know it from. Just write.\n\n")
	for _, c := range commands() {
		if c.name == "start" || c.name == "sethome" {
			continue
		}
		fmt.Fprintf(&b, "- `%s` – %s\n", strings.TrimSpace(o.named(c.name)+" "+c.args), c.usage)
	}
	return reply{text: b.String()}, nil
}
