package cli

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/config"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	interfaces := []netip.Addr{netip.MustParseAddr("192.168.1.5"), netip.MustParseAddr("2001:db8::5")}
	for _, tc := range []struct {
		addr   string
		public bool
		want   []string
	}{
		{"127.0.0.1:11434", false, []string{"http://localhost:11434"}},
		{"0.0.0.0:11434", true, []string{"http://127.0.0.1:11434", "http://192.168.1.5:11434"}},
		{"[::]:80", true, []string{"http://127.0.0.1:80", "http://192.168.1.5:80", "http://[2001:db8::5]:80"}},
		{"192.168.1.5:80", true, []string{"http://192.168.1.5:80"}},
		{"[2001:db8::5]:80", true, []string{"http://[2001:db8::5]:80"}},
	} {
		if diff := cmp.Diff(tc.want, reachable(tc.addr, tc.public, interfaces)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.addr, diff)
		}
	}
}

func TestHostNames(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{}
	cfg.Server.Hosts = []string{"memory.example"}
	if got := hostNames(cfg, false); !slices.Equal(got, cfg.Server.Hosts) {
		t.Errorf("on this machine only: got %q, want those of the configuration", got)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	got := hostNames(cfg, true)
	short, _, _ := strings.Cut(name, ".")
	for _, want := range []string{"memory.example", "host.docker.internal", name, short, short + ".local"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %s among them", got, want)
		}
	}
}
