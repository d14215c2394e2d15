package job

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestSignature holds the example of the Standard Webhooks specification.
func TestSignature(t *testing.T) {
	t.Parallel()
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, secret := range []string{"", "whsec_", "whsec_c2hvcnQ=", "whsec_***"} {
		if _, err := sign(secret, "id", time.Unix(0, 0), nil); fault.CodeOf(err) != "no_webhook_secret" {
			t.Errorf("secret %q: got %v, want it refused", secret, err)
		}
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "2606:4700:4700::1111": true, "::ffff:1.1.1.1": true,
		"127.0.0.1": false, "127.255.255.254": false, "::1": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "198.18.0.1": false, "192.0.0.1": false,
		"192.0.2.1": false, "224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false, "0.1.2.3": false, "fe80::1": false, "fe80::1%eth0": false,
		"fc00::1": false, "fd12::1": false, "fec0::1": false, "ff02::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false,
		"::127.0.0.1": false, "64:ff9b::7f00:1": false, "64:ff9b::a00:1": false, "64:ff9b:1::1": false, "2002:7f00:1::1": false,
		"2001::1": false, "2001:db8::1": false, "100::1": false, "3fff::1": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// TestPrivateWebhooks: however an address is written, nothing that is not public
// is connected to (T8). The listener would notice.
func TestPrivateWebhooks(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connects atomic.Int32
	srv := &http.Server{ReadHeaderTimeout: time.Second, ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connects.Add(1)
		}
	}}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	defer func() { _ = srv.Close(); <-done }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	w := NewWebhook(false, time.Now)
	e := &Event{ID: "evt_1", Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	for _, host := range []string{
		"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]", "[::127.0.0.1]", "127.0.0.1.", "LOCALHOST", "[64:ff9b::7f00:1]", "0", "169.254.169.254", "10.0.0.1",
	} {
		if err := w.Deliver(t.Context(), owner.Local(), "https://"+net.JoinHostPort(trim(host), port)+"/", e); err == nil {
			t.Errorf("%s: got no error", host)
		}
	}
	if n := connects.Load(); n != 0 {
		t.Errorf("got %d connections, want none", n)
	}
	for _, place := range []string{"http://example.org/", "https://u:p@example.org/", "https:///x", "file:///etc/passwd", "example.org", "https://example.org/#x", "gopher://x/", "https:example.org"} {
		if err := w.Check(t.Context(), owner.Local(), place); fault.CodeOf(err) != "invalid_deliver" {
			t.Errorf("%s: got %v, want it refused", place, err)
		}
	}
}

// trim takes the brackets off an address.
func trim(host string) string {
	if host[0] == '[' {
		return host[1 : len(host)-1]
	}
	return host
}

// TestWebhookTellsNoAddress: the error of a webhook is the same for an address that
// is not public, a name that leads nowhere, and a server that does not answer.
func TestWebhookTellsNoAddress(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	e := &Event{ID: "evt_1", Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	seen := make(map[string]string)
	for _, c := range []struct {
		private bool
		place   string
	}{
		{false, "https://" + closed}, {false, "https://10.0.0.1/"}, {false, "https://[fd00::1]/"}, {false, "https://169.254.169.254/latest"},
		{false, "https://no-such-name.invalid/"}, {true, "https://no-such-name.invalid/"}, {true, "https://" + closed},
	} {
		err := NewWebhook(c.private, time.Now).Deliver(t.Context(), owner.Local(), c.place, e)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok {
			t.Fatalf("%s: got %v, want a fault", c.place, err)
		}
		seen[string(f.Kind)+" "+f.Code+" "+f.Msg] = c.place
	}
	if len(seen) != 1 {
		t.Errorf("got %d different errors, want 1: %v", len(seen), seen)
	}
}
