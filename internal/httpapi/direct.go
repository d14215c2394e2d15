package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// proxyHeaders are headers that reverse proxies, tunnels and CDNs add to a request, in
// canonical form. proxyPrefixes begin families of such headers.
var (
	proxyHeaders = []string{
		"Forwarded", "Forwarded-For", "Via", "X-Real-Ip", "X-Real-Port", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Proxyuser-Ip", "X-Host",
		"True-Client-Ip", "Client-Ip", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip", "Ngrok-Trace-Id", "Tailscale-User-Login",
	}
	proxyPrefixes = []string{"X-Forwarded", "X-Original-", "X-Envoy-", "X-Amzn-", "X-Azure-", "Cf-"}
)

// checkDirect refuses the development key unless the request was sent directly, from
// this machine to a name of this machine. The key is public: behind a proxy it would
// admit every client of the proxy.
func checkDirect(r *http.Request) error {
	reason := ""
	switch header := proxyHeader(r.Header); {
	case header != "":
		reason = "the header " + header + " says that this request came through a proxy"
	case !isLoopback(hostName(r)):
		reason = fmt.Sprintf("this request is addressed to %q", hostName(r))
	case !fromHere(r):
		reason = "this request came from another machine"
	default:
		return nil
	}
	return fault.New(fault.Unauthenticated, "invalid_api_key", "The development key counts only for direct requests on this machine, and "+
		reason+". Make a key on the server's machine, and use that one: hermes keys create --name NAME --owner local")
}

// proxyHeader is the name of a header that only a proxy adds; "" if there is none.
func proxyHeader(h http.Header) string {
	for _, name := range proxyHeaders {
		if _, ok := h[name]; ok {
			return name
		}
	}
	for name := range h {
		if slices.ContainsFunc(proxyPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return name
		}
	}
	return ""
}

// fromHere reports whether the client is on this machine: it has a loopback address, it
// came over the Unix socket, or it is in this process.
func fromHere(r *http.Request) bool {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" || r.RemoteAddr == "" {
		return true
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && isLoopback(host)
}
