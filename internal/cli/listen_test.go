package cli

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestCannotListen opens addresses that cannot be: each refusal names the address, the cause, and what to do.
func TestCannotListen(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for _, c := range []struct{ addr, code, want string }{
		{taken.Addr().String(), "address_in_use", "Another program listens on " + taken.Addr().String()},
		{"192.0.2.1:0", "address_unusable", "does not have the address 192.0.2.1."},
		{"[2001:db8::1]:0", "address_unusable", "2001:db8::1"},
		{"no such host:0", "address_unusable", "The name no such host cannot be resolved"},
	} {
		t.Run(c.addr, func(t *testing.T) {
			t.Parallel()
			for name, open := range map[string]func() error{
				"hermes serve --addr 127.0.0.1:PORT": func() error { _, err := open(t.Context(), c.addr); return err },
				"HERMES_ADMIN_ADDR=127.0.0.1:PORT":   func() error { _, err := listenAdmin(t.Context(), c.addr); return err },
			} {
				err := open()
				says := fault.MessageOf(err)
				if fault.CodeOf(err) != c.code || !strings.Contains(says, c.want) || !strings.HasSuffix(says, "hoose another address: "+name) {
					t.Errorf("got %v, want %s, %q and %q", err, c.code, c.want, name)
				}
			}
		})
	}
}

// TestMayNotListen explains the refusal of a port that is kept for root. A test cannot count on one.
func TestMayNotListen(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EACCES)}
	err := cannotListen("127.0.0.1:80", "OTHER", refused)
	if says := fault.MessageOf(err); !strings.Contains(says, "may not listen on port 80") || !strings.HasSuffix(says, "OTHER") {
		t.Errorf("got %q", says)
	}
}
