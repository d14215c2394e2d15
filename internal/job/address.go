package job

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"syscall"
)

// errPrivate is for the log. A job's owner is told only that the webhook gave no
// answer: otherwise webhooks could probe the names and addresses of this network.
var errPrivate = errors.New("the address of the webhook is not public")

// refusePrivate is called for every address about to be dialled, after the name lookup,
// because a name may resolve to another address each time.
func refusePrivate(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errPrivate
	}
	return nil
}

// public reports whether an address belongs to the public Internet. Addresses that
// embed another address do not count, because a gateway decides where they lead.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if ip.Zone() != "" || ip.IsPrivate() || !ip.IsGlobalUnicast() { // an invalid address is not unicast either
		return false
	}
	if slices.ContainsFunc(reserved(), func(block netip.Prefix) bool { return block.Contains(ip) }) {
		return false
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
