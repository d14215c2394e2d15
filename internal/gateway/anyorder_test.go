package gateway_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// deed is something that happens in a chat, and how long nothing happens before it.
type deed struct {
	after time.Duration
	what  string
	of    int // which of the messages before it an edit or a repetition is about, from the newest
}

// mood is how the model answers a prompt.
type mood struct {
	after time.Duration
	how   string
}

var days = flag.Int("days", 40, "how many random days TestAnyOrder lets pass")

// TestAnyOrder: whatever people do in whatever order, and whatever becomes of the model, of the
// platform and of the server: every message is stored once, every answer is shown once at most, and
// nothing stays open.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	pauses := rapid.SampledFrom([]time.Duration{0, time.Millisecond, 300 * time.Millisecond, 900 * time.Millisecond, 3 * time.Second, 20 * time.Second})
	of := func(list ...string) *rapid.Generator[string] { return rapid.SampledFrom(list) }
	any := rapid.Custom(func(t *rapid.T) *day {
		return &day{
			group: rapid.Bool().Draw(t, "group"), idle: rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(t, "idle"),
			busy: rapid.SampledFrom([]gateway.Busy{gateway.Queue, gateway.Interrupt}).Draw(t, "busy"),
			deeds: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deed {
				what := of("say", "say", "say", "file", "lost file", "edit", "again", "/new", "/stop", "/undo", "/retry", "/resume 1", "/title boats", "/status", "rest", "restart")
				return deed{pauses.Draw(t, "pause"), what.Draw(t, "what"), rapid.IntRange(1, 3).Draw(t, "of")}
			}), 1, 14).Draw(t, "deeds"),
			moods: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) mood {
				return mood{pauses.Draw(t, "pause"), of("say", "say", "say", "fail", "break", "silent").Draw(t, "how")}
			}), 1, 6).Draw(t, "moods"),
			platform: append(rapid.SliceOfN(of("", "", "", "limited", "temporary", "malformed"), 0, 7).Draw(t, "platform"), ""),
		}
	})
	for n := range *days {
		d := any.Example(n)
		synctest.Test(t, d.pass)
		if len(d.wrong) > 0 {
			t.Errorf("day %d, group %t, idle %s: %+v\n%+v %+v %s\n%s", n, d.group, d.idle, d.deeds, d.moods, d.platform, d.busy, strings.Join(d.wrong, "\n"))
		}
	}
}

// day is what happens in a chat, and what is wrong at its end.
type day struct {
	group    bool          // the chat is a group, in which two people speak
	idle     time.Duration // after which the session is reset; 0 for never
	busy     gateway.Busy
	deeds    []deed
	moods    []mood
	platform []string // what the platform does with a message

	house *house
	said  []gateway.Event
	// instead are the words of edited messages, by the number of their message.
	instead map[int][]string
	wrong   []string
	sends   int
}

// pass lets the day pass in a bubble.
func (d *day) pass(t *testing.T) {
	d.instead = make(map[int][]string)
	h := setup(t, func(h *house) {
		h.model.script = d.answer
		h.wire.kept = map[string][]byte{"kept": []byte("a note")}
		h.wire.spoil = func(string) error { <-time.After(5 * time.Second); return nil }
		h.wire.refuse = d.refuse
		h.settings.Busy = d.busy
		h.bot.Chats = []string{"-42"}
		if d.idle > 0 {
			h.settings.Resets.Default = gateway.Policy{Mode: gateway.ResetIdle, Idle: d.idle}
		}
	})
	defer h.end()
	d.house = h
	for _, one := range d.deeds {
		<-time.After(one.after)
		d.do(one)
	}
	<-time.After(time.Hour)
	h.settled()
	d.judge()
}

// word is the word that only the message of a number has.
func word(n int) string { return fmt.Sprintf("w%dw", n) }

// do does one deed.
func (d *day) do(one deed) {
	h := d.house
	n := len(d.said)
	switch one.what {
	case "say", "file", "lost file":
		e := d.event("My number is "+word(n)+".", n)
		if one.what != "say" {
			e.Files = []gateway.FileRef{{Kind: gateway.Document, Name: "a.txt", Ref: strings.TrimPrefix(one.what+"kept", "file")}}
		}
		d.said = append(d.said, e)
		h.receive(e)
	case "edit", "again":
		if one.of > n {
			return
		}
		e := d.said[n-one.of]
		if one.what == "edit" {
			h.events++
			e.ID, e.Kind = fmt.Sprint("e", h.events), gateway.Edited
			new := word(1000 + h.events)
			e.Text = "My number is " + new + "."
			d.instead[n-one.of] = append(d.instead[n-one.of], new)
		}
		h.receive(e)
	case "rest":
		<-time.After(2 * time.Minute)
	case "restart":
		h.end()
		h.begin()
	default:
		h.receive(d.event(one.what, 0))
	}
}

// event is a message in the chat. In a group two people speak in turn, and the first is an admin.
func (d *day) event(text string, speaker int) gateway.Event {
	switch {
	case !d.group:
		return d.house.dm(ada, text)
	case speaker%2 == 0:
		return d.house.group(ada, "Ada", text, true)
	}
	return d.house.group("2002", "Bob", text, true)
}

// answer answers the prompts of the day.
func (d *day) answer(ctx context.Context, p *run.Prompt, say func(string)) error {
	number := d.house.model.count()
	m := d.moods[number%len(d.moods)]
	half := func() error {
		select {
		case <-time.After(m.after):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := half(); err != nil {
		return err
	}
	switch m.how {
	case "fail":
		return errors.New("the model is ill")
	case "silent":
		say("[SILENT]")
		return nil
	}
	say(fmt.Sprintf("This is the answer number a%da to %s, and it is long enough", number, p.Messages[len(p.Messages)-1].Content))
	if err := half(); err != nil {
		return err
	}
	if m.how == "break" {
		return errors.New("the model breaks off")
	}
	say(" to be shown in two parts.")
	return nil
}

// refuse is what the platform says of a message before it takes it.
func (d *day) refuse(o *gateway.Out) error {
	d.sends++
	reason := map[string]gateway.SendReason{"limited": gateway.Limited, "temporary": gateway.Temporary, "malformed": gateway.Malformed}
	what := d.platform[d.sends%len(d.platform)]
	if what == "" || what == "malformed" && o.Plain {
		return nil
	}
	return &gateway.SendError{Reason: reason[what], After: 3 * time.Second, Text: what}
}

// misses notes something wrong.
func (d *day) misses(format string, args ...any) {
	d.wrong = append(d.wrong, fmt.Sprintf(format, args...))
}

var answerWord = regexp.MustCompile(`answer number (a\d+a)`)

// judge finds what is wrong at the end of the day.
func (d *day) judge() {
	h := d.house
	at := d.event("", 0).Place
	at.Platform, at.Account = h.wire.name, "7"
	if open, err := h.db.OpenEvents(context.Background(), h.bot.Owner, at, 100); err != nil || len(open) > 0 {
		d.misses("%d events are open, %v", len(open), err)
	}
	if left, err := h.db.Sends(context.Background(), h.bot.Owner, at, 100); err != nil || len(left) > 0 {
		d.misses("%d messages wait, %v", len(left), err)
	}
	stored, standing := d.stored()
	for n := range d.said {
		words := append([]string{word(n)}, d.instead[n]...)
		has := func(m string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m, w) })
		}
		if !slices.ContainsFunc(stored, has) {
			d.misses("message %d is lost: %q", n, words)
		}
		count := 0
		for _, m := range standing {
			if has(m) {
				count++
			}
		}
		if count > 1 {
			d.misses("message %d stands %d times", n, count)
		}
	}
	seen := map[string]int{}
	for _, text := range h.wire.said() {
		for _, m := range answerWord.FindAllStringSubmatch(text, -1) {
			seen[m[1]]++
		}
	}
	for a, n := range seen {
		if n > 1 {
			d.misses("the answer %s is shown %d times", a, n)
		}
	}
}

// stored are the messages of people in all sessions, and those among them that stand.
func (d *day) stored() (all, standing []string) {
	h := d.house
	list, err := h.db.Sessions(context.Background(), h.bot.Owner, session.Filter{Limit: 100})
	if err != nil {
		d.misses("%v", err)
	}
	roots := map[session.ID]bool{}
	for i := range list {
		roots[list[i].RootID] = true
	}
	for root := range roots {
		for _, r := range []session.Range{{}, {Standing: true}} {
			ms, err := h.db.Messages(context.Background(), h.bot.Owner, root, r)
			if err != nil {
				d.misses("%v", err)
			}
			for i := range ms {
				switch {
				case ms[i].Role != session.User:
				case r.Standing:
					standing = append(standing, ms[i].Content)
				default:
					all = append(all, ms[i].Content)
				}
			}
		}
	}
	return all, standing
}
