package cli

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/config"
)

// containerNames are the names under which containers reach the machine that runs them.
// They are in domains that no one can register.
var containerNames = []string{"host.docker.internal", "host.containers.internal"}

// hostNames are the names that requests may be addressed to, in addition to the loopback
// ones: those of the configuration, and the machine's own if it serves other machines.
// The addresses of the machine need no names here.
func hostNames(cfg *config.Config, public bool) []string {
	names := slices.Clone(cfg.Server.Hosts)
	if !public {
		return names
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		short, _, _ := strings.Cut(name, ".")
		names = append(names, name, short, short+".local")
	}
	names = append(names, containerNames...)
	slices.Sort(names)
	return slices.Compact(names)
}

// answeredNames are the names of a server for other machines, as people are told them.
func answeredNames(cfg *config.Config) string {
	return strings.Join(append([]string{"localhost"}, hostNames(cfg, true)...), ", ") + "; more: server.hosts"
}

// reachable are the base URLs, without /v1, at which an address can be reached: for the
// address of all interfaces, that of this machine and one for each interface.
func reachable(addr string, public bool, interfaces []netip.Addr) []string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return []string{"http://" + addr}
	}
	if !public {
		return []string{"http://localhost:" + port}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsUnspecified() {
		return []string{"http://" + addr}
	}
	urls := []string{"http://" + dialable(addr)}
	for _, one := range interfaces {
		if one.Is4() || ip.Is6() {
			urls = append(urls, "http://"+net.JoinHostPort(one.String(), port))
		}
	}
	return urls
}

// dialable is an address that this machine can call: the address of all interfaces is none.
// 127.0.0.1 is among them even if IPv6 is not.
func dialable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip, wrong := netip.ParseAddr(host); err != nil || wrong != nil || !ip.IsUnspecified() {
		return addr
	}
	return net.JoinHostPort(config.DefaultHost, port)
}

// interfaceAddrs are the addresses of this machine that other machines can use, IPv4
// first.
func interfaceAddrs() []netip.Addr {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the banner then has this machine's own URL
	}
	var out []netip.Addr
	for _, one := range list {
		network, ok := one.(*net.IPNet)
		if !ok {
			continue
		}
		addr, ok := netip.AddrFromSlice(network.IP)
		if addr = addr.Unmap(); ok && addr.IsGlobalUnicast() {
			out = append(out, addr)
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}
