package gateway

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestCurrent: no reset is due in a chat that was active after the time which its policy calls current, in any
// time zone.
func TestCurrent(t *testing.T) {
	t.Parallel()
	zones := make([]*time.Location, 0, 8)
	for _, name := range []string{
		"UTC", "America/St_Johns", "Asia/Kathmandu", "Australia/Eucla", "Pacific/Chatham", "Australia/Lord_Howe", "Europe/Oslo", "Pacific/Apia",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	random := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // no secret
	began := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 20_000 {
		now := began.Add(time.Duration(random.Int64N(int64(20 * 365 * 24 * time.Hour)))).Truncate(time.Millisecond)
		p := Policy{
			Mode: []ResetMode{ResetIdle, ResetDaily, ResetBoth, ResetNone}[random.IntN(4)],
			Idle: time.Duration(1+random.IntN(3000)) * time.Minute, Hour: random.IntN(24),
		}
		after := p.current(now)
		if p.Mode == ResetNone {
			if !after.IsZero() {
				t.Fatalf("%+v at %v: got %v, want no time", p, now, after)
			}
			continue
		}
		active := after.Add(time.Duration(1 + random.Int64N(max(1, int64(now.Sub(after)))))).Truncate(time.Millisecond)
		zone := zones[random.IntN(len(zones))]
		if due := p.due(active, zone); active.After(after) && !due.After(now) {
			t.Fatalf("%+v at %v in %s: active at %v, and a reset was due at %v", p, now, zone, active, due)
		}
		if p.Mode == ResetIdle && !p.due(after, zone).Equal(now) {
			t.Fatalf("%+v at %v: got %v, want the time at which the reset is due now", p, now, after)
		}
	}
}
