package upstream

import (
	"net"
	"net/http"
	"time"
)

// NewTransport makes a transport such as a model is given when [Options] name
// none, for those who put something of their own before it.
func NewTransport() http.RoundTripper { return newTransport() }

// newTransport is a pool of connections to one server, wide enough for a
// thousand answers at a time. It asks no proxy of the environment: a key must
// not travel through a place nobody configured here. It does not ask for
// compression either, which would hold back the pieces of a stream.
func newTransport() *http.Transport {
	dial := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dial.DialContext,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    1024,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
	}
}
