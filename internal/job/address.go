package job

import (
	"context"
	"net/netip"
	"syscall"

	"github.com/hermes-memory/hermes/internal/fault"
)

// refusePrivate is asked for every address that is about to be dialled, after
// names have been looked up: a name may lead anywhere, and elsewhere next time.
func refusePrivate(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return fault.New(fault.Unavailable, "webhook_private",
			"The webhook leads to an address that is not public. Set webhooks.allow_private if it should.")
	}
	return nil
}

// public reports whether an address is one of the open Internet. Those that
// carry another address inside are not: what they lead to is decided elsewhere.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsValid() || ip.Zone() != "" || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, block := range reserved() {
		if block.Contains(ip) {
			return false
		}
	}
	return ip.Is4() || netip.MustParsePrefix("2000::/3").Contains(ip)
}

// reserved are the blocks of special use that the netip package does not know.
func reserved() []netip.Prefix {
	var out []netip.Prefix
	for _, block := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // with Teredo and 6to4, which carry IPv4
	} {
		out = append(out, netip.MustParsePrefix(block))
	}
	return out
}
