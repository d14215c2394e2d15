package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// A header of a proxy is known by the shape of its name, because every proxy has names
// of its own: it holds one of proxyTexts, has one of proxyWords between its hyphens, or
// ends as an address does. proxyPrefixes are the products whose names have no such shape.
// directHeaders have the shape and are sent by clients.
var (
	proxyTexts    = []string{"forwarded", "proxy"}
	proxyWords    = []string{"via", "real", "remote", "original", "originating", "cluster"}
	proxySuffixes = []string{"-ip", "-addr", "-address"}
	proxyPrefixes = []string{"x-host", "cdn-loop", "cf-", "ngrok-", "tailscale-", "x-envoy-", "x-amzn-", "x-azure-", "x-auth-request-"}
	directHeaders = []string{"proxy-connection"}
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
	for name := range h {
		if isProxyHeader(strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// isProxyHeader reports whether a header of this name, in lower case, is added by
// proxies only.
func isProxyHeader(name string) bool {
	if slices.Contains(directHeaders, name) {
		return false
	}
	has := func(texts []string, is func(name, text string) bool) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return is(name, text) })
	}
	return has(proxyTexts, strings.Contains) || has(proxySuffixes, strings.HasSuffix) || has(proxyPrefixes, strings.HasPrefix) ||
		slices.ContainsFunc(strings.Split(name, "-"), func(word string) bool { return slices.Contains(proxyWords, word) })
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
