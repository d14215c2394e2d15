package gateway_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/session"
)

// until lets time pass up to a moment, and what is due then be done.
func until(at time.Time) {
	pass(time.Until(at))
	synctest.Wait()
}

// clockCase is a policy, and when it resets a session. The clock of a bubble begins at midnight.
type clockCase struct {
	name   string
	policy gateway.Policy
	said   time.Duration // after midnight
	before time.Duration // when the session is not reset yet
	after  time.Duration // when it is
	why    session.EndReason
}

// TestPolicies: each policy resets a session at its time, and not a minute before.
func TestPolicies(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	both := gateway.Policy{Mode: gateway.ResetBoth, Idle: 24 * hour, Hour: 4}
	for _, c := range []clockCase{
		{"idle", gateway.Policy{Mode: gateway.ResetIdle, Idle: 10 * time.Minute}, 0, 9 * time.Minute, 11 * time.Minute, "idle"},
		{"daily", gateway.Policy{Mode: gateway.ResetDaily, Hour: 4}, hour, 4*hour - time.Minute, 4*hour + time.Minute, "daily"},
		{"daily, said after the hour", gateway.Policy{Mode: gateway.ResetDaily, Hour: 4}, 5 * hour, 28*hour - time.Minute, 28*hour + time.Minute, "daily"},
		{"both, and the day comes first", both, hour, 4*hour - time.Minute, 4*hour + time.Minute, "daily"},
		{"both, and idle comes first", gateway.Policy{Mode: gateway.ResetBoth, Idle: 2 * hour, Hour: 4}, hour, 3*hour - time.Minute, 3*hour + time.Minute, "idle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, c.run)
		})
	}
}

// run holds a policy to its time.
func (c *clockCase) run(t *testing.T) {
	midnight := time.Now()
	h := setup(t, func(h *house) { h.settings.Resets = gateway.Resets{Default: c.policy, Notify: true} })
	defer h.end()
	until(midnight.Add(c.said))
	h.receive(h.dm(ada, "Hello."))
	pass(10 * time.Second)
	first := h.chat(ada).Session
	until(midnight.Add(c.before))
	want(t, "the session before the time", h.chat(ada).Session, first)
	until(midnight.Add(c.after))
	if h.chat(ada).Session == first {
		t.Error("the session was not reset")
	}
	old, err := h.db.Session(t.Context(), h.bot.Owner, first)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "end reason", old.EndReason, c.why)
}

// bothIn is a chat under the policy that resets at an hour of the day, or after a time of quiet.
type bothIn struct {
	zone  string
	group bool
	said  string        // by the clock of the zone, on the first day
	idle  time.Duration // the hour is always four
	at    string        // when the session is reset, by the clock of the zone
	why   session.EndReason
}

// TestBothFallDue: under the policy of both, what comes first resets the session, in private chats and
// in groups, by the clock of the zone.
func TestBothFallDue(t *testing.T) {
	t.Parallel()
	const minute, form = time.Minute, "2006-01-02 15:04"
	for _, zone := range []string{"Europe/Berlin", "America/Los_Angeles", "Asia/Kathmandu"} {
		for _, group := range []bool{false, true} {
			for _, c := range []bothIn{
				{zone, group, "2000-01-02 12:00", 90 * minute, "2000-01-02 13:30", "idle"},
				{zone, group, "2000-01-02 03:00", 90 * minute, "2000-01-02 04:00", "daily"},
				{zone, group, "2000-01-02 12:00", 1440 * minute, "2000-01-03 04:00", "daily"},
			} {
				t.Run(fmt.Sprint(zone, group, c.said, c.idle), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						in, err := time.LoadLocation(c.zone)
						if err != nil {
							t.Fatal(err)
						}
						said, err := time.ParseInLocation(form, c.said, in)
						if err != nil {
							t.Fatal(err)
						}
						at, err := time.ParseInLocation(form, c.at, in)
						if err != nil {
							t.Fatal(err)
						}
						c.run(t, in, said, at)
					})
				})
			}
		}
	}
}

// run holds the policy to its time, a minute before and a minute after the quiet that an answer ends.
func (c *bothIn) run(t *testing.T, in *time.Location, said, at time.Time) {
	until(said)
	h := setup(t, func(h *house) {
		h.bot.Zone = in
		h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetBoth, Idle: c.idle, Hour: 4}}
	})
	defer h.end()
	e := h.dm(ada, "Hello.")
	if c.group {
		e = h.group(ada, "Ada", "Hello.", true)
	}
	h.receive(e)
	pass(10 * time.Second)
	session := func() session.ID {
		chat, err := h.db.Chat(t.Context(), h.bot.Owner, gateway.Place{Platform: h.wire.name, Account: h.bot.Account, Chat: e.Place.Chat})
		if err != nil {
			t.Fatal(err)
		}
		return chat.Session
	}
	first := session()
	until(at.Add(-time.Minute))
	want(t, "the session before the time", session(), first)
	until(at.Add(time.Minute))
	if first == "" || session() == first {
		t.Error("the session was not reset")
	}
	old, err := h.db.Session(t.Context(), h.bot.Owner, first)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "end reason", old.EndReason, c.why)
}

// TestNoResets: without resets a session goes on, after days and after a server that was down
// for 400 days.
func TestNoResets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer func() { h.end() }()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		first := h.chat(ada).Session
		pass(3 * 24 * time.Hour)
		want(t, "after three days", h.chat(ada).Session, first)
		h.end()
		pass(400 * 24 * time.Hour)
		h.begin()
		pass(time.Hour)
		h.receive(h.dm(ada, "Hello again."))
		h.settled()
		want(t, "after 400 days", h.chat(ada).Session, first)
		want(t, "messages", len(h.transcript(first)), 4)
	})
}

// changes are the days of 2026 on which clocks change, in six zones. An hour that is skipped
// begins at the first instant after the gap, and one that is repeated begins at its first.
var changes = []struct {
	zone string
	hour int
	at   string // when the session is reset
}{
	{"Europe/Berlin", 2, "2026-03-29T01:00:00Z"},
	{"Europe/Berlin", 2, "2026-10-25T00:00:00Z"},
	{"America/New_York", 2, "2026-03-08T07:00:00Z"},
	{"America/New_York", 1, "2026-11-01T05:00:00Z"},
	{"Australia/Lord_Howe", 2, "2026-10-03T15:30:00Z"}, // half an hour is skipped: 02:30 comes after 01:59
	{"Australia/Lord_Howe", 2, "2026-04-04T15:30:00Z"}, // half an hour is repeated, before 02:00
	{"Africa/Cairo", 0, "2026-04-23T22:00:00Z"},        // midnight is skipped
	{"Africa/Cairo", 23, "2026-10-29T20:00:00Z"},       // the hour before midnight is repeated
	{"Asia/Beirut", 0, "2026-03-28T22:00:00Z"},
	{"Asia/Beirut", 23, "2026-10-24T20:00:00Z"},
	{"America/Santiago", 0, "2026-09-06T04:00:00Z"},
	{"America/Santiago", 23, "2026-04-05T02:00:00Z"},
}

// TestChangesOfClocks: a session is reset at the hour of the day on which the clocks change,
// once.
func TestChangesOfClocks(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		t.Run(c.zone+" "+c.at, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				at, err := time.Parse(time.RFC3339, c.at)
				if err != nil {
					t.Fatal(err)
				}
				zone, err := time.LoadLocation(c.zone)
				if err != nil {
					t.Fatal(err)
				}
				until(at.Add(-30 * time.Minute))
				h := setup(t, func(h *house) {
					h.bot.Zone = zone
					h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetDaily, Hour: c.hour}}
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				pass(10 * time.Second)
				first := h.chat(ada).Session
				until(at.Add(-time.Second))
				want(t, "a second before", h.chat(ada).Session, first)
				until(at.Add(time.Second))
				second := h.chat(ada).Session
				if second == first {
					t.Fatal("the session was not reset within a second")
				}
				h.receive(h.dm(ada, "Hello again."))
				until(at.Add(3 * time.Hour)) // the hour that is repeated is over
				want(t, "three hours later", h.chat(ada).Session, second)
			})
		})
	}
}
