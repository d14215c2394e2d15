package gatewaytest

import (
	"testing"
	"time"
)

// TestWhatsAppLimits: five messages may follow each other, and then one in six seconds. A
// rest doubles, and a request during it is noted.
func TestWhatsAppLimits(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s := NewWhatsApp(t, WhatsAppOptions{Now: func() time.Time { return now }})
	for i := range 5 {
		if err := s.allow("a"); err != nil {
			t.Errorf("message %d at once: %v", i, err)
		}
	}
	for _, rest := range []time.Duration{6 * time.Second, 12 * time.Second} {
		if rest == 12*time.Second {
			s.limits.due["a"] = now.Add(time.Minute)
		}
		if err := s.allow("a"); err == nil || s.limits.rest["a"] != now.Add(rest) {
			t.Errorf("got %v, want a rest of %s", err, rest)
		}
		before := len(s.Broken())
		if err := s.allow("a"); err == nil || len(s.Broken()) != before+1 {
			t.Errorf("during the rest: got %v, noted %q", err, s.Broken())
		}
		now = now.Add(rest)
	}
	now = now.Add(time.Minute)
	for i := range 20 {
		now = now.Add(6 * time.Second)
		if err := s.allow("a"); err != nil {
			t.Errorf("message %d, one in six seconds: %v", i, err)
		}
	}
	if err := s.allow("b"); err != nil {
		t.Errorf("another chat: %v", err)
	}
	if got := s.Limited(); got != 2 {
		t.Errorf("got %d refusals, want 2", got)
	}
}

// TestWhatsAppWindow: a person's message opens the window for a day.
func TestWhatsAppWindow(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s := NewWhatsApp(t, WhatsAppOptions{Now: func() time.Time { return now }})
	p := s.person("alice")
	if s.open(p) {
		t.Error("the window of a person who has not written is open")
	}
	p.heard = now
	if now = now.Add(24*time.Hour - time.Second); !s.open(p) {
		t.Error("the window closes too early")
	}
	if now = now.Add(time.Second); s.open(p) {
		t.Error("the window closes too late")
	}
}
