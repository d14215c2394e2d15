package upstream

import (
	"net"
	"net/http"
	"time"
)

// NewTransport makes the transport that a model uses when [Options] name none. Callers
// wrap it.
func NewTransport() http.RoundTripper { return newTransport() }

// newTransport is a pool of connections to one server, wide enough for a thousand
// concurrent answers. It ignores proxy settings of the environment: the key must not
// pass through a host that was not configured here. It does not ask for compression,
// which would delay the pieces of a stream.
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
		WriteBufferSize:        48 << 10, // a usual prompt with its head in one write
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
	}
}
