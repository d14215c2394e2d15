package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// checkHost refuses requests to unknown host names. A page that rebinds its DNS name to
// this machine still sends that name.
func (s *server) checkHost(r *http.Request) error {
	name := hostName(r)
	if isLoopback(name) || slices.Contains(s.hosts, name) || isOwnAddress(r, name) {
		return nil
	}
	shown := name
	if len(shown) > maxShownHost {
		shown = shown[:maxShownHost] + "…"
	}
	return fault.New(fault.Misdirected, "host_not_allowed", fmt.Sprintf("This server does not answer to the host name %q. Use localhost, or add the name to "+
		"server.hosts in config.yaml (server: {hosts: [%s]}) or to API_SERVER_HOSTS, a list with commas (API_SERVER_HOSTS=%[2]s), and restart.", shown, shown))
}

// maxShownHost bounds the part of a host name that an error quotes, in bytes.
const maxShownHost = 255

// hostName is the name that a request is addressed to, without the port.
func hostName(r *http.Request) string { return plainHost(r.Host) }

// plainHost is a host as names are compared: in lower case, without a port, brackets, and
// the dot of a complete name.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(strings.TrimSpace(host), "[]"), "."))
}

// plainHosts are the names of a configuration as requests are compared with them.
func plainHosts(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, plainHost(name))
	}
	return out
}

// isLoopback reports whether a host name or address means this machine.
func isLoopback(name string) bool {
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// isOwnAddress reports whether a name is the address at which the request arrived. Such a
// request was not rebound: its client was given the address itself. Only a server that
// listens on a public address, and therefore has a key, gets such requests.
func isOwnAddress(r *http.Request, name string) bool {
	asked, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.AddrPort().Addr().Unmap().WithZone("") == asked.Unmap().WithZone("")
}

// notFound answers an unknown path. If the path shows that the client's base URL is wrong,
// the error has the right one.
func notFound(_ http.ResponseWriter, r *http.Request) error {
	if base := rightBase(r); base != "" {
		return fault.New(fault.NotFound, "unknown_url", "Unknown path: the base URL of the client is wrong. Set it to "+base+".")
	}
	return fault.New(fault.NotFound, "unknown_url", "Unknown path. GET /v1/capabilities lists what this server answers.")
}

// version is the part of a path that begins the API.
const version = "v1"

// resources are the first parts of paths below /v1 that clients ask for; "" is /v1 itself.
var resources = []string{
	"", "chat", "completions", "responses", "conversations", "models", "embeddings", "messages", "audio", "images", "files", "moderations",
}

// rightBase is the base URL that a client should have been given; "" if the path does not
// show that it has a wrong one. Clients add a path to their base URL, so that /v1 is
// missing or doubled, or a slash is.
func rightBase(r *http.Request) string {
	path := r.URL.EscapedPath()
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		path = u.EscapedPath() // with /k/NAME, which is no longer in r.URL
	}
	root, rest := origin(r), path
	if _, below, ok := cutKey(path); ok {
		root, rest = root+strings.TrimSuffix(path, below), below
	}
	versions, names := splitVersions(rest)
	if len(names) == 0 {
		if versions == 0 {
			return ""
		}
		names = []string{""} // the base URL itself
	}
	right := "/" + version + "/" + strings.Join(names, "/")
	switch {
	case names[0] != "" && rest == right, !slices.Contains(resources, names[0]):
		return "" // not the base is wrong, but what follows it
	case versions > 1, names[0] == "messages":
		return root + "/" + version + ", or to " + root + " if the client adds /" + version + " itself"
	}
	return root + "/" + version + ", without a slash at its end"
}

// splitVersions counts the versions that begin a path, and returns the names after them.
func splitVersions(path string) (versions int, names []string) {
	names = strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
	for len(names) > 0 && names[0] == version {
		versions, names = versions+1, names[1:]
	}
	return versions, names
}

// origin is the scheme and the host by which this request reached the server. The host has
// been checked.
func origin(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	return scheme + "://" + strings.ToLower(r.Host)
}
